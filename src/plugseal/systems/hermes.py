"""Hermes: a directory with `plugin.yaml` and a Python package that the host imports into its own process.

`plugin.yaml` is a common name (Helm has it too): it is Hermes' only beside an `__init__.py`.
"""

from __future__ import annotations

from collections.abc import Iterable

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.reading import Document, PluginReader, extras
from plugseal.systems.system import Listing
from plugseal.systems.units import folder_of, folders_with, make_plugin

_MANIFEST = "plugin.yaml"
_MODULE = "__init__.py"


class Hermes:
    """Plugins of Hermes."""

    name = "hermes"

    def keeps(self, path: str) -> bool:
        """Keep every `plugin.yaml`."""
        return path.rpartition("/")[2] == _MANIFEST

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every plugin."""
        for root in folders_with(listing, _MANIFEST):
            reader = PluginReader(listing, root)
            if reader.is_file(_MODULE):
                yield _describe(reader, reader.yaml(_MANIFEST))


def _describe(reader: PluginReader, document: Document | None) -> Plugin:
    module = Component(
        kind=ComponentKind.MODULE,
        name="register",
        file=_MODULE,
        transport="in-process",
        trigger="import",
        entry=_MODULE,
    )
    if document is None:
        return make_plugin("hermes", reader, manifest=_MANIFEST, name=folder_of(reader), components=[module])
    return make_plugin(
        "hermes",
        reader,
        manifest=_MANIFEST,
        name=reader.text(document, ("name",)) or folder_of(reader),
        version=str(reader.table(document).get("version", "")),
        description=reader.text(document, ("description",)),
        components=[module],
        extra=extras(reader.table(document), frozenset({"name", "version", "description"})),
    )
