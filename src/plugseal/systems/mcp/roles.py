"""What settings of clients grant, run and redirect beside their servers, of clients that have no system of their own.

Keys that stand in no table leave the file unread: nobody is told that all of it was looked at.

See: https://github.com/charmbracelet/crush#configuration, https://ampcode.com/manual#configuration,
https://theia-ide.org/docs/user_ai/ and
https://qwenlm.github.io/qwen-code-docs/en/users/configuration/settings
"""

from __future__ import annotations

from typing import Final

_CRUSH: Final = """
skip: mcp.**
grant: permissions.allowed_tools
program: lsp.*.command
endpoint: providers.*.base_url
path: options.context_paths options.skills_paths options.data_directory
quiet: $schema models.** options.debug options.debug_lsp options.tui.** options.disabled_tools options.disabled_skills
quiet: options.disable_auto_summarize options.disable_metrics options.attribution.** options.initialize_as
quiet: options.disable_provider_auto_update options.disable_notifications lsp.*.filetypes lsp.*.disabled
quiet: providers.*.models.** providers.*.name providers.*.type
"""
_AMP: Final = """
skip: amp.mcpServers
grant: amp.dangerouslyAllowAll amp.commands.allowlist amp.permissions amp.guardedFiles.allowlist amp.mcpPermissions
endpoint: amp.url amp.proxy
path: amp.skills.path amp.toolbox.path
quiet: amp.notifications.enabled amp.git.commit.coauthor.enabled amp.git.commit.ampThread.enabled amp.tools.disable
quiet: amp.todos.enabled amp.anthropic.thinking.enabled amp.updates.mode amp.showCosts amp.terminal.theme $schema
"""
_QWEN: Final = """
skip: mcpServers
grant: tools.approvalMode=auto-edit,yolo tools.autoAccept tools.allowed permissions.allow mcp.allowed allowedTools
grant: general.defaultApprovalMode=auto_edit,auto-edit,yolo approvalMode=auto-edit,yolo autoAccept
deny: security.folderTrust.enabled
line: tools.discoveryCommand tools.callCommand mcp.serverCommand toolDiscoveryCommand toolCallCommand mcpServerCommand
line: ui.statusLine.command
program: tools.sandbox sandbox
endpoint: security.auth.baseUrl telemetry.otlpEndpoint proxy
quiet: $schema $version ui.theme theme model.name general.language general.vimMode ui.hideTips tools.exclude
quiet: mcp.excluded permissions.deny permissions.ask
"""
_THEIA: Final = """
skip: ai-features.mcp.mcpServers
grant: ai-features.chat.toolConfirmation ai-features.chat.autoApprove
quiet: workbench.** editor.** files.** terminal.integrated.fontSize security.workspace.trust.**
"""
_CLAUDE: Final = """
skip: mcpServers projects.*.mcpServers
grant: bypassPermissionsModeAccepted projects.*.allowedTools projects.*.enabledMcpjsonServers
grant: projects.*.hasTrustDialogAccepted
"""
"""Of the client's own state in a home, of which all else is counters and caches."""
ROLES: Final = {
    ".claude.json": _CLAUDE,
    "crush.json": _CRUSH,
    ".crush.json": _CRUSH,
    ".amp/settings.json": _AMP,
    ".qwen/settings.json": _QWEN,
    ".theia/settings.json": _THEIA,
}
"""File below the opened folder, and the table of its settings."""
DOTTED: Final = frozenset({".amp/settings.json", ".theia/settings.json"})
"""Files whose keys hold their dots themselves."""
