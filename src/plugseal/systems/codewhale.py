"""Codewhale: a directory with `plugin.toml` that holds a `[plugin]` table; skills, MCP servers, and future surfaces."""

from __future__ import annotations

import re
from collections.abc import Iterable

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.launch import inner
from plugseal.systems.prose import skill_components
from plugseal.systems.reading import Document, PluginReader, compact, extras, lookup
from plugseal.systems.servers import server_components
from plugseal.systems.system import Listing
from plugseal.systems.units import folder_of, folders_with, make_plugin

_MANIFEST = "plugin.toml"
_SURFACES = {
    "commands": ComponentKind.COMMAND,
    "agents": ComponentKind.AGENT,
    "profiles": ComponentKind.AGENT,
    "hooks": ComponentKind.HOOK,
    "lsp": ComponentKind.SERVER,
    "lsp_servers": ComponentKind.SERVER,
    "native": ComponentKind.MODULE,
    "native_extension": ComponentKind.MODULE,
}
_FIELDS = frozenset({"plugin", "mcp_servers", "capabilities"})
_HEADER = re.compile(rb"^[ \t]*\[[ \t]*plugin[ \t]*\]", re.MULTILINE)
_SERVERS = re.compile(rb"^[ \t]*\[[ \t]*mcp_servers\b", re.MULTILINE)


class Codewhale:
    """Codewhale's plugin bundles."""

    name = "codewhale"

    def keeps(self, path: str) -> bool:
        """Keep every `plugin.toml` and the skills beside it."""
        return path.rpartition("/")[2] in (_MANIFEST, "SKILL.md")

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every Codewhale bundle."""
        for root in folders_with(listing, _MANIFEST):
            reader = PluginReader(listing, root)
            document = reader.toml(_MANIFEST)
            at_home = ".codewhale/plugins" in root
            if at_home or _is_codewhale(reader, document):
                yield _describe(reader, document)


def _is_codewhale(reader: PluginReader, document: Document | None) -> bool:
    if document is None:
        data = reader.listing.kept.get(reader.real(_MANIFEST) or "")
        return data is None or bool(_HEADER.search(data) or _SERVERS.search(data))
    table = document.value if isinstance(document.value, dict) else {}
    return isinstance(table.get("plugin"), dict) or ("mcp_servers" in table and "schema_version" in table)


def _describe(reader: PluginReader, document: Document | None) -> Plugin:
    if document is None:
        return make_plugin("codewhale", reader, manifest=_MANIFEST, name=folder_of(reader))
    about = reader.table(document, ("plugin",))
    components: list[Component] = []
    for path in _paths(reader, document, "skills"):
        components.extend(skill_components(reader, path))
    for surface, kind in _SURFACES.items():
        components.extend(_future(reader, document, surface, kind))
    components.extend(server_components(reader, document, ("mcp_servers",)))
    known = frozenset({"name", "version", "description"})
    return make_plugin(
        "codewhale",
        reader,
        manifest=_MANIFEST,
        name=reader.text(document, ("plugin", "name"), required=True) or folder_of(reader),
        version=reader.text(document, ("plugin", "version")).strip(),
        description=reader.text(document, ("plugin", "description")),
        components=components,
        permissions=_permissions(reader, document),
        extra=[*extras(reader.table(document), _FIELDS), *((f"plugin.{k}", v) for k, v in extras(about, known))],
    )


def _paths(reader: PluginReader, document: Document, surface: str) -> list[str]:
    """Return the declared paths of a component table, with faults for those that lead nowhere."""
    table = lookup(document.value, (surface,))
    if table is None:
        return []
    if not isinstance(table, dict):
        reader.fault_at(document, (surface,), "must be a table")
        return []
    declared = list(reader.texts(document, (surface, "paths")))
    single = reader.text(document, (surface, "path"))
    if single:
        declared.insert(0, single)
    if not declared and surface == "skills":
        declared = ["skills"]
    found = []
    for path in declared:
        plain = inner(path)
        if plain is None or reader.real(plain) is None:
            reader.fault_at(document, (surface,), f"names nothing inside the plugin: {compact(path)}")
        else:
            found.append(plain)
    return list(dict.fromkeys(found))


def _future(reader: PluginReader, document: Document, surface: str, kind: ComponentKind) -> Iterable[Component]:
    """Describe a surface that the host inventories but does not start yet."""
    for path in _paths(reader, document, surface):
        yield Component(
            kind=kind,
            name=path or ".",
            file=_MANIFEST,
            span=document.locate((surface,)),
            trigger="unknown",
            entry=path if reader.is_file(path) else None,
            extra=(("surface", compact(surface)),),
        )


def _permissions(reader: PluginReader, document: Document) -> Iterable[str]:
    yield from (f"net.outbound {host}" for host in reader.texts(document, ("capabilities", "network_hosts")))
    yield from (f"filesystem {root}" for root in reader.texts(document, ("capabilities", "filesystem_roots")))
    if lookup(document.value, ("capabilities", "lifecycle_mutation")) is True:
        yield "lifecycle-mutation"
    known = frozenset({"network_hosts", "filesystem_roots", "lifecycle_mutation"})
    yield from (f"{key} {value}" for key, value in extras(reader.table(document, ("capabilities",)), known))
