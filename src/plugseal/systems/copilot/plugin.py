"""A plugin of Copilot: a manifest that may name agents, skills, commands, hooks, MCP servers and language servers.

A server of a plugin takes the place of the user's own server of that name. Hooks say a line for each shell.
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
from plugseal.systems.copilot.parts import extensions_in, language_server_files, language_servers_in
from plugseal.systems.reading.reader import Document, PluginReader

_UNDERSTOOD: Final = METADATA | frozenset(
    "agents skills commands hooks mcpServers lspServers strict extensions instructions prompts".split()
)
_INSTALL: Final = "install"
_SERVERS: Final = "install; takes the place of a user's server of its name"


def describe_plugin(reader: PluginReader, manifest: str) -> Plugin:
    """Return the plugin at a root.

    Args:
        reader: at the root.
        manifest: relative to it.
    """
    return client_plugin(
        "copilot",
        reader,
        manifest,
        _components,
        understood=_UNDERSTOOD,
        taken=frozenset({"name", "version", "description", "hooks", "mcpServers", "lspServers"}),
    )


def _components(reader: PluginReader, document: Document | None) -> Iterator[Component]:
    def named(key: str) -> list[str]:
        return named_paths(reader, document, (key,))

    yield from gated(skills_at(reader, ("skills", *named("skills"))), _INSTALL)
    for key, kind, trigger in (
        ("agents", ComponentKind.AGENT, "prose"),
        ("commands", ComponentKind.COMMAND, "command"),
        ("prompts", ComponentKind.COMMAND, "command"),
        ("instructions", ComponentKind.INSTRUCTIONS, "prose"),
    ):
        usual = (key,) if key in ("agents", "commands") else ()
        yield from gated(prose_at(reader, (*usual, *named(key)), kind, trigger=trigger), _INSTALL)
    yield from gated(_hooks(reader, document, named("hooks")), _INSTALL)
    yield from gated(_servers(reader, document, named("mcpServers")), _SERVERS)
    for path in inline_tables(document, ("lspServers",)):
        if document is not None:
            yield from gated(language_servers_in(reader, document, path), _INSTALL)
    for folder in ("extensions", *named_paths(reader, document, ("extensions",))):
        yield from gated(extensions_in(reader, folder), _INSTALL)
    yield from gated(
        language_server_files(reader, ("lsp.json", ".lsp.json", ".github/lsp.json", *named("lspServers"))), _INSTALL
    )


def _hooks(reader: PluginReader, document: Document | None, named: list[str]) -> Iterator[Component]:
    for path in inline_tables(document, ("hooks",)):
        if document is not None:
            yield from hooks_in(reader, document, path, known=HOOKS_FILE)
    yield from hook_files(reader, ("hooks.json", "hooks/hooks.json", *named))


def _servers(reader: PluginReader, document: Document | None, named: list[str]) -> Iterator[Component]:
    for path in inline_tables(document, ("mcpServers",)):
        if document is not None:
            yield from servers_in(reader, document, path)
    yield from server_files(reader, (".mcp.json", ".github/mcp.json", *named))
