"""A plugin as Codex sees it: a portable manifest with an overlay, or `.codex-plugin/plugin.json` alone.

Where the root holds a portable `plugin.json`, its name and version count, skills and servers stand at their fixed
places, and what is Codex' own (hooks, apps, the interface) comes from `extensions."com.openai"` or else from
`.codex-plugin/plugin.json`. Paths in a manifest begin with `./` and stay inside the plugin; what is not there is passed
over in silence.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.codex.rules import skill_dependencies
from plugseal.systems.codex.trust import trust_verdict
from plugseal.systems.components.parts import (
    HOOKS_FILE,
    METADATA,
    gated,
    hook_files,
    hooks_in,
    inline_tables,
    named_paths,
    prose_at,
    server_files,
    servers_in,
    skills_at,
)
from plugseal.systems.reading.reader import Document, Path, PluginReader, extras, lookup
from plugseal.systems.reading.units import folder_of, make_plugin

MANIFEST: Final = ".codex-plugin/plugin.json"
PORTABLE: Final = "plugin.json"
NAMESPACE: Final = "com.openai"
_SITE: Final = "agent-plugins.org"
_UNDERSTOOD: Final = METADATA | {"skills", "mcpServers", "apps", "hooks"}
_HOOKS: Final = "hooks/hooks.json"
_SERVERS: Final = ".mcp.json"
_APPS: Final = ".app.json"
_HOOK_GATE: Final = "install, and approval of each hook's hash"
_NEVER_RUN: Final = "never run: Codex reads this type of handler and does nothing with it"
_GATE: Final = "install"


def is_portable(document: Document | None) -> bool:
    """Say whether a root manifest is of the Agent Plugins form, which Codex takes before its own."""
    schema = lookup(document.value, ("$schema",)) if document is not None else None
    return isinstance(schema, str) and _SITE in schema


def describe_plugin(reader: PluginReader) -> Plugin:
    """Return the plugin at a root that has either form, with the hashes of its hooks."""
    plugin = _describe(reader)
    return plugin._replace(hosts=trust_verdict(reader, plugin.components))


def _describe(reader: PluginReader) -> Plugin:
    root = _portable(reader)
    overlay, place = _overlay(reader, root)
    manifest = PORTABLE if root is not None and overlay is root else MANIFEST
    document = root or overlay
    if document is None:
        return make_plugin(
            "codex", reader, manifest=MANIFEST, name=folder_of(reader), components=_components(reader, None, (), None)
        )
    if overlay is not None:
        reader.expect_keys(overlay, reader.table(overlay, place), _UNDERSTOOD, at=place)
    return make_plugin(
        "codex",
        reader,
        manifest=manifest,
        name=reader.text(document, ("name",), required=True) or folder_of(reader),
        version=reader.text(document, ("version",)),
        description=reader.text(document, ("description",)),
        components=_components(reader, overlay, place, root),
        extra=extras(
            reader.table(overlay, place), frozenset({"name", "version", "description", "hooks", "mcpServers"})
        ),
    )


def _portable(reader: PluginReader) -> Document | None:
    """Return the portable manifest at the root; anybody else's `plugin.json` is no fault of this plugin."""
    if not reader.is_file(PORTABLE):
        return None
    aside = PluginReader(reader.listing, reader.root)
    document = aside.json(PORTABLE)
    return document if is_portable(document) else None


def _overlay(reader: PluginReader, root: Document | None) -> tuple[Document | None, Path]:
    """Return where Codex' own part stands: in the portable manifest, or in a file of its own."""
    place = ("extensions", NAMESPACE)
    if root is not None and isinstance(lookup(root.value, place), dict):
        return root, place
    return (reader.json(MANIFEST) if reader.exists(MANIFEST) else None), ()


def _components(
    reader: PluginReader, overlay: Document | None, place: Path, root: Document | None
) -> Iterator[Component]:
    portable = root is not None
    skills = (
        ["skills"]
        if portable
        else ["skills", *named_paths(reader, overlay, (*place, "skills"), missing_is_fault=False)]
    )
    found = tuple(skills_at(reader, skills))
    yield from gated(found, _GATE)
    yield from skill_dependencies(reader, (part for part in found if part.kind is ComponentKind.SKILL))
    yield from gated(prose_at(reader, ("commands",), ComponentKind.COMMAND, trigger="command"), _GATE)
    yield from gated(prose_at(reader, ("agents",), ComponentKind.AGENT, trigger="prose"), _GATE)
    yield from gated(_servers(reader, overlay, place, portable=portable), _GATE)
    yield from gated(_hooks(reader, overlay, place), _HOOK_GATE)
    for file in dict.fromkeys([_APPS, *named_paths(reader, overlay, (*place, "apps"), missing_is_fault=False)]):
        if reader.exists(file):
            yield from _apps(reader, file)


def _servers(reader: PluginReader, overlay: Document | None, place: Path, *, portable: bool) -> Iterator[Component]:
    if portable:
        yield from server_files(reader, ("mcp.json",))
        return
    path = (*place, "mcpServers")
    for inline in inline_tables(overlay, path):
        if overlay is not None:
            yield from servers_in(reader, overlay, inline)
    yield from server_files(reader, (_SERVERS, *named_paths(reader, overlay, path, missing_is_fault=False)))


def _hooks(reader: PluginReader, overlay: Document | None, place: Path) -> Iterator[Component]:
    found: list[Component] = []
    path = (*place, "hooks")
    for inline in inline_tables(overlay, path):
        if overlay is not None:
            found += hooks_in(reader, overlay, inline, known=HOOKS_FILE)
    found += hook_files(reader, (_HOOKS, *named_paths(reader, overlay, path, missing_is_fault=False)))
    for hook in found:
        idle = dict(hook.extra).get("type") in ('"prompt"', '"agent"')
        yield hook._replace(gate=_NEVER_RUN) if idle else hook


def _apps(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe the apps of a file: services of the vendor's directory, by their ids."""
    document = reader.json(file)
    if document is None:
        return
    reader.expect_keys(document, reader.table(document), frozenset({"$schema", "apps"}))
    for name, app in reader.declared(document, ("apps",)).items():
        table = app if isinstance(app, dict) else {"id": app}
        reader.expect_keys(
            document, table, frozenset({"id", "category", "name", "description", "capabilities"}), at=("apps", name)
        )
        yield Component(
            kind=ComponentKind.SERVER,
            name=name,
            file=file,
            span=document.locate(("apps", name)),
            transport="app",
            trigger="start",
            gate="install, and sign-in to the app",
            extra=extras(table, frozenset()),
        )
