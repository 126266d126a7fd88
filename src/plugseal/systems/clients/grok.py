"""Grok Build: plugins (`.grok-plugin/plugin.json`), marketplaces, and the `.grok` of a folder; Muse beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.components.folders import FolderClient, Layout
from plugseal.systems.components.marketplaces import describe_marketplace
from plugseal.systems.components.parts import (
    HOOKS_FILE,
    METADATA,
    client_plugin,
    gated,
    hook_files,
    hooks_in,
    inline_tables,
    named_paths,
    prose_at,
    server_files,
    servers_in,
    skills_at,
)
from plugseal.systems.reading.reader import Document, PluginReader
from plugseal.systems.reading.units import folders_with
from plugseal.systems.system import Listing, System

_MANIFEST: Final = ".grok-plugin/plugin.json"
_MARKETPLACE: Final = ".grok-plugin/marketplace.json"
_UNDERSTOOD: Final = METADATA | {"skills", "commands", "agents", "hooks", "mcpServers"}
_LAYOUT: Final = Layout(
    folder=".grok",
    hooks=("hooks", "hooks.json"),
    servers=("mcp.json", ".mcp.json"),
    instructions=("rules",),
    commands=("commands",),
    agents=("agents",),
    gate="folder trust",
)


class Grok:
    """Plugins and configuration of Grok Build."""

    name = "grok"

    def __init__(self) -> None:
        """Take the layout of the folder."""
        self._folders = FolderClient(self.name, _LAYOUT)

    def keeps(self, path: str) -> bool:
        """Keep manifests, hooks, servers and Markdown components, and what stands in `.grok`."""
        *folders, name = path.split("/")
        if path.endswith((_MANIFEST, _MARKETPLACE)) or name in (".mcp.json", "SKILL.md", "hooks.json"):
            return True
        return (name.endswith(".md") and not {"commands", "agents"}.isdisjoint(folders)) or self._folders.keeps(path)

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every plugin, marketplace and configuration."""
        for root in folders_with(listing, _MANIFEST):
            yield _plugin(PluginReader(listing, root))
        for root in folders_with(listing, _MARKETPLACE):
            yield describe_marketplace(PluginReader(listing, root), self.name, _MARKETPLACE, gate="install")
        yield from self._folders.discover(listing)


def muse() -> System:
    """Return the system of `.muse`."""
    layout = Layout(folder=".muse", hooks=("hooks.json",), servers=("mcp.json",), gate="folder trust")
    return FolderClient("muse", layout)


def _plugin(reader: PluginReader) -> Plugin:
    return client_plugin(
        "grok",
        reader,
        _MANIFEST,
        lambda reader, document: gated(_components(reader, document), "install"),
        understood=_UNDERSTOOD,
        taken=frozenset({"name", "version", "description", "hooks", "mcpServers"}),
    )


def _components(reader: PluginReader, document: Document | None) -> Iterator[Component]:
    def named(key: str) -> list[str]:
        return named_paths(reader, document, (key,))

    yield from skills_at(reader, ("skills", *named("skills")))
    yield from prose_at(reader, ("commands", *named("commands")), ComponentKind.COMMAND, trigger="command")
    yield from prose_at(reader, ("agents", *named("agents")), ComponentKind.AGENT, trigger="prose")
    for path in inline_tables(document, ("hooks",)):
        if document is not None:
            yield from hooks_in(reader, document, path, known=HOOKS_FILE)
    yield from hook_files(reader, ("hooks/hooks.json", *named("hooks")))
    for path in inline_tables(document, ("mcpServers",)):
        if document is not None:
            yield from servers_in(reader, document, path)
    yield from server_files(reader, (".mcp.json", *named("mcpServers")))
