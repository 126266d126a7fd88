"""MCP configurations that clients find in a project: `.mcp.json` and its spellings, one plugin for each file.

A configuration whose servers all live elsewhere (a URL, a fetched package, an image) is a unit of one file. One that
starts something which may lie in the tree has the folder that the client opens as its unit, since nothing less binds
the code it runs. Which of them other plugins already describe as their own is settled in `scan/discover.py`.
What a registry or a catalog knows of a server (`server.json`, `smithery.yaml`, `server.yaml`), and what a service says
of itself, is a unit of one file too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.model.plugin import Component, Plugin
from plugseal.systems.components.parts import gated
from plugseal.systems.components.servers import server_components
from plugseal.systems.launching.packages import fetched_packages
from plugseal.systems.mcp.catalogs import CARDS, ENTRIES
from plugseal.systems.mcp.files import FILES, TABLES, known_as, speaks_of_servers, tables_in
from plugseal.systems.mcp.roles import ROLES
from plugseal.systems.reading.reader import Document, PluginReader, extras, lookup
from plugseal.systems.reading.units import folders_with, make_plugin
from plugseal.systems.system import Listing

_UNDERSTOOD: Final = frozenset({"$schema", "inputs", "name", "version", "schema", "description", "disabledMcpServers"})
_COMMENTS: Final = (".vscode/mcp.json", ".roo/mcp.json")
_OF_MANY: Final = ("settings.json", "librechat.yaml")
"""Files in which servers are one thing among many of their client's: the rest keeps them unread."""
_REGISTRY: Final = ("server.json", "smithery.yaml", "smithery.yml")
_NAMED: Final = frozenset({*_REGISTRY, *ENTRIES, *CARDS})
_GATE: Final = "approval of each server, where the client asks"
_FLAT: Final = (".mcp.json", "mcp.json")
"""Files that may be the table of servers themselves."""
_ENOUGH: Final = frozenset({"command", "url", "httpUrl", "serverUrl", "uri"})
_IN_CATALOGS: Final = (*_ENOUGH, "image")


class McpConfig:
    """MCP configurations of projects."""

    name = "mcp-config"

    def keeps(self, path: str) -> bool:
        """Keep every file that some client reads servers from, or that a registry describes one by."""
        return known_as(path) is not None or speaks_of_servers(path) or path.rpartition("/")[2] in _NAMED

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every configuration."""
        seen: set[str] = set()
        for name in sorted(FILES, key=len, reverse=True):
            for root in folders_with(listing, name):
                path = f"{root}/{name}" if root else name
                if path in seen:
                    continue
                seen.add(path)
                plugin = _describe(listing, root, name, FILES[name])
                if plugin is not None:
                    yield plugin
        for path in listing.entries:
            if path not in seen and listing.is_file(path):
                yield from _other(listing, path)


def _other(listing: Listing, path: str) -> Iterator[Plugin]:
    """Yield what a file is whose name is no client's: what a registry says of a server, or a table of servers."""
    root, _, name = path.rpartition("/")
    if name in _REGISTRY:
        from plugseal.systems.mcp.registry import describe_entry

        plugin = describe_entry(PluginReader(listing, root), name)
        if plugin is None and _mentions_servers(listing, path):
            plugin = _describe(listing, root, name, TABLES)
    elif name in ENTRIES or name in CARDS:
        plugin = _catalogued(listing, path)
    elif speaks_of_servers(path) and _mentions_servers(listing, path):
        plugin = _describe(listing, root, name, TABLES) or _catalogued(listing, path)
    else:
        return
    if plugin is not None:
        yield plugin


def _catalogued(listing: Listing, path: str) -> Plugin | None:
    """Return what a catalog says of servers, or a service of itself; a file that only has such a name is nobody's."""
    from plugseal.systems.mcp.catalogs import describe_card, describe_catalog, describe_entry

    root, _, name = path.rpartition("/")
    data = listing.kept.get(path, b"")
    reader = PluginReader(listing, root)
    if name in CARDS:
        return describe_card(reader, name) if b'"url"' in data else None
    if not name.endswith((".yaml", ".yml")):
        return None
    if name in ENTRIES:
        return describe_entry(reader, name) if b"type:" in data else None
    return describe_catalog(reader, name) if b"registry:" in data else None


def _mentions_servers(listing: Listing, path: str) -> bool:
    """Say whether a file's bytes hold a key of a server, before it is parsed."""
    data = listing.kept.get(path, b"")
    return any(key.encode() in data for key in _IN_CATALOGS)


def _describe(listing: Listing, root: str, name: str, tables: tuple[str, ...]) -> Plugin | None:
    reader = PluginReader(listing, root)
    is_known = name in FILES
    document = _parse(reader, name)
    if document is None:
        return make_plugin("mcp-config", reader, manifest=name, name=name) if _is_meant(reader, name) else None
    found = tables_in(document.value, tables)
    if not is_known:
        found = [path for path in found if _look_like_servers(lookup(document.value, path))][:1]
    is_flat = not found and name in _FLAT and _look_like_servers(document.value)
    if is_flat:
        found = [()]
    if not found and name != ".mcp.json" and not (name in ROLES and reader.table(document)):
        return None
    for path in found:
        if path[1:]:
            reader.expect_keys(document, reader.table(document, path[:-1]), frozenset(path[-1:]), at=path[:-1])
    components = tuple(gated((*_servers(reader, document, found), *_settings(reader, document, name)), _GATE))
    is_of_many = name.rpartition("/")[2] in _OF_MANY
    if name not in ROLES and not is_of_many:
        servers = reader.table(document).keys() if is_flat else {path[0] for path in found}
        reader.expect_keys(document, reader.table(document), _UNDERSTOOD | servers | set(tables))
    elif name not in ROLES and len(reader.table(document)) > len(found):
        reader.not_understood.add(document.file)
    lives_elsewhere = not reader.faults and all(_is_elsewhere(component) for component in components)
    return make_plugin(
        "mcp-config",
        reader,
        manifest=name,
        name=name,
        components=_at_file(components, name) if lives_elsewhere else components,
        extra=() if is_flat else extras(reader.table(document), frozenset(path[0] for path in found)),
        single_file=lives_elsewhere,
    )


def _parse(reader: PluginReader, name: str) -> Document | None:
    if name.endswith(".toml"):
        return reader.toml(name)
    if name.endswith((".yaml", ".yml")):
        return reader.yaml(name)
    if name.endswith(".json5"):
        return reader.json5(name)
    return reader.json(name, comments=name in _COMMENTS or name.endswith(".jsonc"))


def _servers(reader: PluginReader, document: Document, tables: Iterable[tuple[str, ...]]) -> Iterator[Component]:
    """Yield the servers of tables by name, and those of lists, which say their names themselves."""
    for path in tables:
        value = lookup(document.value, path)
        if isinstance(value, dict):
            yield from server_components(reader, document, path)
        for at, item in enumerate(value if isinstance(value, list) else []):
            if isinstance(item, dict):
                yield from _listed(reader, document, (*path, at), item)
            else:
                reader.fault_at(document, (*path, at), "must be a table")


def _listed(
    reader: PluginReader, document: Document, path: tuple[str | int, ...], item: dict[str, object]
) -> Iterator[Component]:
    """Yield a server of a list."""
    from plugseal.systems.components.servers import server_component

    name = item.get("name", item.get("id", path[-1]))
    yield server_component(reader, document, path, item)._replace(name=str(name))


def _settings(reader: PluginReader, document: Document, name: str) -> Iterator[Component]:
    """Yield what a client's settings grant, run and redirect, where its servers are one thing among many."""
    if name in ROLES:
        from plugseal.systems.components.settings import setting_components

        yield from setting_components(reader, document, ROLES[name])


def _look_like_servers(value: object) -> bool:
    """Say whether a table or list holds nothing but what a server may be."""
    items = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return bool(items) and all(isinstance(item, dict) and not _ENOUGH.isdisjoint(item) for item in items)


def _is_meant(reader: PluginReader, name: str) -> bool:
    """Say whether a file that can't be parsed was meant for us; `mcp.json` alone is anybody's name."""
    data = reader.listing.kept.get(reader.real(name) or "", b"ervers")
    return (name in FILES and name != "mcp.json") or b"ervers" in data or b"\0" in data


def _is_elsewhere(component: Component) -> bool:
    """Say whether nothing that a server runs can lie in the tree."""
    if component.entry is not None or component.shell:
        return False
    return not component.command or bool(fetched_packages(component.command))


def _at_file(components: tuple[Component, ...], name: str) -> tuple[Component, ...]:
    return tuple(component._replace(file=name.rpartition("/")[2]) for component in components)
