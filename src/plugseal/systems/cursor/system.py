"""Cursor: plugins (`.cursor-plugin/plugin.json`), marketplaces, and the `.cursor` of a working folder."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from plugseal.model.plugin import Plugin
from plugseal.systems.components.parts import METADATA
from plugseal.systems.reading.reader import PluginReader
from plugseal.systems.reading.units import folders_with
from plugseal.systems.system import Listing

_PLUGIN: Final = ".cursor-plugin/plugin.json"
_MARKETPLACE: Final = ".cursor-plugin/marketplace.json"
_DESCRIPTIONS: Final = ".cursor-plugin/plugins"
_FOLDER: Final = ".cursor"
_RULES: Final = ".cursorrules"
_READ: Final = frozenset(
    "hooks.json mcp.json environment.json cli.json permissions.json worktrees.json sandbox.json rules commands "
    "agents BUGBOT.md".split()
)
"""What Cursor reads in `.cursor` besides skills, which are units of their own."""


class Cursor:
    """Plugins and configuration of Cursor."""

    name = "cursor"

    def keeps(self, path: str) -> bool:
        """Keep manifests, hooks, servers, rules and Markdown components, and the settings of folders."""
        *folders, name = path.split("/")
        if path.endswith((_PLUGIN, _MARKETPLACE)) or name in ("mcp.json", ".mcp.json", "SKILL.md", "BUGBOT.md", _RULES):
            return True
        if folders[-2:] == [".cursor-plugin", "plugins"]:
            return name.endswith(".json")
        if name.endswith((".md", ".mdc")):
            return not {"commands", "agents", "rules"}.isdisjoint(folders)
        if not name.endswith(".json"):
            return False
        return folders[-1:] in ([_FOLDER], ["hooks"]) or any(word in name for word in ("mcp", "server", "hook"))

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every plugin, marketplace and configuration."""
        for root in folders_with(listing, _PLUGIN):
            from plugseal.systems.cursor.plugin import describe_plugin

            yield describe_plugin(PluginReader(listing, root, mends=True))
        for root in folders_with(listing, _MARKETPLACE):
            from plugseal.systems.components.marketplaces import describe_marketplace

            reader = PluginReader(listing, root, mends=True)
            _read_descriptions(reader)
            yield describe_marketplace(reader, self.name, _MARKETPLACE, gate="install")
        roots = [root for root in folders_with(listing, _FOLDER) if _is_read(PluginReader(listing, root))]
        for root in dict.fromkeys([*roots, *folders_with(listing, _RULES)]):
            from plugseal.systems.cursor.settings import describe_settings

            yield describe_settings(PluginReader(listing, root, mends=True))


def _read_descriptions(reader: PluginReader) -> None:
    """Read what a marketplace says of its plugins in files of their own: nothing in them runs."""
    for name in reader.names(_DESCRIPTIONS):
        document = reader.json(f"{_DESCRIPTIONS}/{name}") if name.endswith(".json") else None
        if document is not None:
            reader.expect_keys(document, reader.table(document), METADATA)


def _is_read(reader: PluginReader) -> bool:
    return reader.is_directory(_FOLDER) and not _READ.isdisjoint(reader.names(_FOLDER))
