"""What Copilot reads in the `.github` of a repository: hooks, servers, agents, prompts and instructions.

The command line asks once whether a folder is trusted; the coding agent on GitHub runs hooks on its own machine and
asks nobody. Instructions are always before the model.

See: https://docs.github.com/en/copilot/reference/hooks-configuration
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.components.hooks import hook_components
from plugseal.systems.components.parts import context_file, gated, hook_files, prose_at, server_files
from plugseal.systems.components.settings import setting_components
from plugseal.systems.copilot.parts import agent_servers, extensions_in, language_server_files
from plugseal.systems.reading.reader import PluginReader
from plugseal.systems.reading.units import make_configuration

_FOLDER: Final = ".github"
_TRUST: Final = "folder trust; none for the agent on GitHub"
_EXTENSIONS: Final = "extensions"
_FILES: Final = ("hooks", "mcp.json", "lsp.json", "copilot", "copilot-instructions.md", "agents", "prompts")
_ALL: Final = (*_FILES, "instructions", "chatmodes", _EXTENSIONS)
_ROLES: Final = """
skip: hooks.**
quiet: $schema version model theme beep banner stream logLevel includeCoAuthoredBy renderMarkdown screenReader
quiet: disabledMcpServers disabledSkills custom_agents.** experimental autoUpdate companyAnnouncements
quiet: compactPaste updateTerminalTitle ide.** mouse reasoningEffort deniedUrls disallowedTools
grant: allowedUrls trustedFolders trusted_folders allowedTools allowAllTools allowAllPaths allowAllUrls autoApprove
grant: permissions.allow
deny: askUser
path: enabledPlugins.** extraKnownMarketplaces.** skillDirectories additionalDirectories
line: statusLine.command
quiet: statusLine.type statusLine.padding disableAllHooks
"""


def describe_settings(reader: PluginReader) -> Plugin:
    """Return the unit of one repository's `.github`, as far as Copilot reads it."""
    present = [f"{_FOLDER}/{name}" for name in _ALL if reader.exists(f"{_FOLDER}/{name}")]
    files = [path for path in present if not reader.is_directory(path)]
    return make_configuration(
        "copilot",
        reader,
        manifest=(files or present)[0],
        covers=present,
        components=gated(_components(reader), _TRUST),
    )


def _components(reader: PluginReader) -> Iterator[Component]:
    hooks = [name for name in reader.names(f"{_FOLDER}/hooks") if name.endswith(".json")]
    yield from hook_files(reader, [f"{_FOLDER}/hooks/{name}" for name in hooks])
    yield from server_files(reader, (f"{_FOLDER}/mcp.json",))
    yield from language_server_files(reader, (f"{_FOLDER}/lsp.json",))
    for name in ("settings.json", "settings.local.json"):
        file = f"{_FOLDER}/copilot/{name}"
        document = reader.json(file, comments=True) if reader.exists(file) else None
        if document is not None:
            yield from setting_components(reader, document, _ROLES)
            yield from hook_components(reader, document, ("hooks",))
    yield from extensions_in(reader, f"{_FOLDER}/{_EXTENSIONS}")
    yield from gated(_prose(reader), "none")


def _prose(reader: PluginReader) -> Iterator[Component]:
    yield from context_file(reader, f"{_FOLDER}/copilot-instructions.md")
    for folder, kind, trigger, suffixes in (
        ("instructions", ComponentKind.INSTRUCTIONS, "prose", (".instructions.md",)),
        ("prompts", ComponentKind.COMMAND, "command", (".prompt.md",)),
        ("chatmodes", ComponentKind.AGENT, "prose", (".chatmode.md",)),
    ):
        yield from prose_at(reader, (f"{_FOLDER}/{folder}",), kind, trigger=trigger, suffixes=suffixes)
    agents = tuple(
        prose_at(reader, (f"{_FOLDER}/agents",), ComponentKind.AGENT, trigger="prose", suffixes=(".agent.md", ".md"))
    )
    yield from agents
    yield from agent_servers(reader, dict.fromkeys(component.file for component in agents))
