"""amber: a directory with `manifest.json` and an executable that speaks JSON lines.

`manifest.json` is a common name, so elsewhere it is amber's only if it speaks of amber's protocol. What amber documents
is the rule (`amber_rules`); what its code does instead is its own verdict (`amber_host`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.patterns import lazy
from plugseal.systems.amber.host import host_verdict, with_rivals
from plugseal.systems.amber.rules import MANIFEST, check_manifest, completion_components
from plugseal.systems.components.tools import tool_components
from plugseal.systems.launching.launch import inner
from plugseal.systems.reading.reader import Document, PluginReader, extras
from plugseal.systems.reading.units import folder_of, folders_with, make_plugin
from plugseal.systems.system import Listing

_HOME = lazy(r"(?:\A|/)(?:\.amber|\.config/amber|share/amber)/plugins/([^/]+)\Z")
_FIELDS = frozenset({"id", "version", "main", "tools", "description"})
_TOOL_KEYS = ("name", "description", "schema")


class Amber:
    """amber's external plugins."""

    name = "amber"

    def keeps(self, path: str) -> bool:
        """Keep every `manifest.json`."""
        return path.rpartition("/")[2] == MANIFEST

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every amber plugin; those that share a folder know of each other's tools."""
        return with_rivals(self._discover(listing))

    def _discover(self, listing: Listing) -> Iterator[Plugin]:
        for root in folders_with(listing, MANIFEST):
            reader = PluginReader(listing, root)
            document = reader.json(MANIFEST)
            home = _HOME.search(listing.placed(root))
            if home or _is_amber(reader, document):
                yield _describe(reader, document, home[1] if home else None)
        for root in listing.children:
            home = _HOME.search(listing.placed(root))
            if home and root and MANIFEST not in listing.children[root]:
                reader = PluginReader(listing, root)
                reader.fault(MANIFEST, "is missing")
                yield _describe(reader, None, home[1])


def _is_amber(reader: PluginReader, document: Document | None) -> bool:
    if document is None:
        real = reader.real(MANIFEST)
        data = reader.listing.kept.get(real or "", b"")
        return b'"protocol_version"' in data or (b'"main"' in data and b'"tools"' in data)
    table = document.value if isinstance(document.value, dict) else {}
    own = "id" in table and "main" in table and "manifest_version" not in table and "server" not in table
    return "protocol_version" in table or (own and ("tools" in table or "version" in table))


def _describe(reader: PluginReader, document: Document | None, folder: str | None) -> Plugin:
    """Describe one plugin.

    Args:
        reader: takes the faults.
        document: its manifest, None where that could not be read.
        folder: its directory's name where amber looks for plugins, None elsewhere.
    """
    if document is None:
        plugin = make_plugin("amber", reader, manifest=MANIFEST, name=folder or folder_of(reader))
        return plugin._replace(hosts=(host_verdict(reader, None, folder),))
    check_manifest(reader, document, folder)
    name = reader.text(document, ("id",)) or folder or folder_of(reader)
    components = [
        *_executable(reader, document),
        *tool_components(reader, document, ("tools",), keys=_TOOL_KEYS, prefix=f"plugin_{name}_"),
        *completion_components(reader, document, name),
    ]
    plugin = make_plugin(
        "amber",
        reader,
        manifest=MANIFEST,
        name=name,
        version=_text(reader, document, "version"),
        description=_text(reader, document, "description"),
        components=components,
        extra=extras(reader.table(document), _FIELDS),
    )
    return plugin._replace(hosts=(host_verdict(reader, document, folder),))


def _text(reader: PluginReader, document: Document, field: str) -> str:
    value = reader.table(document).get(field)
    return value if isinstance(value, str) else ""


def _executable(reader: PluginReader, document: Document) -> Iterator[Component]:
    main = _text(reader, document, "main")
    if not main:
        return
    entry = inner(main)
    yield Component(
        kind=ComponentKind.EXECUTABLE,
        name="main",
        file=MANIFEST,
        span=document.locate_value(("main",)),
        transport="stdio",
        command=(main,),
        trigger="tool",
        entry=entry if entry and reader.is_file(entry) else None,
    )
