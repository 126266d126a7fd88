"""What only Copilot has: language servers in `lsp.json`, agents that bring servers of their own, and extensions.

See: https://github.com/github/copilot-sdk/blob/main/nodejs/docs/extensions.md
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.model.plugin import Component, ComponentKind
from plugseal.systems.components.language_servers import language_server
from plugseal.systems.components.parts import line_component
from plugseal.systems.components.servers import (
    server_components,
)
from plugseal.systems.reading.reader import Document, Path, PluginReader, kind_of, lookup

_SERVER: Final = frozenset(
    "command args env cwd fileExtensions rootUri initializationOptions requestTimeoutMs disabled description "
    "extensionToLanguage settings bash powershell".split()
)
_LINES: Final = ("bash", "powershell")
_EXTENSION: Final = ("extension.mjs", "extension.cjs")


def language_servers_in(reader: PluginReader, document: Document, path: Path) -> Iterator[Component]:
    """Describe the language servers of a table by name, or of a table `lspServers` in it."""
    if isinstance(lookup(document.value, (*path, "lspServers")), dict):
        path = (*path, "lspServers")
    for name, spec in reader.declared(document, path).items():
        place = (*path, name)
        if not isinstance(spec, dict):
            reader.fault_at(document, place, f"must be a table, not {kind_of(spec)}")
            continue
        reader.expect_keys(document, spec, _SERVER, at=place)
        for key in _LINES:
            if reader.text(document, (*place, key)):
                yield line_component(
                    reader,
                    document,
                    (*place, key),
                    kind=ComponentKind.LANGUAGE_SERVER,
                    name=f"{name}.{key}",
                    trigger="open",
                )
        server = language_server(reader, document, place, spec)
        if server.command or not any(spec.get(key) for key in _LINES):
            yield server


def language_server_files(reader: PluginReader, files: Iterable[str]) -> Iterator[Component]:
    """Describe the language servers of files, each once."""
    for file in dict.fromkeys(files):
        document = reader.json(file, comments=True) if reader.exists(file) else None
        if document is not None:
            yield from language_servers_in(reader, document, ())


def extensions_in(reader: PluginReader, folder: str) -> Iterator[Component]:
    """Describe the extensions of a folder: programs that Copilot starts with every session, each in a folder below."""
    for name in reader.names(folder):
        for file in (f"{folder}/{name}/{entry}" for entry in _EXTENSION):
            if reader.is_file(file):
                yield Component(
                    kind=ComponentKind.SCRIPT,
                    name=name,
                    file=file,
                    transport="exec",
                    command=("node", file),
                    trigger="start",
                    entry=file,
                )


def agent_servers(reader: PluginReader, files: Iterable[str]) -> Iterator[Component]:
    """Describe the servers that agents declare under `mcp-servers` in their front matter."""
    for file in files:
        document = reader.front_matter(file)
        if document is not None and isinstance(lookup(document.value, ("mcp-servers",)), dict):
            yield from server_components(reader, document, ("mcp-servers",))
