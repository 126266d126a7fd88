"""GitHub Copilot: plugins by the first manifest found, marketplaces, and what it reads in a repository's `.github`.

In one folder it takes `.plugin/plugin.json`, then `plugin.json`, then `.github/plugin/plugin.json`, then
`.copilot-plugin/plugin.json`, which is Copilot's in VS Code. A portable manifest of the Agent Plugins form is that
system's, and one of Claude Code's is described there.

See: https://docs.github.com/en/copilot/reference/cli-plugin-reference
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.model.plugin import Plugin
from plugseal.systems.reading.reader import PluginReader
from plugseal.systems.reading.units import ONLY_SHOWN, folders_with, has_parts_of_clients
from plugseal.systems.system import Listing

MANIFESTS: Final = (".plugin/plugin.json", "plugin.json", ".github/plugin/plugin.json", ".copilot-plugin/plugin.json")
"""In the order in which Copilot looks for them."""
_MARKETPLACES: Final = (".github/plugin/marketplace.json", ".plugin/marketplace.json")
_KEYS: Final = frozenset({"agents", "skills", "commands", "hooks", "mcpServers", "lspServers"})
_OF_CLAUDE: Final = ".claude-plugin/marketplace.json"
_OTHER_HOMES: Final = (".claude-plugin", ".codex-plugin", ".cursor-plugin", ".devin-plugin", ".kimi-plugin")
_SITE: Final = b"agent-plugins.org"
_FOLDER: Final = ".github"
_READ: Final = frozenset(
    "hooks mcp.json lsp.json copilot agents prompts instructions chatmodes extensions copilot-instructions.md".split()
)
"""What Copilot reads in `.github` besides skills, which are units of their own."""
_KEPT: Final = frozenset(
    {"plugin.json", "marketplace.json", "hooks.json", ".mcp.json", "mcp.json", "lsp.json", ".lsp.json", "SKILL.md"}
)
_PROSE: Final = frozenset({"agents", "commands", "prompts", "instructions", "chatmodes"})


class Copilot:
    """Plugins and repository configuration of Copilot."""

    name = "copilot"

    def keeps(self, path: str) -> bool:
        """Keep manifests, hooks, servers, Markdown components, and what stands in `.github`."""
        *folders, name = path.split("/")
        if name in _KEPT or name == "copilot-instructions.md":
            return True
        if name.endswith(".md"):
            return not _PROSE.isdisjoint(folders)
        return name.endswith(".json") and folders[-1:] in (["hooks"], ["copilot"])

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every plugin, marketplace and configuration."""
        for root, manifest in _roots(listing):
            from plugseal.systems.copilot.plugin import describe_plugin

            yield describe_plugin(PluginReader(listing, root), manifest)
        for file in _MARKETPLACES:
            for root in folders_with(listing, file):
                from plugseal.systems.components.marketplaces import describe_marketplace

                yield describe_marketplace(PluginReader(listing, root), self.name, file, gate="install")
        for root in folders_with(listing, _FOLDER):
            reader = PluginReader(listing, root)
            if reader.is_directory(_FOLDER) and not _READ.isdisjoint(reader.names(_FOLDER)):
                from plugseal.systems.copilot.settings import describe_settings

                yield describe_settings(reader)


def _roots(listing: Listing) -> Iterator[tuple[str, str]]:
    """Yield the folders that hold a plugin, with the manifest that wins there."""
    seen: set[str] = set()
    for manifest in MANIFESTS:
        for root in folders_with(listing, manifest):
            reader = PluginReader(listing, root)
            if root in seen or (manifest == "plugin.json" and not _is_own(reader)):
                continue
            seen.add(root)
            yield root, manifest


def _is_own(reader: PluginReader) -> bool:
    """Say whether a `plugin.json`, which is anybody's name, has the keys of Copilot and not the portable form."""
    folder = reader.root.rpartition("/")[2]
    if folder.startswith(".") or reader.root.endswith(f"{_FOLDER}/plugin"):
        return False
    data = reader.listing.kept.get(reader.real("plugin.json") or "", b"")
    if _SITE in data:
        return False
    document = PluginReader(reader.listing, reader.root).json("plugin.json")
    table = document.value if document is not None else None
    if not isinstance(table, dict) or not isinstance(table.get("name"), str):
        return False
    if not _KEYS.isdisjoint(table):
        return True
    # Nothing but what is shown: a plugin only beside those of other clients, whose parts Copilot finds by itself, or
    # beside parts that only clients have, unless a marketplace of Claude Code's is there to name what is whose.
    if any(reader.exists(f"{home}/plugin.json") for home in _OTHER_HOMES):
        return any(reader.is_directory(part) for part in ("skills", "agents", "commands"))
    if reader.exists("mcp.json") or next(folders_with(reader.listing, _OF_CLAUDE), None) is not None:
        return False
    return table.keys() <= ONLY_SHOWN and reader.is_directory("skills") and has_parts_of_clients(reader)
