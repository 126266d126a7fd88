"""The servers that Claude Code's desktop app starts for its preview: `.claude/launch.json`.

The model starts them by itself to look at what it edited. `runtimeExecutable` is a program; `program` is run by Node.

See: https://code.claude.com/docs/en/desktop#configure-preview-servers
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from plugseal.model.plugin import Component, ComponentKind
from plugseal.systems.claude.surfaces import PREVIEW
from plugseal.systems.components.servers import environment
from plugseal.systems.launching.launch import entry_file
from plugseal.systems.reading.reader import Document, Path, PluginReader, extras, kind_of, lookup

FILE: Final = ".claude/launch.json"
_TOP: Final = frozenset({"$schema", "version", "autoVerify", "configurations"})
_CONFIGURATION: Final = frozenset(
    {"name", "runtimeExecutable", "runtimeArgs", "port", "cwd", "env", "autoPort", "program", "args", "url"}
)
_TAKEN: Final = frozenset({"name", "runtimeExecutable", "runtimeArgs", "program", "args", "cwd", "env"})
_ROOT: Final = "${workspaceFolder}"


def preview_servers(reader: PluginReader) -> Iterator[Component]:
    """Describe the servers of a working folder's `.claude/launch.json`."""
    document = reader.json(FILE, comments=True) if reader.exists(FILE) else None
    if document is None:
        return
    reader.expect_keys(document, reader.table(document), _TOP)
    listed = lookup(document.value, ("configurations",))
    for at, table in enumerate(listed if isinstance(listed, list) else []):
        path: Path = ("configurations", at)
        if isinstance(table, dict):
            reader.expect_keys(document, table, _CONFIGURATION, at=path)
            yield _server(reader, document, path, table)
        else:
            reader.fault_at(document, path, f"must be a table, not {kind_of(table)}")


def _server(reader: PluginReader, document: Document, path: Path, table: Mapping[str, object]) -> Component:
    key, words = _words(reader, document, path)
    if not words:
        reader.fault_at(document, path, "names no program")
    cwd = reader.text(document, (*path, "cwd")).replace(_ROOT, ".") or None
    sources, literals = environment(reader, document, (*path, "env"))
    return Component(
        kind=ComponentKind.SCRIPT,
        name=reader.text(document, (*path, "name"), required=True) or str(path[-1]),
        file=document.file,
        span=document.locate(path),
        transport="exec",
        command=words,
        cwd=cwd,
        environment=sources,
        literals=literals,
        trigger="tool",
        gate=PREVIEW,
        entry=entry_file(words, cwd, reader.is_launchable) if words else None,
        extra=extras(table, _TAKEN),
        places=(
            ("command.0", document.locate_value((*path, key))),
            *((f"env.{name}", document.locate_value((*path, "env", name))) for name, _ in sources),
        ),
    )


def _words(reader: PluginReader, document: Document, path: Path) -> tuple[str, tuple[str, ...]]:
    """Return the key that says what is started, and the words of its command."""
    program = reader.text(document, (*path, "runtimeExecutable"))
    script = reader.text(document, (*path, "program"))
    if script and not program:
        return "program", ("node", script.replace(_ROOT, "."), *reader.texts(document, (*path, "args")))
    words = (program.replace(_ROOT, "."), *reader.texts(document, (*path, "runtimeArgs"))) if program else ()
    return "runtimeExecutable", (*words, script.replace(_ROOT, ".")) if script else words
