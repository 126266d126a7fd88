"""Claude Code: a directory with `.claude-plugin/plugin.json`.

Skills, commands, agents, hooks and MCP servers stand at their usual places or where the manifest says.
"""

from __future__ import annotations

from collections.abc import Iterable

from plugseal.model.plugin import Plugin
from plugseal.systems.client_bundle import bundle, keeps_bundle
from plugseal.systems.reading import PluginReader
from plugseal.systems.system import Listing
from plugseal.systems.units import folders_with

_MANIFEST = ".claude-plugin/plugin.json"
_SERVERS = ".mcp.json"


class ClaudeCode:
    """Plugins of Claude Code."""

    name = "claude-code"

    def keeps(self, path: str) -> bool:
        """Keep manifests, hooks, MCP configurations and Markdown components."""
        return keeps_bundle(path, _MANIFEST, _SERVERS)

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every plugin."""
        for root in folders_with(listing, _MANIFEST):
            yield bundle(self.name, PluginReader(listing, root), manifest=_MANIFEST, server_file=_SERVERS)
