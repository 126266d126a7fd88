"""Tasks of VS Code: each with its command for every operating system, and when it runs.

`runOptions.runOn: folderOpen` is the trigger `open`, for what the task depends on too; every other one is a command.
Tables named after an operating system replace the command and options of the task they stand in, so each makes a
component of its own; they may hold tasks of their own, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from plugseal.limits import MAX_DECLARED
from plugseal.model.plugin import Component, ComponentKind
from plugseal.systems.components.servers import environment
from plugseal.systems.launching.launch import entry_file, shell_entry
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, extras, kind_of, lookup

SYSTEMS: Final = ("windows", "linux", "osx")
_TOP: Final = frozenset({"version", "tasks", "inputs", "_runner", "runner", "echoCommand", "presentation", "options"})
_TASK: Final = frozenset(
    "label taskName type command args options windows linux osx group presentation problemMatcher runOptions dependsOn "
    "dependsOrder detail icon isBackground hide promptOnClose script path task file suppressTaskName showOutput "
    "isBuildCommand isTestCommand isShellCommand tsconfig option $comment cwd instanceLimit".split()
)
_AUTOMATIC: Final = "workspace trust, and automatic tasks allowed"
_BY_HAND: Final = "workspace trust, and the user starts it"


def task_components(reader: PluginReader, document: Document, path: Path) -> Iterator[Component]:
    """Describe the tasks of a table of version 2.0.0 (or of an older one whose tasks are spelled so)."""
    table = reader.table(document, path)
    reader.expect_keys(document, table, _TOP | {"command", "args", *SYSTEMS}, at=path)
    yield from _inputs(reader, document, (*path, "inputs"))
    places = [place for part in ((), *((name,) for name in SYSTEMS)) for place in _places(reader, document, path, part)]
    tasks = [(place, task) for place in places if isinstance(task := lookup(document.value, place), dict)]
    unasked = _unasked(task for _, task in tasks)
    for place, task in tasks:
        reader.expect_keys(document, task, _TASK, at=place)
        yield from _task(reader, document, place, task, unasked=unasked)


def _places(reader: PluginReader, document: Document, path: Path, part: Path) -> Iterator[Path]:
    """Yield where tasks stand: for every operating system, or in the table of one."""
    above = (*path, *part)
    tasks = lookup(document.value, (*above, "tasks"))
    if tasks is not None and not isinstance(tasks, list):
        reader.fault_at(document, (*above, "tasks"), f"must be a list, not {kind_of(tasks)}")
    for at, task in enumerate(tasks[:MAX_DECLARED] if isinstance(tasks, list) else []):
        if isinstance(task, dict):
            yield (*above, "tasks", at)
        else:
            reader.fault_at(document, (*above, "tasks", at), f"must be a table, not {kind_of(task)}")


def _unasked(tasks: Iterable[Mapping[str, object]]) -> frozenset[str]:
    """Return the names of tasks that run when the folder is opened: those that say so, and what these depend on."""
    needs: dict[str, set[str]] = {}
    waiting: list[str] = []
    for task in tasks:
        name = _name(task)
        needs.setdefault(name, set()).update(_needed(task.get("dependsOn")))
        if _is_automatic(task):
            waiting.append(name)
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += needs.get(name, ())
    return frozenset(found)


def _needed(value: object) -> Iterator[str]:
    for item in value if isinstance(value, list) else [value]:
        named = item.get("task") or item.get("script") if isinstance(item, dict) else item
        if isinstance(named, str):
            yield from (named, named.removeprefix("npm: "))


def _name(task: Mapping[str, object]) -> str:
    return str(task.get("label") or task.get("taskName") or task.get("script") or "")


def _is_automatic(task: Mapping[str, object]) -> bool:
    return lookup(task, ("runOptions", "runOn")) == "folderOpen"


def _task(
    reader: PluginReader, document: Document, path: Path, task: Mapping[str, object], *, unasked: frozenset[str]
) -> Iterator[Component]:
    name = _name(task) or str(path[-1])
    is_automatic = _is_automatic(task) or _name(task) in unasked
    span = document.locate(path)
    common = Component(
        kind=ComponentKind.SCRIPT,
        name=name,
        file=document.file,
        span=span,
        trigger="open" if is_automatic else "command",
        gate=_AUTOMATIC if is_automatic else _BY_HAND,
        extra=extras(task, frozenset({"label", "command", "args", *SYSTEMS})),
    )
    autorun = document.locate((*path, "runOptions", "runOn")) if _is_automatic(task) else span
    found = list(_variants(reader, document, path, task, common))
    for component in found or [common]:
        yield component._replace(places=(("autorun", autorun), *component.places))


def _variants(
    reader: PluginReader, document: Document, path: Path, task: Mapping[str, object], common: Component
) -> Iterator[Component]:
    """Yield the task's own command, then that of each operating system."""
    if task.get("type") == "npm" and isinstance(task.get("script"), str):
        yield common._replace(transport="exec", command=("npm", "run", str(task["script"])))
    for key in ("", *SYSTEMS):
        place = (*path, key) if key else path
        table = reader.table(document, place) if key else task
        if table.get("command") is None:
            continue
        merged = {**task, **table}
        name = f"{common.name}.{key}" if key else common.name
        yield _launch(reader, document, place, merged, common._replace(name=name))


def _launch(
    reader: PluginReader, document: Document, path: Path, table: Mapping[str, object], common: Component
) -> Component:
    """Return a task with its command: a line where a shell is given it, else program and arguments."""
    words = [_word(table.get("command")), *(_word(item) for item in _list(table.get("args")))]
    shell = table.get("type", "shell") in ("shell", None)
    options = table.get("options")
    cwd = options.get("cwd") if isinstance(options, dict) else None
    above = path if lookup(document.value, (*path, "options")) is not None else path[:-1]
    sources, literals = environment(reader, document, (*above, "options", "env"))
    line = " ".join(words)
    folder = cwd if isinstance(cwd, str) else None
    return common._replace(
        span=document.locate((*path, "command")),
        transport="exec",
        command=(line,) if shell else tuple(words),
        shell=shell,  # nosec B604  # a fact about the plugin, nothing is started
        cwd=folder,
        environment=sources,
        literals=literals,
        entry=shell_entry(line, reader.is_launchable) if shell else entry_file(words, folder, reader.is_launchable),
        places=(("command.0", document.locate_value((*path, "command"))),),
    )


def _word(value: object) -> str:
    """Return a word of a command, which may stand in a table that says how to quote it."""
    if isinstance(value, dict):
        value = value.get("value")
    if isinstance(value, list):
        return " ".join(str(part) for part in value)
    return value if isinstance(value, str) else compact(value)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _inputs(reader: PluginReader, document: Document, path: Path) -> Iterator[Component]:
    """Describe inputs that run a command of an extension to find their value."""
    for at, item in enumerate(_list(lookup(document.value, path))):
        if isinstance(item, dict) and item.get("type") == "command":
            place = (*path, at)
            reader.text(document, (*place, "command"), required=True)
            yield Component(
                kind=ComponentKind.SETTING,
                name=f"input {item.get('id', at)}",
                file=document.file,
                span=document.locate(place),
                trigger="command",
                gate=_BY_HAND,
                extra=extras(item, frozenset({"id"})),
            )
