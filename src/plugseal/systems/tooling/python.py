"""Files of Python's tools: what building, installing and testing run, and what an interpreter runs at its start.

`pip install .` imports the build backend, from the folder itself where `backend-path` says so; pytest imports every
`conftest.py` and what its settings name; an interpreter that has a folder on its path runs the `.pth` lines that begin
with `import`, and `sitecustomize`.

See: https://packaging.python.org/en/latest/specifications/pyproject-toml/
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from plugseal.model.location import Span
from plugseal.model.plugin import Component, ComponentKind
from plugseal.patterns import lazy
from plugseal.systems.components.parts import line_component
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, extras, lookup
from plugseal.systems.tooling.embedded import LEGACY_TOX, project_tools
from plugseal.systems.tooling.parts import Entry, entries_in, folder_of_file, registry_setting, run_file, text_of
from plugseal.systems.tooling.python_sources import cfg_sources, project_sources

if TYPE_CHECKING:
    from plugseal.systems.tooling.parts import Reader

_BUILD_GATE: Final = "pip install, or a build"
_TEST_GATE: Final = "a test run"
_COMMAND_GATE: Final = "the user calls it"
_START_GATE: Final = "none: every interpreter with the folder on its path"
_TOP: Final = frozenset({"build-system", "project", "tool", "dependency-groups"})
_TOOLS: Final = frozenset(
    "black ruff isort mypy pyright basedpyright coverage pylint flake8 bandit autopep8 yapf pydocstyle docformatter "
    "pytest poetry setuptools setuptools_scm setuptools-scm hatch pdm flit uv rye poe taskipy tox commitizen "
    "semantic_release bumpversion bumpver towncrier interrogate vulture codespell typos deptry maturin scikit-build "
    "cibuildwheel mutmut djlint ty pyrefly pycln refurb fixit pytype check-manifest versioningit uv-dynamic-versioning "
    "poetry-dynamic-versioning hatch-vcs distutils nbqa jupytext cython cibw tomlsort pixi dagster dlt sqlfluff "
    "marimo pyupgrade ruff-lsp pylsp importlinter import-linter fawltydeps creosote uvicorn briefcase setuptools-git "
    "whey mkdocs mike doc8 black-nb flakeheaven pyproject-fmt pyproject-parser ssort snakefmt djhtml fastmcp "
    "dxt mcpb".split()
)
"""Tools whose settings run nothing by themselves; those that builds and tests obey and those of `embedded` are told."""
_TASKS: Final[tuple[Path, ...]] = (
    ("tool", "poe", "tasks"),
    ("tool", "taskipy", "tasks"),
    ("tool", "pdm", "scripts"),
    ("tool", "rye", "scripts"),
    ("tool", "hatch", "scripts"),
)
_BUILD_CODE: Final[tuple[tuple[Path, str], ...]] = (
    (("tool", "hatch", "build", "hooks", "custom", "path"), "hatch build hook"),
    (("tool", "hatch", "metadata", "hooks", "custom", "path"), "hatch metadata hook"),
    (("tool", "hatch", "version", "path"), "hatch version"),
    (("tool", "poetry", "build", "script"), "poetry build script"),
    (("tool", "poetry", "build"), "poetry build script"),
    (("tool", "pdm", "build", "custom-hook"), "pdm build hook"),
    (("tool", "pdm", "version", "getter"), "pdm version"),
)
"""Settings that name code which a build runs."""
_INDEXES: Final[tuple[Path, ...]] = (("tool", "uv", "index"), ("tool", "poetry", "source"), ("tool", "pdm", "source"))
_INDEX_KEYS: Final[tuple[Path, ...]] = (("tool", "uv", "index-url"), ("tool", "uv", "default-index"))
_BUILDS: Final = lazy(r"\b(?:setuptools|distutils|setup[ \t]*\(|pkg_resources|skbuild|numpy\.distutils)")
_PYTEST: Final = frozenset(("pytest", "tool:pytest"))
_PLUGIN: Final = lazy(r"(?<![\w-])-p[\s=]{0,9}(?!no:)([\w.]+)")


def _project(reader: PluginReader, file: str) -> Iterator[Component]:
    document = reader.toml(file)
    if document is None:
        return
    reader.expect_keys(document, reader.table(document), _TOP)
    reader.expect_keys(document, reader.table(document, ("tool",)), _TOOLS, at=("tool",))
    base = folder_of_file(file)
    yield from _backend(reader, document, base)
    yield from _build_code(reader, document, base)
    for name, target in reader.table(document, ("project", "entry-points", "pytest11")).items():
        span = document.locate(("project", "entry-points", "pytest11", name))
        yield _test_plugin(reader, file, str(target), span)
    options = lookup(document.value, ("tool", "pytest", "ini_options", "addopts"))
    words = _joined(options)
    paths = _joined(lookup(document.value, ("tool", "pytest", "ini_options", "pythonpath"))).split()
    for module in _PLUGIN.findall(words):
        yield _test_plugin(reader, file, module, document.locate(("tool", "pytest", "ini_options", "addopts")), paths)
    for path in _TASKS:
        yield from _tasks(reader, document, path, base)
    for name in reader.table(document, ("tool", "hatch", "envs")):
        yield from _tasks(reader, document, ("tool", "hatch", "envs", name, "scripts"), base)
    yield from project_tools(reader, document)
    text = lookup(document.value, LEGACY_TOX)
    if isinstance(text, str):
        before = document.locate_value(LEGACY_TOX).line - 1
        yield from _sections(reader, file, [one._replace(line=one.line + before) for one in entries_in(text)])
    yield from _indexes(reader, document)
    yield from project_sources(reader, document)


def _joined(value: object) -> str:
    """Return a list of words, or one text of them, as a text."""
    return " ".join(map(str, value)) if isinstance(value, list) else value if isinstance(value, str) else ""


def _backend(reader: PluginReader, document: Document, base: str) -> Iterator[Component]:
    """Describe what a build imports first, and what it fetches for it."""
    table = reader.table(document, ("build-system",))
    if not table:
        return
    backend = reader.text(document, ("build-system", "build-backend")) or "setuptools.build_meta:__legacy__"
    entry = None
    for folder in reader.texts(document, ("build-system", "backend-path")):
        stem = "/".join(
            part for part in (base, folder.strip("./"), backend.partition(":")[0].replace(".", "/")) if part
        )
        entry = entry or next((path for path in (f"{stem}.py", f"{stem}/__init__.py") if reader.is_file(path)), None)
    yield Component(
        kind=ComponentKind.SCRIPT,
        name=f"build backend {backend}" if not base else f"{base}: build backend {backend}",
        file=document.file,
        span=document.locate(("build-system", "build-backend")),
        transport="in-process",
        trigger="install",
        gate=_BUILD_GATE,
        entry=entry,
        extra=extras(table, frozenset({"build-backend"})),
    )


def _build_code(reader: PluginReader, document: Document, base: str) -> Iterator[Component]:
    for path, name in _BUILD_CODE:
        value = lookup(document.value, path)
        if isinstance(value, str):
            local = f"{base}/{value}" if base else value
            local = local.partition(":")[0]
            yield Component(
                kind=ComponentKind.SCRIPT,
                name=f"{name} {value}",
                file=document.file,
                span=document.locate(path),
                transport="in-process",
                trigger="install",
                gate=_BUILD_GATE,
                entry=local if reader.is_file(local) else None,
            )
    for kind in ("build", "metadata"):
        hook = lookup(document.value, ("tool", "hatch", kind, "hooks", "custom"))
        if isinstance(hook, dict) and "path" not in hook:
            local = f"{base}/hatch_build.py" if base else "hatch_build.py"
            if reader.is_file(local):
                yield run_file(local, name=f"hatch {kind} hook", trigger="install", gate=_BUILD_GATE)


def _setting(document: Document, path: Path, name: str, trigger: str) -> Component:
    return Component(
        kind=ComponentKind.SETTING,
        name=name,
        file=document.file,
        span=document.locate(path),
        trigger=trigger,
        gate=_TEST_GATE,
        extra=(("value", compact(lookup(document.value, path))),),
    )


def _tasks(reader: PluginReader, document: Document, path: Path, base: str) -> Iterator[Component]:
    """Describe tasks that somebody calls by name: a line, or a table with one."""
    for name, task in reader.table(document, path).items():
        for place in ((*path, name), (*path, name, "cmd"), (*path, name, "shell"), (*path, name, "command")):
            if isinstance(lookup(document.value, place), str):
                yield line_component(
                    reader,
                    document,
                    place,
                    kind=ComponentKind.SCRIPT,
                    name=f"{base}: {name}" if base else name,
                    trigger="command",
                    gate=_COMMAND_GATE,
                    base=base,
                )
        for at, line in enumerate(task if isinstance(task, list) else []):
            if isinstance(line, str):
                yield line_component(
                    reader,
                    document,
                    (*path, name, at),
                    kind=ComponentKind.SCRIPT,
                    name=f"{name}.{at}",
                    trigger="command",
                    gate=_COMMAND_GATE,
                    base=base,
                )


def _indexes(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe registries that packages come from instead of the usual one."""
    places = [path for path in _INDEX_KEYS if lookup(document.value, path) is not None]
    for path in _INDEXES:
        listed = lookup(document.value, path)
        places += [(*path, at, "url") for at in range(len(listed) if isinstance(listed, list) else 0)]
    for place in places:
        url = lookup(document.value, place)
        if isinstance(url, str):
            setting = Component(
                kind=ComponentKind.SETTING,
                name=".".join(str(step) for step in place[1:3]),
                file=document.file,
                span=document.locate(place),
                trigger="install",
                places=(("endpoint", document.locate_value(place)),),
            )
            yield registry_setting(setting, url)
    del reader


def _setup(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe what an install runs; a module that has the name within a package is run by none."""
    base = folder_of_file(file)
    is_module = bool(reader.path(base)) and reader.exists(f"{base}/__init__.py" if base else "__init__.py")
    if is_module and not _BUILDS.search(text_of(reader, file)):
        return
    yield run_file(file, name=file, trigger="install", gate=_BUILD_GATE)


def _cfg(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe a file of settings in sections."""
    yield from _sections(reader, file, list(entries_in(text_of(reader, file))))
    reader.parsed.append(file)


def _sections(reader: PluginReader, file: str, entries: list[Entry]) -> Iterator[Component]:
    """Describe what settings in sections have builds and tests run."""
    for entry in entries:
        span = Span(entry.line, 1, entry.line, 1)
        if entry.section in _PYTEST and entry.key == "addopts":
            paths = [
                part
                for one in entries
                if one.section in _PYTEST and one.key == "pythonpath"
                for part in one.value.split()
            ]
            for module in _PLUGIN.findall(entry.value):
                yield _test_plugin(reader, file, module, span, paths)
        elif entry.section.startswith("testenv") and entry.key in ("commands", "commands_pre", "commands_post"):
            for number, line in enumerate(part for part in entry.value.split("\n") if part.strip()):
                yield _tox_line(file, entry.section, line, number, span)
        elif entry.section.startswith("options"):
            yield from cfg_sources(file, entry)
        elif entry.key == "init-hook":
            yield _hook_of_pylint(file, entry.value, span)
        elif entry.section == "easy_install" and entry.key in ("index_url", "find_links"):
            setting = Component(
                kind=ComponentKind.SETTING, name=f"easy_install.{entry.key}", file=file, span=span, trigger="install"
            )
            yield registry_setting(setting, entry.value)


def _test_plugin(reader: PluginReader, file: str, target: str, span: Span, paths: Iterable[str] = ()) -> Component:
    """Return a module that pytest imports before it looks for tests.

    Args:
        reader: knows which files are there.
        file: the settings.
        target: the module.
        span: where it is named.
        paths: folders that the settings add to those of modules (`pythonpath`).
    """
    base, module = folder_of_file(file), "/".join(target.partition(":")[0].strip().split("."))
    stems = ["/".join(part for part in (base, path.strip("./"), module) if part) for path in ("", "src", *paths)]
    places = (f"{stem}{end}" for stem in stems for end in (".py", "/__init__.py"))
    entry = next((place for place in places if reader.is_file(place)), None)
    return Component(
        kind=ComponentKind.SETTING,
        name=f"pytest plugin {target}",
        file=file,
        span=span,
        trigger="import",
        gate=_TEST_GATE,
        entry=entry,
        places=(("autorun", span),) if entry is not None else (),
    )


def _hook_of_pylint(file: str, code: str, span: Span) -> Component:
    """Return the code that pylint runs before it looks at anything."""
    return Component(
        kind=ComponentKind.SCRIPT,
        name="pylint init-hook",
        file=file,
        span=span,
        transport="exec",
        command=("python", "-c", code.strip("\"'")),
        trigger="command",
        gate="a run of pylint",
    )


def _tox_line(file: str, section: str, line: str, number: int, span: Span) -> Component:
    try:
        words = tuple(shlex.split(line.removeprefix("-").strip()))
    except ValueError:
        words = (line,)
    return Component(
        kind=ComponentKind.SCRIPT,
        name=f"{section}.{number}",
        file=file,
        span=span,
        transport="exec",
        command=words,
        trigger="command",
        gate=_COMMAND_GATE,
    )


def _conftest(reader: PluginReader, file: str) -> Iterator[Component]:
    del reader
    yield run_file(file, name=file, trigger="import", gate=_TEST_GATE, transport="in-process")


def _start(reader: PluginReader, file: str) -> Iterator[Component]:
    del reader
    yield run_file(file, name=file, trigger="import", gate=_START_GATE, transport="in-process")


def _pth(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe the lines of a `.pth` that an interpreter runs: those that begin with `import`; others are paths."""
    for number, line in enumerate(text_of(reader, file).splitlines(), start=1):
        if line.startswith(("import ", "import\t")):
            yield Component(
                kind=ComponentKind.SCRIPT,
                name=f"{file} line {number}",
                file=file,
                span=Span(number, 1, number, len(line) + 1),
                transport="exec",
                command=("python", "-c", line),
                trigger="import",
                gate=_START_GATE,
            )
    reader.parsed.append(file)


READERS: Final[dict[str, Reader]] = {
    "python.project": _project,
    "python.setup": _setup,
    "python.cfg": _cfg,
    "python.conftest": _conftest,
    "python.start": _start,
    "python.pth": _pth,
}
