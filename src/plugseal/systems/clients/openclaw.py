"""OpenClaw: native plugins that it loads into its own process, hooks beside them, and tools that skills install.

A native plugin is a folder with `openclaw.plugin.json` (JSON5) or a `package.json` that names `openclaw.extensions`;
such a folder is never taken for a bundle of another client. Hooks are folders with `HOOK.md` and a handler; skills may
name programs that the host installs for them.

See: https://docs.openclaw.ai/plugin
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.components.parts import gated, in_process, skills_at
from plugseal.systems.components.servers import server_components
from plugseal.systems.launching.launch import inner
from plugseal.systems.reading.reader import Document, PluginReader, compact, extras, kind_of, lookup
from plugseal.systems.reading.units import folder_of, folders_with, make_plugin
from plugseal.systems.system import Listing

_MANIFEST: Final = "openclaw.plugin.json"
_PACKAGE: Final = "package.json"
_HOOK: Final = "HOOK.md"
_HANDLERS: Final = ("handler.ts", "handler.js", "index.ts", "index.js")
_USUAL: Final = ("index.ts", "index.js", "src/index.ts", "dist/index.js")
_UNDERSTOOD: Final = frozenset(
    "$schema id name description version author license homepage repository kind channels providers skills "
    "configSchema uiHints contracts activation enabledByDefault icon tags hooks mcpServers lspServers commands modes "
    "providerAuthEnvVars providerAuthChoices channelEnvVars cliBackends legacyPluginIds commandAliases setup "
    "autoEnableWhenConfiguredProviders configContracts modelSupport channelConfigs toolMetadata dependencies "
    "capabilities".split()
)
_GATE: Final = "install, acknowledged, and enabled"


class OpenClaw:
    """Native plugins of OpenClaw."""

    name = "openclaw"

    def keeps(self, path: str) -> bool:
        """Keep manifests, packages, and the prose of hooks and skills."""
        return path.rpartition("/")[2] in (_MANIFEST, _PACKAGE, _HOOK, "SKILL.md")

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every native plugin, then every hook that lies in none."""
        roots = dict.fromkeys(folders_with(listing, _MANIFEST))
        for root in folders_with(listing, _PACKAGE):
            data = listing.kept.get(PluginReader(listing, root).real(_PACKAGE) or "", b"")
            if b'"openclaw"' in data and _extensions(PluginReader(listing, root)):
                roots[root] = None
        for root in roots:
            yield _describe(PluginReader(listing, root))
        for root in folders_with(listing, _HOOK):
            if not any(root == above or root.startswith(f"{above}/") or not above for above in roots):
                yield _hook_folder(PluginReader(listing, root))


def _extensions(reader: PluginReader) -> list[str]:
    document = reader.json(_PACKAGE)
    found = lookup(document.value, ("openclaw", "extensions")) if document is not None else None
    return [place for place in found if isinstance(place, str)] if isinstance(found, list) else []


def _describe(reader: PluginReader) -> Plugin:
    document = reader.json5(_MANIFEST) if reader.exists(_MANIFEST) else None
    aside = PluginReader(reader.listing, reader.root)
    package = aside.json(_PACKAGE) if reader.is_file(_PACKAGE) else None
    manifest = _MANIFEST if reader.exists(_MANIFEST) else _PACKAGE
    components = tuple(gated(_components(reader, document, package), _GATE))
    if document is not None:
        reader.expect_keys(document, reader.table(document), _UNDERSTOOD)
    holder = document or package
    if holder is None:
        return make_plugin("openclaw", reader, manifest=manifest, name=folder_of(reader), components=components)
    name = reader.text(document, ("id",), required=True) if document is not None else reader.text(holder, ("name",))
    table = reader.table(document)
    own = lookup(package.value, ("openclaw",)) if package is not None else None
    return make_plugin(
        "openclaw",
        reader,
        manifest=manifest,
        name=name or folder_of(reader),
        version=reader.text(holder, ("version",)),
        description=reader.text(holder, ("description",)),
        components=components,
        extra=(*extras(table, frozenset({"id", "version", "description"})), ("package.openclaw", compact(own))),
    )


def _components(reader: PluginReader, document: Document | None, package: Document | None) -> Iterator[Component]:
    places = _extensions(PluginReader(reader.listing, reader.root)) if package is not None else []
    if not places:
        places = [name for name in _USUAL if reader.is_file(name)][:1]
    for place in places:
        yield _module(reader, place)
    if document is not None:
        named = [inner(place) for place in reader.texts(document, ("skills",))]
        yield from skills_at(reader, [place for place in named if place is not None and reader.exists(place)])
        yield from server_components(reader, document, ("mcpServers",))
    for root in folders_with(reader.listing, _HOOK):
        prefix = f"{reader.root}/" if reader.root else ""
        if root.startswith(prefix) and root != reader.root:
            yield from _hook(reader, root[len(prefix) :])


def _module(reader: PluginReader, place: str) -> Component:
    """Return a module of the plugin; one that is built only at packing has no file here."""
    path = inner(place)
    if path is not None and reader.is_file(path):
        return in_process(path, path)
    file = _MANIFEST if reader.exists(_MANIFEST) else _PACKAGE
    return in_process(file, place)._replace(entry=None)


def _hook_folder(reader: PluginReader) -> Plugin:
    return make_plugin(
        "openclaw",
        reader,
        manifest=_HOOK,
        name=folder_of(reader),
        components=gated(_hook(reader, ""), "enabled by the user"),
    )


def _hook(reader: PluginReader, folder: str) -> Iterator[Component]:
    """Describe a hook: the events stand in the front matter, the handler runs inside the host."""
    prefix = f"{folder}/" if folder else ""
    document = reader.front_matter(f"{prefix}{_HOOK}")
    if document is None:
        return
    handler = next((f"{prefix}{name}" for name in _HANDLERS if reader.is_file(f"{prefix}{name}")), None)
    if handler is None:
        reader.fault(f"{prefix}{_HOOK}", "has no handler beside it")
        return
    name = reader.text(document, ("name",)) or folder.rpartition("/")[2] or folder_of(reader)
    events = lookup(document.value, ("metadata", "openclaw", "events"))
    if events is not None and not isinstance(events, list):
        reader.fault_at(document, ("metadata", "openclaw", "events"), f"must be a list, not {kind_of(events)}")
    for event in (events if isinstance(events, list) else None) or ["unknown"]:
        yield Component(
            kind=ComponentKind.HOOK,
            name=f"{event}.{name}",
            file=f"{prefix}{_HOOK}",
            span=document.locate(("metadata", "openclaw", "events")),
            transport="in-process",
            trigger=f"hook:{event}",
            entry=handler,
            extra=tuple(sorted((f"front.{key}", compact(value)) for key, value in reader.table(document).items())),
        )
