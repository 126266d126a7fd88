"""What settings of clients do, by their keys: of clients whose settings hold servers and hooks among many things.

Data alone, as `components/settings.py` reads it. Keys that stand in no table leave the file unread: nobody is told that
all of it was looked at.

See: https://github.com/charmbracelet/crush/blob/main/schema.json, https://ampcode.com/manual#configuration,
https://qwenlm.github.io/qwen-code-docs/en/users/configuration/settings, https://theia-ide.org/docs/user_ai/,
https://docs.factory.ai/cli/configuration/settings, https://docs.augmentcode.com/cli/hooks and
https://docs.devin.ai/cli/reference/configuration/config-file
"""

from __future__ import annotations

from typing import Final

CRUSH: Final = """
skip: mcp hooks
grant: permissions.allowed_tools
program: lsp.*.command
line: providers.*.aws_auth_refresh
endpoint: providers.*.base_url
prose: providers.*.system_prompt_prefix
reads: options.context_paths options.global_context_paths
path: options.skills_paths options.data_directory
environment: env lsp.*.env
quiet: $schema models.** options.debug options.debug_lsp options.tui.** options.disabled_tools options.disabled_skills
quiet: options.disable_auto_summarize options.disable_metrics options.attribution.** options.initialize_as
quiet: options.disable_provider_auto_update options.disable_default_providers options.disable_notifications
quiet: options.auto_lsp options.progress options.notifications lsp.*.filetypes lsp.*.disabled lsp.*.root_markers
quiet: lsp.*.init_options.** lsp.*.options.** lsp.*.timeout lsp.*.args providers.*.models.** providers.*.name
quiet: providers.*.type providers.*.id providers.*.disable providers.*.flat_rate providers.*.discover_models
quiet: providers.*.extra_headers.** providers.*.extra_body.** providers.*.provider_options.** providers.*.api_key
quiet: tools.ls.** tools.grep.** tools.glob.**
"""
"""Of `lsp`, the arguments stand beside the program, which is described with them. A credential in `api_key` or a header
is a finding of its own."""
AMP: Final = """
skip: amp.mcpServers
grant: amp.dangerouslyAllowAll amp.commands.allowlist amp.guardedFiles.allowlist amp.mcpPermissions
grant: amp.mcpTrustedServers
endpoint: amp.url amp.proxy
path: amp.skills.path amp.toolbox.path
quiet: amp.notifications.enabled amp.git.commit.coauthor.enabled amp.git.commit.ampThread.enabled amp.tools.disable
quiet: amp.todos.enabled amp.anthropic.thinking.enabled amp.updates.mode amp.showCosts amp.terminal.theme $schema
quiet: amp.fuzzy.alwaysIncludePaths amp.tools.enable
skip: amp.permissions
"""
QWEN: Final = """
skip: mcpServers hooks modelProviders.**
grant: tools.approvalMode=auto-edit,auto,yolo tools.autoAccept tools.allowed permissions.allow mcp.allowed allowedTools
grant: general.defaultApprovalMode=auto_edit,auto-edit,yolo approvalMode=auto-edit,yolo autoAccept tools.core
grant: security.allowedHttpHookUrls security.allowPrivateNetworkHooks
deny: security.folderTrust.enabled
line: tools.discoveryCommand tools.callCommand mcp.serverCommand toolDiscoveryCommand toolCallCommand mcpServerCommand
line: ui.statusLine.command
program: tools.sandbox sandbox general.preferredEditor
endpoint: security.auth.baseUrl telemetry.otlpEndpoint proxy
environment: env
path: context.includeDirectories context.fileName plansDirectory
prose: general.outputStyle
quiet: $schema $version ui.theme theme model.name general.language general.vimMode ui.hideTips tools.exclude
quiet: mcp.excluded permissions.deny permissions.ask disableAllHooks ui.statusLine.type general.enableAutoUpdate
quiet: general.gitCoAuthor.** general.checkpointing.** general.outputLanguage ui.hideBanner ui.accessibility.**
quiet: model.generationConfig.** model.maxSessionTurns model.enableOpenAILogging telemetry.enabled telemetry.target
quiet: telemetry.logPrompts context.fileFiltering.** security.auth.selectedType privacy.usageStatisticsEnabled
quiet: general.showSessionRecap general.voice.enabled general.defaultFileEncoding
"""
THEIA: Final = """
skip: ai-features.mcp.mcpServers ai-features.openAiCustom.customOpenAiModels
skip: ai-features.anthropicCustom.customAnthropicModels ai-features.vercelAi.customModels
grant: ai-features.chat.toolConfirmation.** ai-features.chat.defaultToolConfirmation=always_allow
grant: ai-features.chat.autoApprove ai-features.terminal.shellCommandAllowlist
grant: ai-features.workspaceFunctions.allowedExternalPaths ai-features.chat.allowedResourceUrls
program: ai-features.claudeCode.executablePath
endpoint: ai-features.ollama.ollamaHost ai-features.copilot.enterpriseUrl
path: ai-features.skills.skillDirectories ai-features.promptTemplates.promptTemplatesFolder
path: ai-features.promptTemplates.WorkspaceTemplateDirectories ai-features.promptTemplates.WorkspaceTemplateFiles
quiet: ai-features.AiEnable.enableAI ai-features.agentMode.enabled ai-features.chat.defaultChatAgent
quiet: ai-features.terminal.shellCommandDenylist ai-features.codeCompletion.** ai-features.notifications.default
quiet: workbench.** editor.** files.** terminal.integrated.fontSize security.workspace.trust.**
"""
FACTORY: Final = """
skip: hooks mcpServers customModels
grant: commandAllowlist autonomyMode=auto-low,auto-medium,auto-high autonomyLevel=low,medium,high
grant: sessionDefaultSettings.autonomyMode=auto-low,auto-medium,auto-high
grant: sessionDefaultSettings.autonomyLevel=low,medium,high enabledPlugins.** extraKnownMarketplaces.**
deny: enableDroidShield
path: completionSound awaitingInputSound
quiet: $schema model reasoningEffort cloudSessionSync diffMode soundFocusMode commandDenylist includeCoAuthoredByDroid
quiet: hooksDisabled ideAutoConnect todoDisplayMode showThinkingInMainView sessionDefaultSettings.model
quiet: sessionDefaultSettings.reasoningEffort
"""
AUGMENT: Final = """
skip: hooks mcpServers toolPermissions
grant: enabledPlugins.** extraKnownMarketplaces.**
quiet: $schema model removedTools indexingAllowDirs.** theme vimMode includeCoAuthoredBy
"""
DEVIN: Final = """
skip: mcpServers hooks
grant: permissions.allow
quiet: $schema version permissions.deny permissions.ask read_config_from.**
"""
