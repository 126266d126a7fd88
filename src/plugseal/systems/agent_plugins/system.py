"""Agent Plugins 1.0.0: a directory with `plugin.json` whose `$schema` is of agent-plugins.org.

`plugin.json` is a common name: one without that `$schema` belongs to another client, or is a fault where the fixed
components stand beside it or the user pointed at it. A component that fails leaves the others standing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plugseal.model.plugin import SKILL_FILE, Plugin
from plugseal.patterns import lazy
from plugseal.systems.agent_plugins.names import INIT_FILE, MANIFEST, REGISTRY_FILE, SERVERS, SKILLS
from plugseal.systems.launching.launch import inner
from plugseal.systems.reading.reader import Document, PluginReader, lookup
from plugseal.systems.reading.units import folders_with, has_parts_of_clients
from plugseal.systems.system import Listing

_SITE = "agent-plugins.org"
_KEPT = frozenset({MANIFEST, SERVERS, SKILL_FILE, INIT_FILE, REGISTRY_FILE})
_FIELDS = frozenset("name version description author homepage repository license keywords extensions".split())
_OTHER_HOMES = frozenset(
    ".claude-plugin .codex-plugin .copilot-plugin .cursor-plugin .devin-plugin .kimi-plugin .omp-plugin .plugin "
    "plugin".split()
)
"""Folders whose `plugin.json` other clients read; `plugin` as in `.github/plugin`."""
_MARKETPLACES = tuple(
    f"{home}/marketplace.json" for home in (".claude-plugin", ".cursor-plugin", ".github/plugin", ".agents/plugins")
)
_ANTIGRAVITY = ("/.agents/plugins", "/.agent/plugins", "/_agents/plugins", "/_agent/plugins")
"""Folders whose folders are plugins of Antigravity, which asks for no `$schema`."""
_LINK_AS_TEXT = lazy(rb"(?:\.\./){1,8}(?:[\w.@-]{1,80}/){0,8}plugin\.json\s{0,2}")
"""What git writes in the place of a link where links can't be made: the path that it leads to."""
_COPILOT_KEYS = frozenset({"agents", "skills", "commands", "hooks", "mcpServers", "lspServers"})
"""Keys that Copilot's own `plugin.json` has and the specification does not."""


class AgentPlugins:
    """Packages of the Agent Plugins specification."""

    name = "agent-plugins"

    def keeps(self, path: str) -> bool:
        """Keep manifests, MCP configurations, skills, and what says which of them an agent of lingtai mounts."""
        return path.rpartition("/")[2] in _KEPT

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every package."""
        packages = list(self._packages(listing))
        if not packages:
            return ()
        # All rules of the specification and of two hosts: loaded once there is something to judge.
        from plugseal.systems.agent_plugins.package import describe_packages

        return describe_packages(listing, packages)

    def _packages(self, listing: Listing) -> Iterator[tuple[PluginReader, Document | None]]:
        for root in folders_with(listing, MANIFEST):
            folder = root.rpartition("/")[2]
            if folder in _OTHER_HOMES and (folder != "plugin" or root.endswith(".github/plugin")):
                continue
            reader = PluginReader(listing, root)
            document = reader.json(MANIFEST)
            if _is_package(reader, document):
                yield reader, document


def _is_package(reader: PluginReader, document: Document | None) -> bool:
    if document is None:
        return _LINK_AS_TEXT.fullmatch(reader.data(MANIFEST) or b"") is None
    schema = lookup(document.value, ("$schema",))
    if isinstance(schema, str) and _SITE in schema:
        return True
    table = document.value if isinstance(document.value, dict) else {}
    if _COPILOT_KEYS & table.keys() or "name" not in table or "id" in table:
        return False
    if any(reader.exists(f"{home}/{MANIFEST}") for home in _OTHER_HOMES):
        return False
    if f"/{reader.root}".rpartition("/")[0].endswith(_ANTIGRAVITY) or _is_sold_elsewhere(reader):
        return False
    if reader.exists(SERVERS):
        return True
    if reader.is_directory(SKILLS):
        return not has_parts_of_clients(reader)
    # A manifest of nothing but the specification's fields, where the user pointed: it lacks its `$schema`.
    return not reader.root and table.keys() <= _FIELDS


def _is_sold_elsewhere(reader: PluginReader) -> bool:
    """Say whether a marketplace of another client, in a folder above, lists this one as a plugin of that client."""
    above = reader.root
    while above:
        above = above.rpartition("/")[0]
        market = PluginReader(reader.listing, above)
        for file in filter(market.is_file, _MARKETPLACES):
            document = market.json(file)
            plugins = lookup(document.value, ("plugins",)) if document is not None else None
            base = lookup(document.value, ("metadata", "pluginRoot")) if document is not None else None
            for entry in plugins if isinstance(plugins, list) else ():
                source = entry.get("source") if isinstance(entry, dict) else None
                if isinstance(source, dict):
                    source = source.get("path")
                place = _place(source, base) if isinstance(source, str) else None
                if place is not None and market.path(place) == reader.root:
                    return True
    return False


def _place(source: str, base: object) -> str | None:
    """Return the folder that an entry names below its marketplace, None for what is fetched."""
    if "://" in source:
        return None
    return inner(source if "/" in source or not isinstance(base, str) else f"{base}/{source}")
