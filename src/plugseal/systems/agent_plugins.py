"""Agent Plugins 1.0.0: a directory with `plugin.json` whose `$schema` is of agent-plugins.org.

`plugin.json` is a common name: one without that `$schema` belongs to another client, or is a fault where the fixed
components stand beside it. A component that fails leaves the others standing.
"""

from __future__ import annotations

from collections.abc import Iterable

from plugseal.model.plugin import Component, Plugin
from plugseal.model.tree import EntryKind
from plugseal.systems.prose import skill_components
from plugseal.systems.reading import Document, PluginReader, extras, lookup
from plugseal.systems.servers import server_components
from plugseal.systems.system import Listing
from plugseal.systems.units import folder_of, folders_with, make_plugin

_MANIFEST = "plugin.json"
_SERVERS = "mcp.json"
_SITE = "agent-plugins.org"
_SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
_MCP_SCHEMA = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"
_FIELDS = frozenset({"$schema", "name", "version", "description"})
_UNDERSTOOD = _FIELDS | frozenset({"author", "homepage", "repository", "license", "keywords"})
"""All that the specification knows but `extensions`, whose meaning is each client's own."""
_OTHER_HOMES = frozenset({".claude-plugin", ".codex-plugin", ".cursor-plugin", ".plugin", "plugin"})
"""Folders whose `plugin.json` other clients read; `plugin` as in `.github/plugin`."""
_COPILOT_KEYS = frozenset({"agents", "skills", "commands", "hooks", "mcpServers", "lspServers"})
"""Keys that Copilot's own `plugin.json` has and the specification does not."""


class AgentPlugins:
    """Packages of the Agent Plugins specification."""

    name = "agent-plugins"

    def keeps(self, path: str) -> bool:
        """Keep manifests, MCP configurations and skills."""
        return path.rpartition("/")[2] in (_MANIFEST, _SERVERS, "SKILL.md")

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every package."""
        for root in folders_with(listing, _MANIFEST):
            folder = root.rpartition("/")[2]
            if folder in _OTHER_HOMES and (folder != "plugin" or root.endswith(".github/plugin")):
                continue
            reader = PluginReader(listing, root)
            document = reader.json(_MANIFEST)
            if _is_package(reader, document):
                yield _describe(reader, document)


def _is_package(reader: PluginReader, document: Document | None) -> bool:
    if document is None:
        return True
    schema = lookup(document.value, ("$schema",))
    if isinstance(schema, str) and _SITE in schema:
        return True
    table = document.value if isinstance(document.value, dict) else {}
    if _COPILOT_KEYS & table.keys() or "name" not in table or "id" in table:
        return False
    if any(reader.exists(f"{home}/{_MANIFEST}") for home in _OTHER_HOMES):
        return False
    return reader.exists(_SERVERS) or reader.is_directory("skills")


def _describe(reader: PluginReader, document: Document | None) -> Plugin:
    if document is None:
        return make_plugin("agent-plugins", reader, manifest=_MANIFEST, name=folder_of(reader))
    schema = lookup(document.value, ("$schema",))
    if schema != _SCHEMA:
        reader.fault_at(document, ("$schema",), "is missing" if schema is None else "is not a version that is known")
    reader.expect_keys(document, reader.table(document), _UNDERSTOOD)
    return make_plugin(
        "agent-plugins",
        reader,
        manifest=_MANIFEST,
        name=reader.text(document, ("name",), required=True) or folder_of(reader),
        version=reader.text(document, ("version",)),
        description=reader.text(document, ("description",)),
        components=[*skill_components(reader, "skills", nested=True), *_servers(reader)],
        extra=extras(reader.table(document), _FIELDS),
    )


def _servers(reader: PluginReader) -> tuple[Component, ...]:
    if not reader.exists(_SERVERS):
        return ()
    entry = reader.listing.entries.get(reader.path(_SERVERS))
    if entry is not None and entry.kind is EntryKind.DIRECTORY:
        reader.fault(_SERVERS, "is no regular file")
        return ()
    document = reader.json(_SERVERS)
    if document is None:
        return ()
    if lookup(document.value, ("$schema",)) != _MCP_SCHEMA:
        reader.fault_at(document, ("$schema",), "is missing or not a version that is known")
    reader.expect_keys(document, reader.table(document), frozenset({"$schema", "mcpServers"}))
    return server_components(reader, document, ("mcpServers",))
