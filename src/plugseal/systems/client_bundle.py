"""What the plugin folders of coding clients have in common: a JSON manifest and components at usual places.

The full rules of each client (precedence, every handler, every key) are not here: what is found is described, what a
manifest names and is not found is a fault, and everything else in the manifest is in `extra`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.hooks import hook_components
from plugseal.systems.launch import inner
from plugseal.systems.prose import markdown_components, skill_components
from plugseal.systems.reading import Document, Path, PluginReader, compact, extras, lookup
from plugseal.systems.servers import server_components
from plugseal.systems.units import folder_of, make_plugin

_FIELDS = frozenset({"name", "version", "description"})
_UNDERSTOOD = _FIELDS | frozenset(
    "$schema author homepage repository license keywords category tags displayName display_name icon logo interface "
    "skills commands agents hooks mcpServers contextFileName excludeTools".split()
)
"""Keys that run nothing, or whose components are described; any other keeps the manifest unread."""
_HOOKS_FILE = frozenset({"$schema", "version", "description", "hooks"})
_SERVERS_FILE = frozenset({"$schema", "mcpServers"})
_INLINE = frozenset({"hooks", "mcpServers"})
"""Keys whose tables may stand in the manifest itself."""
_DECLARED = re.compile(r"mcp|server|hook", re.I)
"""Names under which manifests commonly keep what they name; the bytes of other files are not at hand."""


def bundle(
    system: str,
    reader: PluginReader,
    *,
    manifest: str,
    server_file: str,
    parts: Sequence[str] = ("commands", "agents"),
    marker: str = "",
) -> Plugin:
    """Describe a client's plugin folder.

    Args:
        system: the system's name.
        reader: at the plugin's root.
        manifest: relative to the root.
        server_file: where the client looks for MCP servers besides the manifest.
        parts: the folders of Markdown components that the client has.
        marker: the file that made it a plugin where the client does without a manifest.
    """
    document = None if marker else reader.json(manifest)
    components = [*_skills(reader, document), *_hooks(reader, document), *_servers(reader, document, server_file)]
    for part in parts:
        components.extend(_markdown(reader, document, part))
    if document is None:
        return make_plugin(system, reader, manifest=marker or manifest, name=folder_of(reader), components=components)
    reader.expect_keys(document, reader.table(document), _UNDERSTOOD)
    return make_plugin(
        system,
        reader,
        manifest=manifest,
        name=reader.text(document, ("name",), required=True) or folder_of(reader),
        version=reader.text(document, ("version",)),
        description=reader.text(document, ("description",)),
        components=components,
        extra=extras(reader.table(document), _FIELDS),
    )


def declared_paths(reader: PluginReader, document: Document | None, key: str) -> list[str]:
    """Return the paths that a manifest's key names (text or list of texts), relative to the root."""
    if document is None:
        return []
    value = lookup(document.value, (key,))
    if isinstance(value, str):
        value = [value]
    elif not isinstance(value, list):
        if value is not None and key not in _INLINE:
            reader.not_understood.add(document.file)
        return []
    found = []
    for at, path in enumerate(value):
        if isinstance(path, dict) and key in _INLINE:
            continue
        plain = inner(path) if isinstance(path, str) else None
        if plain is None or reader.real(plain) is None:
            reader.fault_at(document, (key, at), f"names nothing inside the plugin: {compact(path)}")
        else:
            found.append(plain)
    return list(dict.fromkeys(found))


def _inline_tables(document: Document | None, key: str) -> Iterable[tuple[Document, Path]]:
    """Yield the tables that a manifest holds itself under a key: the value, or items of a list."""
    if document is None:
        return
    value = lookup(document.value, (key,))
    if isinstance(value, dict):
        yield document, (key,)
    elif isinstance(value, list):
        yield from ((document, (key, at)) for at, item in enumerate(value) if isinstance(item, dict))


def _skills(reader: PluginReader, document: Document | None) -> Iterable[Component]:
    for directory in dict.fromkeys(["skills", *declared_paths(reader, document, "skills")]):
        yield from skill_components(reader, directory)


def _markdown(reader: PluginReader, document: Document | None, part: str) -> Iterable[Component]:
    kind = ComponentKind.AGENT if part == "agents" else ComponentKind.COMMAND
    trigger = "command" if part == "commands" else "prose"
    for path in dict.fromkeys([part, *declared_paths(reader, document, part)]):
        if reader.is_directory(path):
            yield from markdown_components(reader, path, kind, trigger=trigger)


def _hooks(reader: PluginReader, document: Document | None) -> Iterable[Component]:
    for holder, place in _inline_tables(document, "hooks"):
        wrapped = isinstance(lookup(holder.value, (*place, "hooks")), dict)
        yield from hook_components(reader, holder, (*place, "hooks") if wrapped else place)
    for file in dict.fromkeys(["hooks/hooks.json", *declared_paths(reader, document, "hooks")]):
        if reader.exists(file) and file.endswith(".json"):
            hooks = reader.json(file)
            if hooks is not None:
                reader.expect_keys(hooks, reader.table(hooks), _HOOKS_FILE)
                yield from hook_components(reader, hooks, ("hooks",))


def _servers(reader: PluginReader, document: Document | None, server_file: str) -> Iterable[Component]:
    for holder, place in _inline_tables(document, "mcpServers"):
        yield from server_components(reader, holder, place)
    files = [server_file, *declared_paths(reader, document, "mcpServers")]
    for file in dict.fromkeys(file for file in files if file):
        if reader.exists(file) and file.endswith(".json"):
            servers = reader.json(file)
            if servers is not None:
                wrapped = lookup(servers.value, ("mcpServers",)) is not None
                if wrapped:
                    reader.expect_keys(servers, reader.table(servers), _SERVERS_FILE)
                yield from server_components(reader, servers, ("mcpServers",) if wrapped else ())


def keeps_bundle(path: str, manifest: str, server_file: str) -> bool:
    """Say whether a file is one that such a client may read as a manifest or a Markdown component."""
    parts = path.split("/")
    if path == manifest or path.endswith("/" + manifest) or parts[-1] in (server_file, "SKILL.md"):
        return True
    if parts[-1].endswith(".md"):
        return "commands" in parts[:-1] or "agents" in parts[:-1]
    return parts[-1].endswith(".json") and ("hooks" in parts[-2:-1] or _DECLARED.search(parts[-1]) is not None)
