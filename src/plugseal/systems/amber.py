"""amber: a directory with `manifest.json` and an executable that speaks JSON lines.

`manifest.json` is a common name, so elsewhere it is amber's only if it speaks of amber's protocol.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from plugseal.limits import MAX_DECLARED
from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.launch import inner
from plugseal.systems.reading import Document, PluginReader, compact, extras, lookup
from plugseal.systems.system import Listing
from plugseal.systems.units import folder_of, folders_with, make_plugin

_MANIFEST = "manifest.json"
_HOME = re.compile(r"(?:\A|/)\.amber/plugins/[^/]+\Z")
_FIELDS = frozenset({"id", "version", "main", "tools", "description"})


class Amber:
    """amber's external plugins."""

    name = "amber"

    def keeps(self, path: str) -> bool:
        """Keep every `manifest.json`."""
        return path.rpartition("/")[2] == _MANIFEST

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every amber plugin."""
        for root in folders_with(listing, _MANIFEST):
            reader = PluginReader(listing, root)
            document = reader.json(_MANIFEST)
            if _HOME.search(root) or _is_amber(reader, document):
                yield _describe(reader, document)
        for root in listing.children:
            if _HOME.search(root) and _MANIFEST not in listing.children[root]:
                reader = PluginReader(listing, root)
                reader.fault(_MANIFEST, "is missing")
                yield _describe(reader, None)


def _is_amber(reader: PluginReader, document: Document | None) -> bool:
    if document is None:
        real = reader.real(_MANIFEST)
        data = reader.listing.kept.get(real or "", b"")
        return b'"protocol_version"' in data or (b'"main"' in data and b'"tools"' in data)
    table = document.value if isinstance(document.value, dict) else {}
    own = "id" in table and "main" in table and "manifest_version" not in table and "server" not in table
    return "protocol_version" in table or (own and ("tools" in table or "version" in table))


def _describe(reader: PluginReader, document: Document | None) -> Plugin:
    if document is None:
        return make_plugin("amber", reader, manifest=_MANIFEST, name=folder_of(reader))
    main = reader.text(document, ("main",), required=True)
    name = reader.text(document, ("id",), required=True) or folder_of(reader)
    if lookup(document.value, ("protocol_version",)) is None:
        reader.fault_at(document, ("protocol_version",), "is missing")
    components = [*_executable(reader, document, main), *_tools(reader, document, name)]
    return make_plugin(
        "amber",
        reader,
        manifest=_MANIFEST,
        name=name,
        version=reader.text(document, ("version",), required=True),
        description=reader.text(document, ("description",)),
        components=components,
        extra=extras(reader.table(document), _FIELDS),
    )


def _executable(reader: PluginReader, document: Document, main: str) -> Iterable[Component]:
    if not main:
        return
    entry = inner(main)
    if entry is None or reader.real(entry) is None:
        reader.fault_at(document, ("main",), "names nothing inside the plugin")
    elif not reader.executable(entry):
        reader.fault_at(document, ("main",), "names a file that is not executable")
    yield Component(
        kind=ComponentKind.EXECUTABLE,
        name="main",
        file=_MANIFEST,
        span=document.locate_value(("main",)),
        transport="stdio",
        command=(main,),
        trigger="tool",
        entry=entry if entry and reader.is_file(entry) else None,
    )


def _tools(reader: PluginReader, document: Document, plugin: str) -> Iterable[Component]:
    yield from tool_components(reader, document, ("tools",), prefix=f"plugin_{plugin}_")


def tool_components(
    reader: PluginReader, document: Document, path: tuple[str | int, ...], *, prefix: str = ""
) -> Iterable[Component]:
    """Describe the tools that a manifest declares: descriptions and schemas in full, since a model reads them."""
    tools = lookup(document.value, path)
    if tools is None:
        return
    if not isinstance(tools, list):
        reader.fault_at(document, path, "must be a list")
        return
    if len(tools) > MAX_DECLARED:
        reader.fault_at(document, path, f"declares more than {MAX_DECLARED:,}: none was read")
        return
    for index, tool in enumerate(tools):
        place = (*path, index)
        if not isinstance(tool, dict):
            reader.fault_at(document, place, "must be a table")
            continue
        name = reader.text(document, (*place, "name"), required=True)
        yield Component(
            kind=ComponentKind.TOOL,
            name=prefix + name,
            file=document.file,
            span=document.locate((*place, "name")),
            trigger="tool",
            extra=tuple(sorted((str(key), compact(value)) for key, value in tool.items() if key != "name")),
        )
