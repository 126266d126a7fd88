"""Kiro: powers (`POWER.md`), and the `.kiro` of a working folder: hooks, steering, servers and agents.

Amazon Q, of which Kiro's command line was made, keeps agents of the same form in `.amazonq`.

A hook runs a command, or puts a prompt before the agent, when files change or a session ends; `autoApprove` of a server
lets its tools off being asked for.

See: https://kiro.dev/docs/cli/custom-agents/configuration-reference, https://kiro.dev/docs/hooks and
https://github.com/aws/amazon-q-developer-cli/blob/main/docs/agent-format.md
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.components.folders import FolderClient, Layout
from plugseal.systems.components.hooks import hook_components
from plugseal.systems.components.language_servers import language_server
from plugseal.systems.components.parts import gated, line_component, prose_at, server_files
from plugseal.systems.components.prose import files_below, prose_components
from plugseal.systems.components.servers import (
    server_components,
)
from plugseal.systems.components.settings import granting
from plugseal.systems.launching.launch import inner
from plugseal.systems.reading.reader import Document, PluginReader, compact, dotted, extras, kind_of, lookup
from plugseal.systems.reading.texts import READS
from plugseal.systems.reading.units import folder_of, folders_with, make_plugin
from plugseal.systems.system import Listing, System

_POWER: Final = "POWER.md"
_FILE: Final = "file://"
_LETS_OFF: Final = frozenset("allowedCommands allowedPaths allowedServices autoAllowReadonly trusted".split())
"""Settings of a tool that let it off being asked for."""
_HOOK: Final = frozenset(
    {"enabled", "name", "description", "version", "when", "then", "workspaceFolderName", "shortName"}
)
_AGENT: Final = frozenset(
    "$schema name description prompt mcpServers tools toolAliases allowedTools toolsSettings resources hooks "
    "includeMcpJson useLegacyMcpJson model keyboardShortcut welcomeMessage".split()
)
_LAYOUT: Final = Layout(
    folder=".kiro",
    servers=("settings/mcp.json",),
    instructions=("steering",),
    more=("hooks", "agents", "settings"),
    gate="workspace trust",
    server_gate="workspace trust, and enabled",
)


class Kiro:
    """Powers and configuration of Kiro."""

    name = "kiro"

    def __init__(self) -> None:
        """Take the layout of the folder."""
        self._folders = FolderClient(self.name, _LAYOUT, _more)

    def keeps(self, path: str) -> bool:
        """Keep powers with their servers and steering, and what stands in `.kiro`."""
        *folders, name = path.split("/")
        return name in (_POWER, "mcp.json") or "steering" in folders or self._folders.keeps(path)

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every power and configuration."""
        for root in folders_with(listing, _POWER):
            yield _power(PluginReader(listing, root))
        yield from self._folders.discover(listing)


def amazonq() -> System:
    """Return the system of `.amazonq`."""
    layout = Layout(
        folder=".amazonq",
        servers=("mcp.json", "default.json"),
        instructions=("rules",),
        more=("cli-agents", "agents"),
        gate="none",
        server_gate="approval of each server",
    )
    return FolderClient("amazonq", layout, _agents)


def _power(reader: PluginReader) -> Plugin:
    document = reader.front_matter(_POWER)
    components = [
        *prose_components(reader, _POWER, ComponentKind.INSTRUCTIONS, name=folder_of(reader)),
        *prose_at(reader, ("steering",), ComponentKind.INSTRUCTIONS, trigger="prose"),
        *server_files(reader, ("mcp.json",)),
    ]
    return make_plugin(
        "kiro",
        reader,
        manifest=_POWER,
        name=reader.text(document, ("name",)) if document is not None else folder_of(reader),
        description=reader.text(document, ("description",)) if document is not None else "",
        components=gated(components, "install, and the words that call it"),
    )


def _more(reader: PluginReader, folder: str) -> Iterator[Component]:
    """Yield the hooks and agents of `.kiro`."""
    for file in sorted(files_below(reader, f"{folder}/hooks", lambda name: name.endswith((".hook", ".json")))):
        document = reader.json(file)
        if document is not None:
            yield from _hook(reader, document)
    yield from _agents(reader, folder)
    yield from prose_at(reader, (f"{folder}/agents",), ComponentKind.AGENT, trigger="prose")
    languages = f"{folder}/settings/lsp.json"
    document = reader.json(languages, comments=True) if reader.exists(languages) else None
    if document is not None:
        yield from _language_servers(reader, document)


def _agents(reader: PluginReader, folder: str) -> Iterator[Component]:
    """Yield the agents of the command line."""
    for place in ("agents", "cli-agents"):
        for file in sorted(files_below(reader, f"{folder}/{place}", lambda name: name.endswith(".json"))):
            document = reader.json(file)
            if document is not None:
                yield from _agent(reader, document)


def _hook(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe a hook: when it fires, and what it then does."""
    reader.expect_keys(document, reader.table(document), _HOOK)
    event = reader.text(document, ("when", "type"), required=True) or "unknown"
    name = f"{event}.{document.file.rpartition('/')[2].partition('.')[0]}"
    extra = extras(reader.table(document), frozenset({"then"}))
    trigger = "command" if event in ("userTriggered", "manual") else f"hook:{event}"
    kind = lookup(document.value, ("then", "type"))
    if kind in ("runCommand", "shellCommand", "command"):
        reader.text(document, ("then", "command"), required=True)
        line = line_component(
            reader, document, ("then", "command"), kind=ComponentKind.HOOK, name=name, trigger=trigger
        )
        yield line._replace(extra=extra)
        return
    if kind not in ("askAgent", "prompt"):
        reader.unknown_key(document, ("then", "type"))
    yield Component(
        kind=ComponentKind.HOOK,
        name=name,
        file=document.file,
        span=document.locate(("then",)),
        trigger=trigger,
        extra=(*extra, ("then", compact(lookup(document.value, ("then",))))),
    )


def _agent(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe an agent of the command line: its servers, hooks, and the tools that it need not ask for."""
    table = reader.table(document)
    reader.expect_keys(document, table, _AGENT)
    name = reader.text(document, ("name",)) or document.file.rpartition("/")[2].removesuffix(".json")
    yield Component(
        kind=ComponentKind.AGENT,
        name=name,
        file=document.file,
        span=document.locate(("name",)),
        trigger="prose",
        extra=(*extras(table, frozenset({"mcpServers", "hooks"})), *_reads(document)),
        places=(("extra.allowedTools", document.locate(("allowedTools",))),),
    )
    yield from _let_off(reader, document)
    yield from server_components(reader, document, ("mcpServers",))
    yield from hook_components(reader, document, ("hooks",))


def _reads(document: Document) -> Iterator[tuple[str, str]]:
    """Yield the files whose text an agent is given, as it names them: its prompt is seen from its own folder."""
    prompt, listed = lookup(document.value, ("prompt",)), lookup(document.value, ("resources",))
    places = [item for item in (listed if isinstance(listed, list) else ()) if isinstance(item, str)]
    files = [text.removeprefix(_FILE) for text in places if text.startswith(_FILE)]
    if isinstance(prompt, str) and prompt.startswith(_FILE):
        named = prompt.removeprefix(_FILE)
        files.insert(0, inner(named, document.file.rpartition("/")[0]) or named)
    if files:
        yield READS, compact(files)


def _let_off(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe what the settings of an agent's tools let it do without asking."""
    for tool, settings in reader.table(document, ("toolsSettings",)).items():
        for key, value in settings.items() if isinstance(settings, dict) else ():
            if key not in _LETS_OFF:
                continue
            path = ("toolsSettings", tool, key)
            name = dotted(path)
            items = value if isinstance(value, list) else [value] if value is True else []
            words = [f"{name} = {item if isinstance(item, str) else compact(item)}" for item in items]
            if words:
                yield granting(document, path, name, words, trigger="tool")


def _language_servers(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe the language servers of the command line."""
    reader.expect_keys(document, reader.table(document), frozenset({"$schema", "languages", "version"}))
    for name, spec in reader.declared(document, ("languages",)).items():
        path = ("languages", name)
        if not isinstance(spec, dict):
            reader.fault_at(document, path, f"must be a table, not {kind_of(spec)}")
            continue
        server = language_server(reader, document, path, spec)
        if server.command:
            yield server._replace(transport="exec")
