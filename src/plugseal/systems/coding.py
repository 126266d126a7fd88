"""Coding: a directory with `coding-plugin.json` that names the process behind the Go contract.

The tools that it would tell at run time may stand there too.
"""

from __future__ import annotations

from collections.abc import Iterable

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.amber import tool_components
from plugseal.systems.launch import entry_file
from plugseal.systems.reading import Document, PluginReader, extras
from plugseal.systems.servers import argument_vector, environment, launch_places
from plugseal.systems.system import Listing
from plugseal.systems.units import folder_of, folders_with, make_plugin

_MANIFEST = "coding-plugin.json"
_FIELDS = frozenset({"id", "name", "version", "command", "args", "cwd", "env", "tools", "description"})


class Coding:
    """Plugins of Coding's supervisor."""

    name = "coding"

    def keeps(self, path: str) -> bool:
        """Keep every `coding-plugin.json`."""
        return path.rpartition("/")[2] == _MANIFEST

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every Coding plugin."""
        for root in folders_with(listing, _MANIFEST):
            reader = PluginReader(listing, root)
            yield _describe(reader, reader.json(_MANIFEST))


def _describe(reader: PluginReader, document: Document | None) -> Plugin:
    if document is None:
        return make_plugin("coding", reader, manifest=_MANIFEST, name=folder_of(reader))
    table = reader.table(document)
    name = reader.text(document, ("id",), required=True).strip() or folder_of(reader)
    argv = argument_vector(reader, document, (), table)
    if not argv:
        reader.fault_at(document, ("command",), "is missing")
    sources, literals = environment(reader, document, ("env",))
    cwd = reader.text(document, ("cwd",)) or None
    process = Component(
        kind=ComponentKind.EXECUTABLE,
        name="process",
        file=_MANIFEST,
        span=document.locate(("command",)),
        transport="stdio",
        command=argv,
        cwd=cwd,
        environment=sources,
        literals=literals,
        trigger="start",
        entry=entry_file(argv, cwd, reader.is_file),
        places=launch_places(document, (), table),
    )
    title = reader.text(document, ("name",)).strip()
    return make_plugin(
        "coding",
        reader,
        manifest=_MANIFEST,
        name=name,
        version=reader.text(document, ("version",), required=True).strip(),
        description=reader.text(document, ("description",)),
        components=[*([process] if argv else []), *tool_components(reader, document, ("tools",))],
        extra=[*extras(table, _FIELDS), *([("name", title)] if title else [])],
    )
