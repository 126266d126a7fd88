"""Codex: plugins, marketplaces, and the `.codex` of a working folder, each a unit of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.model.plugin import SKILL_FILE, Plugin
from plugseal.systems.reading.reader import PluginReader, lookup
from plugseal.systems.reading.units import folders_with
from plugseal.systems.system import Listing

_PLUGIN: Final = ".codex-plugin/plugin.json"
_PORTABLE: Final = "plugin.json"
_MARKETPLACES: Final = (
    ".agents/plugins/marketplace.json",
    ".codex-plugin/marketplace.json",
    ".agents/plugins/api_marketplace.json",
)
_FOLDER: Final = ".codex"
_KEPT: Final = frozenset({"plugin.json", "hooks.json", ".mcp.json", "mcp.json", ".app.json", SKILL_FILE, "openai.yaml"})


class Codex:
    """Plugins and configuration of Codex."""

    name = "codex"

    def keeps(self, path: str) -> bool:
        """Keep manifests, hooks, servers, Markdown components, and all of `.codex` that is configuration."""
        *folders, name = path.split("/")
        if name in _KEPT or path.endswith(_MARKETPLACES):
            return True
        if _FOLDER in folders:
            return name.endswith((".toml", ".json", ".rules"))
        if name.endswith(".md"):
            return "commands" in folders or "agents" in folders
        return name.endswith(".json") and ("hooks" in folders[-1:] or any(word in name for word in _WORDS))

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every plugin, marketplace and configuration."""
        yield from _plugins(listing)
        for file in _MARKETPLACES:
            for root in folders_with(listing, file):
                from plugseal.systems.components.marketplaces import describe_marketplace

                yield describe_marketplace(PluginReader(listing, root), self.name, file, gate="install")
        for root in folders_with(listing, _FOLDER):
            reader = PluginReader(listing, root)
            if reader.is_directory(_FOLDER) and any(map(_is_read, reader.names(_FOLDER))):
                from plugseal.systems.codex.config import describe_config

                yield describe_config(reader)


_WORDS: Final = ("mcp", "server", "hook", "app")
"""In names of files that a manifest may name: the bytes of others are not at hand."""


def _is_read(name: str) -> bool:
    """Say whether an entry of `.codex` is one that Codex reads as configuration (skills are units of their own)."""
    return name.endswith((".toml", ".json")) or name in ("agents", "environments", "rules")


def _plugins(listing: Listing) -> Iterator[Plugin]:
    roots = dict.fromkeys(folders_with(listing, _PLUGIN))
    roots.update(dict.fromkeys(root for root in folders_with(listing, _PORTABLE) if _is_extended(listing, root)))
    for root in roots:
        from plugseal.systems.codex.plugin import describe_plugin

        yield describe_plugin(PluginReader(listing, root))


def _is_extended(listing: Listing, root: str) -> bool:
    """Say whether a portable manifest has a part for Codex; most have none, and their bytes say so without a parser."""
    reader = PluginReader(listing, root)
    data = listing.kept.get(reader.real(_PORTABLE) or "", b"")
    if b"com.openai" not in data:
        return False
    document = reader.json(_PORTABLE)
    return document is not None and isinstance(lookup(document.value, ("extensions", "com.openai")), dict)
