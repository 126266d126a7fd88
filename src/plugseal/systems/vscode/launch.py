"""Configurations for the debugger of VS Code: what runs when a user starts one.

Types come from extensions, so the keys that name a program are those that the common ones share; all others are in the
receipt. Nothing here runs before somebody starts it by its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from plugseal.model.plugin import Component, ComponentKind
from plugseal.systems.components.servers import environment
from plugseal.systems.launching.launch import entry_file
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, extras, kind_of, lookup
from plugseal.systems.vscode.tasks import SYSTEMS

_TOP: Final = frozenset({"version", "configurations", "compounds", "inputs", "$schema"})
_GATE: Final = "workspace trust, and the user starts it"
_INTERPRETERS: Final = ("runtimeExecutable", "python", "pythonPath", "debugServerPath", "miDebuggerPath")
_PROGRAMS: Final = ("program", "module", "command", "script", "target")
_ARGUMENTS: Final = ("runtimeArgs", "pythonArgs", "args")


def launch_components(reader: PluginReader, document: Document, path: Path) -> Iterator[Component]:
    """Describe the configurations of a table, and those that it keeps for one operating system."""
    reader.expect_keys(document, reader.table(document, path), _TOP, at=path)
    found = lookup(document.value, (*path, "configurations"))
    for at, table in enumerate(found if isinstance(found, list) else []):
        place = (*path, "configurations", at)
        if not isinstance(table, dict):
            reader.fault_at(document, place, f"must be a table, not {kind_of(table)}")
            continue
        name = str(table.get("name", at))
        yield _configuration(reader, document, place, table, name)
        for system in SYSTEMS:
            if isinstance(table.get(system), dict):
                merged = {**table, **reader.table(document, (*place, system))}
                yield _configuration(reader, document, (*place, system), merged, f"{name}.{system}")


def _configuration(
    reader: PluginReader, document: Document, path: Path, table: Mapping[str, object], name: str
) -> Component:
    words = tuple(_words(table))
    common = Component(
        kind=ComponentKind.SCRIPT,
        name=name,
        file=document.file,
        span=document.locate(path),
        trigger="command",
        gate=_GATE,
        extra=extras(table, frozenset({"name", "env", *SYSTEMS})),
    )
    if not words:
        return common
    cwd = table.get("cwd")
    sources, literals = environment(reader, document, (*path, "env"))
    return common._replace(
        transport="exec",
        command=words,
        cwd=cwd if isinstance(cwd, str) else None,
        environment=sources,
        literals=literals,
        entry=entry_file(words, cwd if isinstance(cwd, str) else None, reader.is_launchable),
    )


def _words(table: Mapping[str, object]) -> Iterator[str]:
    """Yield what a configuration runs: an interpreter where it says one, else its type's, the program, arguments."""
    given = next((key for key in _INTERPRETERS if isinstance(table.get(key), str)), None)
    program = next((key for key in _PROGRAMS if isinstance(table.get(key), str)), None)
    if given is None and program is None:
        return
    if given is not None:
        yield str(table[given])
    elif table.get("type") in ("node", "pwa-node"):
        yield "node"
    elif table.get("type") in ("python", "debugpy"):
        yield "python"
    if program == "module":
        yield "-m"
    for key in _ARGUMENTS[:2]:
        yield from _list(table.get(key))
    if program is not None:
        yield str(table[program])
    yield from _list(table.get("args"))


def _list(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (item if isinstance(item, str) else compact(item) for item in value)
