"""Files of task runners and shells: `.envrc`, Makefiles, justfiles, Taskfiles, mise, and wrappers of builders.

direnv runs `.envrc` when a shell enters the folder, once its path and content were allowed; mise sets variables and
may run hooks likewise. Everything else runs when somebody calls it by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from plugseal.limits import MAX_DECLARED
from plugseal.model.plugin import Component, ComponentKind
from plugseal.patterns import lazy
from plugseal.systems.components.parts import line_component
from plugseal.systems.components.servers import environment
from plugseal.systems.components.settings import setting_components
from plugseal.systems.launching.pinning import build_package
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, lookup
from plugseal.systems.tooling.parts import folder_of_file, run_file, shell_script, text_of

if TYPE_CHECKING:
    from plugseal.systems.tooling.parts import Reader

_CALLED: Final = "the user calls it"
_DIRENV: Final = "direnv allow, bound to path and content"
_MISE: Final = "mise trust"
_RULE: Final = lazy(r"([^\s#:=][^:=#]*)::?(?!=)([^=].*)?\Z")
_SHELL_CALL: Final = lazy(r"\$\(shell\s+(?=\S)([^()]*(?:\([^()]*\)[^()]*)*)\)")
_NAME: Final = lazy(r"(?<!\$)\$[({]([A-Za-z_.][\w.-]*)(?::[^(){}]*)?[)}]")
_FUNCTION: Final = lazy(
    r"(?<!\$)\$\((subst|patsubst|strip|findstring|filter|filter-out|sort|word|words|wordlist|firstword|lastword|dir|"
    r"notdir|suffix|basename|addsuffix|addprefix|join|wildcard|realpath|abspath|if|or|and|foreach|call|value|origin|"
    r"error|warning|info|eval)[ \t][^()]*\)"
)
"""Calls of make's own functions: they run nothing but what `shell` in them does."""
_MAX_CALLS: Final = 8
_JUST_BLOCK: Final = lazy(r"```([^`]{1,4096})```")
_JUST_INSIDE: Final = lazy(r"\{\{([^{}\n]{1,1024})\}\}")
_JUST_LINE: Final = lazy(r"(?<!`)`([^`\n]{1,1024})`(?!`)|\bshell\([ ]{0,8}(?:\"([^\"\n]{1,1024})\"|'([^'\n]{1,1024})')")
_RECIPE: Final = lazy(r"@?([A-Za-z_][\w-]*)(?:\s[^:]*)?:(?!=)(.*)\Z")
_OWN_FOLDER: Final = lazy(r"(?:\A|/)(?:\.mise|(?:\.config/)?mise(?:/conf\.d)?|\.config)\Z")
"""Where mise's settings may lie in a folder of their own: what they name is told from the folder above."""
_BACKEND: Final = lazy(r"\A[a-z]+:(?=[a-z]+://)")
_OTHERS_PLUGIN: Final = lazy(r"(?:asdf|vfox):[\w.-]+/[\w.-]+")
_MISE_ROLES: Final = """
skip: tasks.** env.** hooks.** tools.** watch_files plugins.** alias.** tool_alias.**
quiet: min_version settings.** shell_alias.** redactions vars.** monorepo_root prepare.**
quiet: task_config.**
path: task_config.includes
"""


def _envrc(reader: PluginReader, file: str) -> Iterator[Component]:
    del reader
    yield run_file(file, name=file, trigger="open", gate=_DIRENV)


def _wrapper(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe a wrapper that fetches the builder and runs it; where from stands in its properties."""
    del reader
    yield run_file(file, name=file, trigger="command", gate=_CALLED)


def _versions(reader: PluginReader, file: str) -> Iterator[Component]:
    """Take a list of tools and versions: nothing of it runs before somebody installs them."""
    text_of(reader, file)
    reader.parsed.append(file)
    yield from ()


def _make(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe the recipes of a Makefile, and the lines that it gives to a shell while it is read."""
    base = folder_of_file(file)
    for count, (target, number, line) in enumerate(_recipes(text_of(reader, file)), start=1):
        if count > MAX_DECLARED:
            reader.fault(file, f"holds more than {MAX_DECLARED:,} rules: not all were read", line=number)
            return
        yield shell_script(
            reader, file, _as_shell(line), name=target, trigger="command", gate=_CALLED, number=number, base=base
        )


def _as_shell(recipe: str) -> str:
    """Return a recipe as make gives it to a shell, with the names of its variables in place of their values."""
    plain = _NAME.sub(lambda match: "${" + re.sub(r"\W", "_", match[1]) + "}", recipe)
    for _ in range(_MAX_CALLS):
        called = _FUNCTION.sub(r"${\1}", _SHELL_CALL.sub(r"$(\1)", plain))
        if called == plain:
            break
        plain = called
    return plain.replace("$$", "$")


def _recipes(text: str) -> Iterator[tuple[str, int, str]]:
    """Yield target, first line and recipe of each rule, and each `$(shell …)` of a variable."""
    target, at, lines = "", 0, list[str]()
    for number, line in enumerate(text.replace("\\\n\t", " \t").splitlines(), start=1):
        goes_on = bool(lines) and lines[-1].endswith("\\")
        if target and (goes_on or line.startswith("\t")):
            lines.append(line.strip().lstrip("@-+"))
            at = at or number
            continue
        if not line.strip() or line.startswith("#"):
            continue
        if lines:
            yield target, at, "\n".join(lines)
        target, at, lines = "", 0, []
        for call in _SHELL_CALL.findall(line):
            yield "read", number, call
        rule = _RULE.match(line)
        if rule is not None:
            target = rule[1].strip()
            recipe = (rule[2] or "").partition(";")[2].strip()
            if recipe:
                lines, at = [recipe.lstrip("@-+")], number
    if lines:
        yield target, at, "\n".join(lines)


def _just(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe the recipes of a justfile: lines below a name, given to a shell."""
    name, at, lines = "", 0, list[str]()
    text = text_of(reader, file)
    found = list(_just_evaluated(text))
    for number, line in enumerate(text.splitlines(), start=1):
        if line[:1] in (" ", "\t") and name:
            lines.append(line.strip().lstrip("@-"))
            at = at or number
            continue
        if lines:
            found.append((name, at, "\n".join(lines)))
        match = _RECIPE.match(line) if not line.startswith(("#", "[", "set ", "alias ", "export ")) else None
        name, at, lines = (match[1] if match else ""), 0, []
    if lines:
        found.append((name, at, "\n".join(lines)))
    for recipe, number, text in found[:MAX_DECLARED]:
        yield shell_script(
            reader, file, text, name=recipe, trigger="command", gate=_CALLED, number=number, base=folder_of_file(file)
        )


def _just_evaluated(text: str) -> Iterator[tuple[str, int, str]]:
    """Yield the lines that just itself gives to a shell: in values, defaults, conditions and `{{ … }}`."""
    for several in _JUST_BLOCK.finditer(text):
        yield "read", text.count("\n", 0, several.start()) + 1, several[1].strip()
    for number, line in enumerate(text.splitlines(), start=1):
        parts = _JUST_INSIDE.findall(line) if line[:1] in (" ", "\t") else [line]
        for part in parts if not line.lstrip().startswith("#") else ():
            for single in _JUST_LINE.finditer(part):
                yield "read", number, single[1] or single[2] or single[3]


def _taskfile(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe the tasks of a Taskfile, and variables that it fills by running a line while it is read."""
    document = reader.merged_yaml(file)
    if document is None:
        return
    known = "version includes tasks vars env dotenv output silent method run interval set shopt".split()
    reader.expect_keys(document, reader.table(document), frozenset(known))
    base = folder_of_file(file)
    for name, task in reader.table(document, ("tasks",)).items():
        path: Path = ("tasks", name)
        if isinstance(task, (str, list)):
            yield from _lines(reader, document, path, name, base)
        elif isinstance(task, dict):
            for key in ("cmd", "cmds", "preconditions", "status"):
                yield from _lines(reader, document, (*path, key), name, base)
            yield from _filled(reader, document, path, f"{name} ", base)
    yield from _filled(reader, document, (), "", base)
    yield from _included(reader, document)


def _filled(reader: PluginReader, document: Document, path: Path, of: str, base: str) -> Iterator[Component]:
    """Yield the lines that fill variables, of the whole file or of one task."""
    for holder in ("vars", "env"):
        table = lookup(document.value, (*path, holder))
        for name, value in table.items() if isinstance(table, dict) else ():
            if isinstance(value, dict) and isinstance(value.get("sh"), str):
                yield _line(reader, document, (*path, holder, name, "sh"), f"{of}{holder} {name}", base)


def _included(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Yield the tasks that are fetched from elsewhere."""
    for name, value in reader.table(document, ("includes",)).items():
        address = value.get("taskfile") if isinstance(value, dict) else value
        if isinstance(address, str) and "://" in address:
            place = document.locate(("includes", name))
            yield Component(
                kind=ComponentKind.SOURCE,
                name=f"include {name}",
                file=document.file,
                span=place,
                endpoint=address,
                trigger="command",
                gate=_CALLED,
                extra=(("source", compact(address)),),
                places=(("endpoint", place), ("extra.source", place)),
                packages=(build_package(address, "url"),),
            )


def _lines(reader: PluginReader, document: Document, path: Path, name: str, base: str) -> Iterator[Component]:
    """Yield the lines of a task: a text, a list of them, or tables with one."""
    value = lookup(document.value, path)
    if isinstance(value, str):
        yield _line(reader, document, path, name, base)
    for at, item in enumerate(value if isinstance(value, list) else []):
        if isinstance(item, str):
            yield _line(reader, document, (*path, at), f"{name}.{at}", base)
        elif isinstance(item, dict):
            for key in ("cmd", "sh", "defer"):
                if isinstance(item.get(key), str):
                    yield _line(reader, document, (*path, at, key), f"{name}.{at}", base)


def _line(
    reader: PluginReader,
    document: Document,
    path: Path,
    name: str,
    base: str,
    *,
    trigger: str = "command",
    gate: str = _CALLED,
) -> Component:
    return line_component(
        reader, document, path, kind=ComponentKind.SCRIPT, name=name, trigger=trigger, gate=gate, base=base
    )


def _mise(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe what mise runs and sets: tasks by name, hooks and variables when a shell enters the folder."""
    document = reader.toml(file)
    if document is None:
        return
    base = _OWN_FOLDER.sub("", folder_of_file(file))
    yield from setting_components(reader, document, _MISE_ROLES, trigger="open")
    for name, task in reader.table(document, ("tasks",)).items():
        own: Path = ("tasks", name, "run") if isinstance(task, dict) else ("tasks", name)
        yield from _lines(reader, document, own, name, base)
        script = task.get("file") if isinstance(task, dict) else None
        if isinstance(script, str) and reader.is_file(script):
            yield run_file(script, name=name, trigger="command", gate=_CALLED)
    for event, value in reader.table(document, ("hooks",)).items():
        path: Path = ("hooks", event)
        for place in [(*path, "script"), (*path, "run")] if isinstance(value, dict) else [path]:
            for component in _lines(reader, document, place, f"hook {event}", base):
                yield _hooked(component)
    yield from _variables(reader, document)
    yield from _fetched(document, reader)


def _fetched(document: Document, reader: PluginReader) -> Iterator[Component]:
    """Describe where mise takes its plugins and tools from instead of its own list: scripts that it runs for them."""
    for table in ("plugins", "alias", "tool_alias", "tools"):
        for name, value in reader.table(document, (table,)).items():
            source = name if table == "tools" else value
            if not isinstance(source, str) or ("://" not in source and not _OTHERS_PLUGIN.match(source)):
                continue
            place = document.locate((table, name))
            yield Component(
                kind=ComponentKind.SOURCE,
                name=f"{table} {name}",
                file=document.file,
                span=place,
                endpoint=_BACKEND.sub("", source) if "://" in source else None,
                trigger="install",
                gate=_MISE,
                extra=(("source", compact(source)),),
                places=(("endpoint", place), ("extra.source", place)),
                packages=(build_package(source, "url" if "://" in source else ""),),
            )


def _hooked(component: Component) -> Component:
    return component._replace(trigger="open", gate=_MISE)


def _variables(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe the variables that mise sets, and the files that it takes them from."""
    table = reader.table(document, ("env",))
    if not table:
        return
    sources, literals = environment(reader, document, ("env",)) if not _has_tables(table) else ((), ())
    yield Component(
        kind=ComponentKind.SETTING,
        name="env",
        file=document.file,
        span=document.locate(("env",)),
        trigger="open",
        gate=_MISE,
        environment=sources,
        literals=literals,
        extra=(("env", compact(table)),) if _has_tables(table) else (),
        places=tuple((f"env.{name}", document.locate(("env", name))) for name in table),
    )
    script = lookup(table, ("_", "source"))
    for place in [script] if isinstance(script, str) else script if isinstance(script, list) else []:
        if isinstance(place, str) and reader.is_file(place.removeprefix("./")):
            yield run_file(place.removeprefix("./"), name=f"source {place}", trigger="open", gate=_MISE)


def _has_tables(table: dict[str, object]) -> bool:
    return any(isinstance(value, (dict, list)) for value in table.values())


def _cargo(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe what a build of a Rust package runs: its build script, and packages that come from no registry."""
    document = reader.toml(file)
    if document is None:
        return
    base = folder_of_file(file)
    script = lookup(document.value, ("package", "build"))
    name = script if isinstance(script, str) else "build.rs"
    local = f"{base}/{name}" if base else name
    if script is not False and reader.is_file(local):
        yield run_file(local, name=f"build script {name}", trigger="install", gate="a build")
    for path in (("dependencies",), ("build-dependencies",), ("workspace", "dependencies")):
        for dependency, spec in reader.table(document, path).items():
            url = spec.get("git") if isinstance(spec, dict) else None
            if isinstance(url, str):
                yield Component(
                    kind=ComponentKind.SOURCE,
                    name=dependency,
                    file=file,
                    span=document.locate((*path, dependency)),
                    endpoint=url,
                    trigger="install",
                    gate="a build",
                    extra=(("source", compact(spec)),),
                )


READERS: Final[dict[str, Reader]] = {
    "tasks.cargo": _cargo,
    "tasks.envrc": _envrc,
    "tasks.make": _make,
    "tasks.just": _just,
    "tasks.taskfile": _taskfile,
    "tasks.mise": _mise,
    "tasks.versions": _versions,
    "tasks.wrapper": _wrapper,
}
