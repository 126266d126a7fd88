"""A plugin of Cursor: a manifest that may name its parts, which stand at fixed places otherwise.

A key of the manifest takes the place of the fixed one. Servers stand in `mcp.json`, or in `.mcp.json` where that is
missing; `variables` are asked of the user and put into them as `${NAME}`. Hooks are flat handlers by event.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.components.parts import (
    HOOKS_FILE,
    METADATA,
    client_plugin,
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
from plugseal.systems.reading.reader import Document, PluginReader, compact

MANIFEST: Final = ".cursor-plugin/plugin.json"
_UNDERSTOOD: Final = METADATA | frozenset(
    "skills commands agents rules hooks mcpServers variables minClientVersions".split()
)
_GATE: Final = "install"
_SERVER_GATE: Final = "install, and approval of each server"


def describe_plugin(reader: PluginReader) -> Plugin:
    """Return the plugin at a root."""
    return client_plugin(
        "cursor",
        reader,
        MANIFEST,
        _components,
        understood=_UNDERSTOOD,
        taken=frozenset({"name", "version", "description", "hooks", "mcpServers", "variables"}),
    )


def _components(reader: PluginReader, document: Document | None) -> Iterator[Component]:
    def named(key: str) -> list[str]:
        return named_paths(reader, document, (key,))

    yield from gated(skills_at(reader, named("skills") or ("skills",)), _GATE)
    for key, kind, trigger, suffixes in (
        ("commands", ComponentKind.COMMAND, "command", (".md", ".mdc", ".markdown", ".txt")),
        ("agents", ComponentKind.AGENT, "prose", (".md", ".mdc", ".markdown")),
        ("rules", ComponentKind.INSTRUCTIONS, "prose", (".mdc", ".md", ".markdown")),
    ):
        yield from gated(prose_at(reader, named(key) or (key,), kind, trigger=trigger, suffixes=suffixes), _GATE)
    yield from gated(_hooks(reader, document, named("hooks")), _GATE)
    yield from gated(_servers(reader, document, named("mcpServers")), _SERVER_GATE)
    if document is not None:
        yield from _variables(reader, document)


def _hooks(reader: PluginReader, document: Document | None, named: list[str]) -> Iterator[Component]:
    for path in inline_tables(document, ("hooks",)):
        if document is not None:
            yield from hooks_in(reader, document, path, known=HOOKS_FILE)
    yield from hook_files(reader, named or ("hooks/hooks.json",))


def _servers(reader: PluginReader, document: Document | None, named: list[str]) -> Iterator[Component]:
    for path in inline_tables(document, ("mcpServers",)):
        if document is not None:
            yield from servers_in(reader, document, path)
    usual = "mcp.json" if reader.exists("mcp.json") else ".mcp.json"
    yield from server_files(reader, named or (usual,))


def _variables(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe the values that the plugin asks the user for."""
    properties = ("variables", "properties")
    for name, schema in reader.table(document, properties).items():
        yield Component(
            kind=ComponentKind.SETTING,
            name=name,
            file=document.file,
            span=document.locate((*properties, name)),
            trigger="install",
            gate="asks the user for the value",
            extra=(("schema", compact(schema)),),
        )
