"""Antigravity: plugins below the agents' folder of a working folder, and hooks, servers, rules and workflows there.

It reads `.agents`, `.agent`, `_agents` and `_agent`, whichever is there, and follows links out of the working folder.
Its hooks stand in tables of events, each under a name of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.components.hooks import hook_components
from plugseal.systems.components.parts import (
    HOOKS_FILE,
    METADATA,
    gated,
    hook_files,
    hooks_in,
    prose_at,
    server_files,
    skills_at,
)
from plugseal.systems.reading.reader import PluginReader, extras
from plugseal.systems.reading.units import folder_of, folders_with, make_configuration, make_plugin
from plugseal.systems.system import Listing

FOLDERS: Final = (".agents", ".agent", "_agents", "_agent")
_PLUGINS: Final = "plugins"
_MANIFEST: Final = "plugin.json"
_READ: Final = frozenset({"hooks.json", "mcp_config.json", "rules", "workflows"})
_GATE: Final = "workspace trust"
_SWITCHES: Final = frozenset({"enabled", "disabled", "description"})
"""Keys beside the events of a name."""


class Antigravity:
    """Plugins and configuration of Antigravity."""

    name = "antigravity"

    def keeps(self, path: str) -> bool:
        """Keep what is data or prose below the agents' folders."""
        *folders, name = path.split("/")
        return not set(FOLDERS).isdisjoint(folders) and name.endswith((".json", ".md"))

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every plugin and configuration."""
        for folder in FOLDERS:
            for root in folders_with(listing, folder):
                yield from _of_folder(PluginReader(listing, root), folder)


def _of_folder(reader: PluginReader, folder: str) -> Iterator[Plugin]:
    if not reader.is_directory(folder):
        return
    for name in reader.names(f"{folder}/{_PLUGINS}"):
        path = f"{folder}/{_PLUGINS}/{name}"
        if reader.is_file(f"{path}/{_MANIFEST}"):
            yield _plugin(PluginReader(reader.listing, reader.path(path)))
    present = [f"{folder}/{name}" for name in ("hooks.json", "mcp_config.json") if reader.exists(f"{folder}/{name}")]
    if not _READ.isdisjoint(reader.names(folder)):
        own = [f"{folder}/{name}" for name in sorted(_READ)]
        yield make_configuration(
            "antigravity",
            reader,
            manifest=present[0] if present else folder,
            covers=own,
            components=gated(_parts(reader, f"{folder}/"), _GATE),
        )


def _plugin(reader: PluginReader) -> Plugin:
    document = reader.json(_MANIFEST)
    components = (*skills_at(reader, ("skills",)), *_parts(reader, ""))
    if document is None:
        return make_plugin("antigravity", reader, manifest=_MANIFEST, name=folder_of(reader), components=components)
    table = reader.table(document)
    reader.expect_keys(document, table, METADATA | {"extensions"})
    return make_plugin(
        "antigravity",
        reader,
        manifest=_MANIFEST,
        name=reader.text(document, ("name",)) or folder_of(reader),
        version=reader.text(document, ("version",)),
        description=reader.text(document, ("description",)),
        components=gated(components, _GATE),
        extra=extras(table, frozenset({"name", "version", "description"})),
    )


def _hooks(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe the hooks of a file: tables of events by the name of who brings them, or one such table."""
    document = reader.json(file) if reader.exists(file) else None
    if document is None:
        return
    table = reader.table(document)
    named = {key for key, value in table.items() if key != "hooks" and isinstance(value, dict)}
    for name in sorted(named):
        for hook in hook_components(reader, document, (name,), but=_SWITCHES):
            yield hook._replace(name=f"{name}.{hook.name}")
    if not named:
        yield from hooks_in(reader, document, (), known=HOOKS_FILE)
    else:
        reader.expect_keys(document, table, frozenset({*named, "$schema", "version", "description"}))


def _parts(reader: PluginReader, prefix: str) -> Iterator[Component]:
    yield from _hooks(reader, f"{prefix}hooks.json")
    yield from hook_files(reader, (f"{prefix}hooks/hooks.json",) if not prefix else ())
    yield from server_files(reader, (f"{prefix}mcp_config.json",))
    yield from prose_at(reader, (f"{prefix}rules",), ComponentKind.INSTRUCTIONS, trigger="prose")
    yield from prose_at(reader, (f"{prefix}workflows",), ComponentKind.COMMAND, trigger="command")
    yield from prose_at(reader, (f"{prefix}agents",), ComponentKind.AGENT, trigger="prose")
