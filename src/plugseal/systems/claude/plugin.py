"""A plugin of Claude Code: its manifest, and what the client finds at its usual places without being told.

Where a key replaces a usual place, both are described: older releases read both. A key at the top of the manifest that
Claude Code doesn't know it ignores, so that such a key leaves nothing unread.

See: https://code.claude.com/docs/en/plugins-reference
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.model.plugin import SKILL_FILE, Component, ComponentKind, Plugin
from plugseal.patterns import lazy
from plugseal.systems.claude.parts import (
    channels,
    dependencies,
    language_servers,
    monitors,
    plugin_settings,
    programs,
    scripts,
)
from plugseal.systems.claude.prose import agents_of, skills_in, with_commands
from plugseal.systems.claude.surfaces import (
    ENABLED,
    EXACT_FOLDER,
    EXACT_PER_SERVER,
    INSTALL,
    INVOKED,
    NOT_LOADED,
    PERMISSION,
    PREAPPROVED,
    SPAWNED,
)
from plugseal.systems.components.parts import (
    gated,
    hook_files,
    hooks_in,
    inline_tables,
    named_paths,
    prose_at,
    server_files,
    servers_in,
)
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, extras, lookup
from plugseal.systems.reading.units import folder_of, make_plugin

MANIFEST: Final = ".claude-plugin/plugin.json"
_FIELDS: Final = frozenset({"name", "version", "description"})
_SERVERS: Final = ".mcp.json"
_HOOKS: Final = "hooks/hooks.json"
_LANGUAGE_SERVERS: Final = ".lsp.json"
_MONITORS: Final = "monitors/monitors.json"
_BUNDLE: Final = (".mcpb", ".dxt")
_LISTS: Final = ("keywords", "dependencies", "channels")
_SKILLS_FOLDER: Final = lazy(r"(?:\A|/)\.claude/skills/[^/]+\Z")


def describe_plugin(
    reader: PluginReader, *, has_manifest: bool = True, name: str = "", finds_skills: bool = True
) -> Plugin:
    """Return a plugin of Claude Code.

    Args:
        reader: at its root.
        has_manifest: whether it has one; without it any file of its own stands for the manifest.
        name: what it is called where it has none.
        finds_skills: whether the usual place of skills is looked at.
    """
    document = reader.json(MANIFEST) if has_manifest else None
    components = tuple(_components(reader, document, finds_skills=finds_skills))
    if _SKILLS_FOLDER.search(reader.listing.placed(reader.root)):
        components = tuple(_from_skills_folder(component) for component in components)
    if document is None:
        name, manifest = name or folder_of(reader), MANIFEST if has_manifest else _stand_in(reader, components)
        return make_plugin("claude-code", reader, manifest=manifest, name=name, components=components)
    for key in _LISTS:
        if lookup(document.value, (key,)) is not None and not isinstance(lookup(document.value, (key,)), list):
            reader.fault_at(document, (key,), "must be a list")
    return make_plugin(
        "claude-code",
        reader,
        manifest=MANIFEST,
        name=reader.text(document, ("name",), required=True) or name or folder_of(reader),
        version=reader.text(document, ("version",)),
        description=reader.text(document, ("description",)),
        components=components,
        extra=extras(reader.table(document), _FIELDS),
    )


def _stand_in(reader: PluginReader, components: tuple[Component, ...]) -> str:
    """Return the file that best stands for a manifest that is not there."""
    usual = (_HOOKS, _SERVERS, _LANGUAGE_SERVERS, SKILL_FILE)
    files = [*(file for file in usual if reader.is_file(file)), *(c.file for c in components), *reader.names("")]
    return next((file for file in files if reader.is_file(file)), MANIFEST)


def _components(reader: PluginReader, document: Document | None, *, finds_skills: bool) -> Iterator[Component]:
    yield from gated(with_commands(reader, _prose(reader, document, finds_skills=finds_skills)), INVOKED)
    agents = prose_at(reader, _places(reader, document, "agents"), ComponentKind.AGENT, trigger="prose")
    yield from gated(agents_of(agents, in_plugin=True), SPAWNED)
    styles = prose_at(
        reader, _places(reader, document, "outputStyles", "output-styles"), ComponentKind.INSTRUCTIONS, trigger="prose"
    )
    yield from gated(styles, ENABLED)
    yield from gated(_hooks(reader, document), ENABLED)
    yield from gated(_servers(reader, document), ENABLED)
    yield from _language_servers(reader, document)
    yield from _monitors(reader, document)
    for place in _places(reader, document, "workflows"):
        yield from scripts(reader, place, gate=INVOKED)
    yield from programs(reader, "bin")
    yield from plugin_settings(reader, "settings.json")
    if document is not None:
        yield from channels(reader, document, ("channels",))
        yield from dependencies(reader, document, ("dependencies",))


def _places(reader: PluginReader, document: Document | None, key: str, usual: str = "") -> list[str]:
    """Return the usual place of a kind of component, and those that the manifest names."""
    return list(dict.fromkeys([usual or key, *named_paths(reader, document, (key,))]))


def _prose(reader: PluginReader, document: Document | None, *, finds_skills: bool) -> Iterator[Component]:
    places = _places(reader, document, "skills") if finds_skills else []
    if places == ["skills"] and not reader.exists("skills") and reader.exists(SKILL_FILE):
        places = [""]
    yield from skills_in(reader, places)
    yield from prose_at(reader, _places(reader, document, "commands"), ComponentKind.COMMAND, trigger="command")
    if document is not None:
        yield from _mapped_commands(reader, document)


def _mapped_commands(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe commands that the manifest maps by name: to a file, or to their text."""
    table = lookup(document.value, ("commands",))
    for name, spec in table.items() if isinstance(table, dict) else ():
        source = spec.get("source") if isinstance(spec, dict) else spec
        if isinstance(source, str):
            files = named_paths(reader, document, ("commands", name, *(("source",) if isinstance(spec, dict) else ())))
            yield from prose_at(reader, files, ComponentKind.COMMAND, trigger="command")
        elif isinstance(spec, dict) and isinstance(spec.get("content"), str):
            yield Component(
                kind=ComponentKind.COMMAND,
                name=name,
                file=document.file,
                span=document.locate(("commands", name)),
                trigger="command",
                extra=extras(spec, frozenset()),
            )
        else:
            reader.fault_at(document, ("commands", name), "names neither a file nor a text")


def _hooks(reader: PluginReader, document: Document | None) -> Iterator[Component]:
    known = frozenset({"description", "$schema", "hooks"})
    for path in inline_tables(document, ("hooks",)) if document is not None else ():
        yield from hooks_in(reader, document, path, known=known)  # type: ignore[arg-type]  # there are tables in it
    yield from hook_files(reader, (_HOOKS, *named_paths(reader, document, ("hooks",))))


def _servers(reader: PluginReader, document: Document | None) -> Iterator[Component]:
    key: Path = ("mcpServers",)
    files = [_SERVERS]
    if document is not None:
        for path in inline_tables(document, key):
            yield from servers_in(reader, document, path)
        value = lookup(document.value, key)
        for at, item in enumerate(value if isinstance(value, list) else [value]):
            place = (*key, at) if isinstance(value, list) else key
            if isinstance(item, str) and ("://" in item or item.endswith(_BUNDLE)):
                yield _bundle(reader, document, place, item)
            elif isinstance(item, str):
                files += named_paths(reader, document, place)
    yield from server_files(reader, files)


def _bundle(reader: PluginReader, document: Document, path: Path, source: str) -> Component:
    """Return a server that comes as a bundle: an archive in the plugin, or one that is fetched."""
    is_address = "://" in source
    files = [] if is_address else named_paths(reader, document, path)
    return Component(
        kind=ComponentKind.SOURCE if is_address else ComponentKind.SERVER,
        name=source.rpartition("/")[2],
        file=document.file,
        span=document.locate_value(path),
        transport="" if is_address else "stdio",
        endpoint=source if is_address else None,
        trigger="start",
        entry=files[0] if files else None,
        extra=(("bundle", compact(source)),),
    )


def _language_servers(reader: PluginReader, document: Document | None) -> Iterator[Component]:
    for path in inline_tables(document, ("lspServers",)) if document is not None else ():
        yield from language_servers(reader, document, path)  # type: ignore[arg-type]  # there are tables in it
    for file in dict.fromkeys([_LANGUAGE_SERVERS, *named_paths(reader, document, ("lspServers",))]):
        found = reader.json(file) if reader.exists(file) else None
        if found is not None:
            wrapped = isinstance(lookup(found.value, ("lspServers",)), dict)
            yield from language_servers(reader, found, ("lspServers",) if wrapped else ())


def _monitors(reader: PluginReader, document: Document | None) -> Iterator[Component]:
    files = [_MONITORS]
    for key in (("monitors",), ("experimental", "monitors")):
        value = lookup(document.value, key) if document is not None else None
        if document is not None and isinstance(value, list) and any(isinstance(item, dict) for item in value):
            yield from monitors(reader, document, key)
        else:
            files += named_paths(reader, document, key)
    for file in dict.fromkeys(files):
        found = reader.json(file, lists=True) if reader.exists(file) else None
        if found is not None:
            yield from monitors(reader, found, ("monitors",) if isinstance(found.value, dict) else ())


def _from_skills_folder(component: Component) -> Component:
    """Return a component with the gate that holds for a plugin which lies in a project's `.claude/skills`."""
    gate = {
        ComponentKind.SERVER: EXACT_PER_SERVER,
        ComponentKind.MONITOR: NOT_LOADED,
        ComponentKind.SOURCE: INSTALL,
    }.get(component.kind, EXACT_FOLDER)
    # What a text grants itself, no folder's trust stands before.
    return component if component.gate in (PERMISSION, PREAPPROVED) else component._replace(gate=gate)
