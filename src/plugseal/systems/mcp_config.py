"""MCP configurations that clients find in a project: `.mcp.json` and its spellings, one plugin for each file.

A configuration whose servers all live elsewhere (a URL, a fetched package, an image) is a unit of one file. One that
starts something which may lie in the tree has the folder that the client opens as its unit, since nothing less binds
the code it runs. Which of them other plugins already describe as their own is settled in `scan/discover.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from plugseal.model.plugin import Component, Plugin
from plugseal.systems.packages import fetched_packages
from plugseal.systems.reading import PluginReader, extras, lookup
from plugseal.systems.servers import server_components
from plugseal.systems.system import Listing
from plugseal.systems.units import folders_with, make_plugin

_FILES = {
    ".mcp.json": (("mcpServers",),),
    "mcp.json": (("mcpServers",), ("servers",)),
    ".vscode/mcp.json": (("servers",), ("mcpServers",)),
    ".cursor/mcp.json": (("mcpServers",),),
    ".github/mcp.json": (("mcpServers",),),
    ".gemini/mcp.json": (("mcpServers",),),
    ".kiro/settings/mcp.json": (("mcpServers",),),
    ".windsurf/mcp.json": (("mcpServers",),),
    ".roo/mcp.json": (("mcpServers",),),
    ".amazonq/mcp.json": (("mcpServers",),),
    "claude_desktop_config.json": (("mcpServers",),),
    "mcp_config.json": (("mcpServers",),),
    "mcp_settings.json": (("mcpServers",),),
}
"""File below the opened folder, and where its table of servers may stand."""
_UNDERSTOOD = frozenset({"$schema", "mcpServers", "servers", "inputs"})
_COMMENTS = (".vscode/mcp.json",)


class McpConfig:
    """MCP configurations of projects."""

    name = "mcp-config"

    def keeps(self, path: str) -> bool:
        """Keep every file that some client reads servers from."""
        return _known_as(path) is not None

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every configuration."""
        seen: set[str] = set()
        for name in sorted(_FILES, key=len, reverse=True):
            for root in folders_with(listing, name):
                path = f"{root}/{name}" if root else name
                if path in seen:
                    continue
                seen.add(path)
                plugin = _describe(listing, root, name)
                if plugin is not None:
                    yield plugin


def _known_as(path: str) -> str | None:
    parts = path.split("/")
    for count in (3, 2, 1):
        tail = "/".join(parts[-count:])
        if tail in _FILES:
            return tail
    return None


def _describe(listing: Listing, root: str, name: str) -> Plugin | None:
    reader = PluginReader(listing, root)
    document = reader.json(name, comments=name in _COMMENTS)
    if document is None:
        return make_plugin("mcp-config", reader, manifest=name, name=name) if _is_meant(reader, name) else None
    tables = [path for path in _FILES[name] if lookup(document.value, path) is not None]
    if not tables and name != ".mcp.json":
        return None
    components = tuple(found for path in tables for found in server_components(reader, document, path))
    reader.expect_keys(document, reader.table(document), _UNDERSTOOD)
    lives_elsewhere = not reader.faults and all(_is_elsewhere(component) for component in components)
    return make_plugin(
        "mcp-config",
        reader,
        manifest=name,
        name=name,
        components=_at_file(components, name) if lives_elsewhere else components,
        extra=extras(reader.table(document), frozenset(path[0] for path in tables)),
        single_file=lives_elsewhere,
    )


def _is_meant(reader: PluginReader, name: str) -> bool:
    """Say whether a file that can't be parsed was meant for us; `mcp.json` alone is anybody's name."""
    data = reader.listing.kept.get(reader.real(name) or "", b"ervers")
    return name != "mcp.json" or b"ervers" in data or b"\0" in data


def _is_elsewhere(component: Component) -> bool:
    """Say whether nothing that a server runs can lie in the tree."""
    if component.entry is not None or component.shell:
        return False
    return not component.command or bool(fetched_packages(component.command))


def _at_file(components: tuple[Component, ...], name: str) -> tuple[Component, ...]:
    return tuple(replace(component, file=name.rpartition("/")[2]) for component in components)
