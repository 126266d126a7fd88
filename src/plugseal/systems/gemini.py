"""Gemini CLI: a directory with `gemini-extension.json`; MCP servers inside it, hooks and skills beside it."""

from __future__ import annotations

from collections.abc import Iterable

from plugseal.model.plugin import Plugin
from plugseal.systems.client_bundle import bundle, keeps_bundle
from plugseal.systems.reading import PluginReader
from plugseal.systems.system import Listing
from plugseal.systems.units import folders_with

_MANIFEST = "gemini-extension.json"


class Gemini:
    """Extensions of the Gemini CLI."""

    name = "gemini"

    def keeps(self, path: str) -> bool:
        """Keep manifests, hooks, skills and agents."""
        return keeps_bundle(path, _MANIFEST, _MANIFEST)

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every extension."""
        for root in folders_with(listing, _MANIFEST):
            reader = PluginReader(listing, root)
            yield bundle(self.name, reader, manifest=_MANIFEST, server_file="", parts=("agents",))
