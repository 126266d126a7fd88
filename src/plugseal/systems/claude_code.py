"""Claude Code: a directory with `.claude-plugin/plugin.json`.

The client does without the manifest too: `hooks/hooks.json` alone makes a folder a plugin for it.
Skills, commands, agents, hooks and MCP servers stand at their usual places or where the manifest says.
"""

from __future__ import annotations

from collections.abc import Iterable

from plugseal.model.plugin import Plugin
from plugseal.systems.client_bundle import bundle, keeps_bundle
from plugseal.systems.reading import PluginReader, lookup
from plugseal.systems.system import Listing
from plugseal.systems.units import folders_with

_MANIFEST = ".claude-plugin/plugin.json"
_SERVERS = ".mcp.json"
_HOOKS = "hooks/hooks.json"
_OTHERS = (
    _MANIFEST,
    ".codex-plugin/plugin.json",
    ".cursor-plugin/plugin.json",
    "gemini-extension.json",
    "plugin.json",
)
"""Manifests beside which hooks have an owner."""


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
        for root in folders_with(listing, _HOOKS):
            reader = PluginReader(listing, root)
            if not any(reader.exists(manifest) for manifest in _OTHERS) and _has_hooks(PluginReader(listing, root)):
                yield bundle(self.name, reader, manifest=_MANIFEST, server_file=_SERVERS, marker=_HOOKS)


def _has_hooks(reader: PluginReader) -> bool:
    """Say whether a hooks file is one, or is too broken to tell."""
    document = reader.json(_HOOKS)
    return document is None or lookup(document.value, ("hooks",)) is not None
