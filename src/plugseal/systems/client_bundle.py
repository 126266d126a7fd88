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
from plugseal.systems.reading import Document, PluginReader, compact, extras, lookup
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
_DECLARED = re.compile(r"mcp|server|hook", re.I)
"""Names under which manifests commonly keep what they name; the bytes of other files are not at hand."""


def bundle(
    system: str, reader: PluginReader, *, manifest: str, server_file: str, parts: Sequence[str] = ("commands", "agents")
) -> Plugin:
    """Describe a client's plugin folder.

    Args:
        system: the system's name.
        reader: at the plugin's root.
        manifest: relative to the root.
        server_file: where the client looks for MCP servers besides the manifest.
        parts: the folders of Markdown components that the client has.
    """
    document = reader.json(manifest)
    components = [*_skills(reader, document), *_hooks(reader, document), *_servers(reader, document, server_file)]
    for part in parts:
        components.extend(_markdown(reader, document, part))
    if document is None:
        return make_plugin(system, reader, manifest=manifest, name=folder_of(reader), components=components)
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
    value = lookup(document.value, (key,)) if document is not None else None
    named = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    found = []
    for path in named:
        plain = inner(path) if isinstance(path, str) else None
        if plain is None or reader.real(plain) is None:
            if document is not None and isinstance(path, str):
                reader.fault_at(document, (key,), f"names nothing inside the plugin: {compact(path)}")
        else:
            found.append(plain)
    return list(dict.fromkeys(found))


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
    inline = lookup(document.value, ("hooks",)) if document is not None else None
    if document is not None and isinstance(inline, dict):
        path = ("hooks", "hooks") if isinstance(inline.get("hooks"), dict) else ("hooks",)
        yield from hook_components(reader, document, path)
    for file in dict.fromkeys(["hooks/hooks.json", *declared_paths(reader, document, "hooks")]):
        if reader.exists(file) and file.endswith(".json"):
            hooks = reader.json(file)
            if hooks is not None:
                reader.expect_keys(hooks, reader.table(hooks), _HOOKS_FILE)
                yield from hook_components(reader, hooks, ("hooks",))


def _servers(reader: PluginReader, document: Document | None, server_file: str) -> Iterable[Component]:
    inline = lookup(document.value, ("mcpServers",)) if document is not None else None
    if document is not None and isinstance(inline, dict):
        yield from server_components(reader, document, ("mcpServers",))
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
