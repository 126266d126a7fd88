"""Where Claude Code runs, reads or grants something: file, key, trigger and gate, each with where the fact is from.

The gates are what components say (`Component.gate`); the rows make the page of formats. As of Claude Code 2.1.239.
"""

from __future__ import annotations

from typing import Final

from plugseal.systems.surface import Surface

ENABLED: Final = "plugin enabled"
INTERACTIVE: Final = "plugin enabled, interactive sessions only"
INVOKED: Final = "plugin enabled, when invoked"
SPAWNED: Final = "plugin enabled, when spawned"
FOLDER: Final = "folder trust; none with -p"
EXACT_FOLDER: Final = "trust of this very folder"
PER_SERVER: Final = "approval of each server; none with -p"
EXACT_PER_SERVER: Final = "trust of this very folder, approval of each server"
PROJECT_INVOKED: Final = "when invoked"
PREAPPROVED: Final = "none: its own `allowed-tools` pre-approve it"
PERMISSION: Final = "permission rules"
INSTALL: Final = "install"
IGNORED: Final = "never: ignored in plugins"
NOT_OF_PROJECTS: Final = "never: counts in the user's or managed settings alone"
SPAWNED_HERE: Final = "when its agent is spawned"
PREVIEW: Final = "the user or the model starts it"
NOT_LOADED: Final = "never: not loaded from a project"

_DOCS: Final = "https://code.claude.com/docs/en/"
_PLUGIN: Final = f"{_DOCS}plugins-reference"
_TRUST: Final = f"{_DOCS}permissions"
_MCP: Final = f"{_DOCS}mcp"
_SKILLS: Final = f"{_DOCS}skills"
_MARKET: Final = f"{_DOCS}plugin-marketplaces"
_SETTINGS: Final = f"{_DOCS}settings-reference"
_MANIFEST: Final = ".claude-plugin/plugin.json"
_PROJECT: Final = ".claude/settings.json, .claude/settings.local.json"

SURFACES: Final = (
    Surface(
        "hooks/hooks.json, files that the manifest names",
        "hooks.*",
        "command (shell or exec form), request, MCP tool, prompt, agent",
        "its event",
        ENABLED,
        f"{_DOCS}hooks",
    ),
    Surface(_MANIFEST, "hooks", "the same, inline", "its event", ENABLED, _PLUGIN),
    Surface(
        ".mcp.json, files that the manifest names",
        "mcpServers.*",
        "an MCP server; `headersHelper` by a shell",
        "start",
        ENABLED,
        _MCP,
    ),
    Surface(_MANIFEST, "mcpServers", "the same, inline", "start", ENABLED, _PLUGIN),
    Surface(".lsp.json", "*", "a language server", "a file of its kind is opened", ENABLED, _PLUGIN),
    Surface(_MANIFEST, "lspServers", "the same, inline", "a file of its kind is opened", ENABLED, _PLUGIN),
    Surface(
        "monitors/monitors.json",
        "*.command",
        "a shell line for the whole session, not sandboxed",
        "session start, or the first use of a skill",
        INTERACTIVE,
        _PLUGIN,
    ),
    Surface(_MANIFEST, "experimental.monitors, monitors", "the same, inline", "session start", INTERACTIVE, _PLUGIN),
    Surface(
        "bin/*", "", "programs that go before all others of their name", "a shell command names them", ENABLED, _PLUGIN
    ),
    Surface(
        "settings.json",
        "subagentStatusLine.command",
        "a shell line",
        "each refresh of the status line",
        ENABLED,
        _PLUGIN,
    ),
    Surface(
        "settings.json",
        "agent",
        "an agent of the plugin takes the main conversation",
        "session start",
        ENABLED,
        _PLUGIN,
    ),
    Surface("workflows/*", "", "scripts that direct agents", "on invoke", INVOKED, f"{_DOCS}workflows"),
    Surface(
        _MANIFEST, "channels.*.server", "lets a server put messages into the conversation", "any time", ENABLED, _PLUGIN
    ),
    Surface(_MANIFEST, "dependencies", "further plugins that are installed with it", "install", INSTALL, _PLUGIN),
    Surface("output-styles/*.md", "", "prose that changes the system prompt", "when selected", ENABLED, _PLUGIN),
    Surface("commands/*.md, skills/*/SKILL.md", "", "prose, by the user or the model", "on invoke", INVOKED, _SKILLS),
    Surface(
        "commands/*.md, skills/*/SKILL.md",
        "!`command`, ```! blocks",
        "a shell line before the model sees the text",
        "on invoke",
        PERMISSION,
        _SKILLS,
    ),
    Surface(
        "commands/*.md, skills/*/SKILL.md", "allowed-tools", "grants tools without asking", "on invoke", "none", _SKILLS
    ),
    Surface(
        "commands/*.md, skills/*/SKILL.md",
        "hooks",
        "hooks for the rest of the session",
        "its event, once invoked",
        INVOKED,
        f"{_DOCS}hooks",
    ),
    Surface(
        "agents/*.md of a plugin",
        "hooks, mcpServers, permissionMode",
        "nothing",
        "never",
        IGNORED,
        f"{_DOCS}sub-agents",
    ),
    Surface(
        "agents/*.md of a plugin", "", "prose, by the user or the model", "on spawn", SPAWNED, f"{_DOCS}sub-agents"
    ),
    Surface(
        ".claude/agents/*.md",
        "hooks, mcpServers",
        "hooks and MCP servers of a subagent",
        "on spawn",
        EXACT_FOLDER,
        _TRUST,
    ),
    Surface(
        ".claude/agents/*.md",
        "permissionMode",
        "sets how the subagent is asked",
        "on spawn",
        PROJECT_INVOKED,
        f"{_DOCS}sub-agents",
    ),
    Surface(".mcp.json of a working folder", "mcpServers.*", "an MCP server", "start", PER_SERVER, _TRUST),
    Surface(
        ".mcp.json of a working folder", "mcpServers.*.headersHelper", "a shell line", "start", EXACT_FOLDER, _TRUST
    ),
    Surface(_PROJECT, "hooks.*", "as in plugins", "its event", FOLDER, _TRUST),
    Surface(
        _PROJECT,
        "apiKeyHelper, awsAuthRefresh, awsCredentialExport, gcpAuthRefresh, otelHeadersHelper",
        "a shell line that gives credentials",
        "start and refresh",
        FOLDER,
        _SETTINGS,
    ),
    Surface(
        _PROJECT,
        "statusLine.command, subagentStatusLine.command, fileSuggestion.command",
        "a shell line",
        "each refresh",
        FOLDER,
        _SETTINGS,
    ),
    Surface(_PROJECT, "env", "variables of the client and of all that it starts", "start", FOLDER, _SETTINGS),
    Surface(
        _PROJECT,
        "permissions.allow, permissions.additionalDirectories",
        "grants tools and folders",
        "start",
        EXACT_FOLDER,
        _TRUST,
    ),
    Surface(_PROJECT, "permissions.defaultMode", "sets how much is asked", "start", FOLDER, _SETTINGS),
    Surface(
        _PROJECT,
        "enableAllProjectMcpServers, enabledMcpjsonServers",
        "approves the repository's own servers",
        "start",
        FOLDER,
        _TRUST,
    ),
    Surface(_PROJECT, "enabledPlugins", "switches plugins on", "start", FOLDER, _SETTINGS),
    Surface(_PROJECT, "extraKnownMarketplaces", "adds places that plugins come from", "start", EXACT_FOLDER, _TRUST),
    Surface(_PROJECT, "sandbox.**", "what sandboxed commands may reach", "each shell command", FOLDER, _SETTINGS),
    Surface(
        _PROJECT,
        "processWrapper, policyHelper, autoMode, claudeMd, sandbox.bwrapPath, …",
        "nothing",
        "never",
        NOT_OF_PROJECTS,
        _SETTINGS,
    ),
    Surface(
        ".claude/launch.json",
        "configurations.*.runtimeExecutable, program",
        "a server for the preview of the desktop app",
        "the model verifies an edit, or the user opens the preview",
        PREVIEW,
        f"{_DOCS}desktop",
    ),
    Surface(
        ".claude/agent-memory/*/MEMORY.md, .claude/agent-memory-local/*/MEMORY.md",
        "",
        "prose in the system prompt of an agent with `memory`",
        "on spawn",
        SPAWNED_HERE,
        f"{_DOCS}sub-agents",
    ),
    Surface(
        ".claude/loop.md", "", "the prompt of a bare `/loop`", "on invoke", PROJECT_INVOKED, f"{_DOCS}scheduled-tasks"
    ),
    Surface(
        ".claude/skills/*/.claude-plugin/plugin.json",
        "",
        "a whole plugin, without install",
        "start",
        EXACT_FOLDER,
        _PLUGIN,
    ),
    Surface(
        "CLAUDE.md, CLAUDE.local.md, .claude/CLAUDE.md, .claude/rules/*.md",
        "",
        "prose",
        "always in context",
        "none",
        f"{_DOCS}memory",
    ),
    Surface(
        ".claude-plugin/marketplace.json",
        "plugins.*.source",
        "fetches a plugin: git, npm, a zip archive",
        "install, update",
        INSTALL,
        _MARKET,
    ),
    Surface(
        ".claude-plugin/marketplace.json",
        "plugins.*.source.command",
        "a command that makes the plugin's folder",
        "install, then once every session",
        INSTALL,
        _MARKET,
    ),
    Surface(
        ".claude-plugin/marketplace.json",
        "plugins.*.hooks, mcpServers, lspServers, …",
        "components of an entry, beside or instead of the plugin's own (`strict`)",
        "as in plugins",
        ENABLED,
        _MARKET,
    ),
)
