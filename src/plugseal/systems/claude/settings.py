"""Claude Code's own configuration in a working folder: `.claude`, `.mcp.json`, `CLAUDE.md`.

Everything here comes with a clone and asks for no install. What stands before it differs key by key; with `claude -p`
nothing does, the rules about grants, marketplaces and subagents aside.

See: https://code.claude.com/docs/en/settings-reference and https://code.claude.com/docs/en/permissions
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Package, Pinning, Plugin
from plugseal.systems.claude.parts import scripts
from plugseal.systems.claude.preview import preview_servers
from plugseal.systems.claude.prose import agents_of, skills_in, with_commands
from plugseal.systems.claude.surfaces import (
    EXACT_FOLDER,
    FOLDER,
    NOT_OF_PROJECTS,
    PER_SERVER,
    PROJECT_INVOKED,
    SPAWNED_HERE,
)
from plugseal.systems.components.hooks import hook_components
from plugseal.systems.components.parts import context_file, gated, prose_at, servers_in
from plugseal.systems.components.prose import files_below
from plugseal.systems.components.settings import setting_components
from plugseal.systems.components.sources import source_package
from plugseal.systems.reading.reader import Document, PluginReader, compact
from plugseal.systems.reading.units import make_configuration

HOME: Final = ".claude"
SETTINGS: Final = (".claude/settings.json", ".claude/settings.local.json")
SERVERS: Final = ".mcp.json"
MARKS: Final = frozenset(
    "settings.json settings.local.json commands agents skills rules output-styles workflows hooks CLAUDE.md loop.md "
    "launch.json agent-memory agent-memory-local".split()
)
"""What in a folder `.claude` makes it more than somebody's notes."""
_CONTEXT: Final = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md")
_MEMORY: Final = (f"{HOME}/agent-memory", f"{HOME}/agent-memory-local")
_LOOP: Final = f"{HOME}/loop.md"
_NOT_OF_PROJECTS: Final = (
    *("allowAllClaudeAiMcps", "allowedChannelPlugins", "browserExternalPageTools", "channelsEnabled", "claudeMd"),
    *("forceLoginGatewayUrl", "pluginTrustMessage", "policyHelper", "sandbox.bwrapPath", "sandbox.socatPath"),
    *("autoMode", "pluginConfigs", "processWrapper", "sandbox.allowAppleEvents", "sandbox.credentials"),
    *("sandbox.filesystem.disabled", "sandbox.network.strictAllowlist", "sandbox.network.tlsTerminate"),
    *("sandbox.ripgrep", "skipAutoPermissionPrompt", "sshConfigs"),
)
"""Keys that count in the settings of the user or of an administrator alone; older releases read some of them here."""
_EXACT_KEYS: Final = ("permissions.allow", "permissions.additionalDirectories", "extraKnownMarketplaces")
_ROLES: Final = """
skip: hooks extraKnownMarketplaces
line: apiKeyHelper awsAuthRefresh awsCredentialExport gcpAuthRefresh otelHeadersHelper proxyAuthHelper
line: statusLine.command subagentStatusLine.command fileSuggestion.command policyHelper.path processWrapper
program: sandbox.bwrapPath sandbox.socatPath sandbox.ripgrep
environment: env
endpoint: forceLoginGatewayUrl
prose: claudeMd companyAnnouncements pluginTrustMessage autoMode.**
path: autoMemoryDirectory plansDirectory modelOverrides.** pluginConfigs.** sshConfigs prUrlTemplate
path: worktree.symlinkDirectories agent outputStyle
grant: permissions.allow permissions.additionalDirectories
grant: permissions.defaultMode=acceptEdits,auto,bypassPermissions,dontAsk
grant: enableAllProjectMcpServers enabledMcpjsonServers enabledPlugins.** allowAllClaudeAiMcps
grant: skipDangerousModePermissionPrompt skipAutoPermissionPrompt skipWebFetchPreflight disableAllHooks
grant: allowedHttpHookUrls httpHookAllowedEnvVars allowedChannelPlugins crossSessionInbound channelsEnabled
grant: remoteControlAtStartup browserExternalPageTools respondToBashCommands
grant: sandbox.autoAllowBashIfSandboxed sandbox.excludedCommands sandbox.ignoreViolations.**
grant: sandbox.enableWeakerNestedSandbox sandbox.enableWeakerNetworkIsolation sandbox.allowAppleEvents
grant: sandbox.filesystem.allowRead sandbox.filesystem.allowWrite sandbox.filesystem.disabled
grant: sandbox.network.allowAllUnixSockets sandbox.network.allowLocalBinding sandbox.network.allowMachLookup
grant: sandbox.network.allowUnixSockets sandbox.network.allowedDomains sandbox.network.tlsTerminate.**
grant: sandbox.credentials.allowPlaintextInject sandbox.credentials.**
deny: sandbox.enabled sandbox.failIfUnavailable sandbox.network.strictAllowlist
grant: sandbox.allowUnsandboxedCommands
quiet: $schema permissions.deny permissions.ask permissions.disableBypassPermissionsMode permissions.disableAutoMode
quiet: statusLine.** subagentStatusLine.** fileSuggestion.type policyHelper.**
quiet: advisorModel agentPushNotifEnabled allowManagedHooksOnly allowManagedMcpServersOnly allowedMcpServers
quiet: allowManagedPermissionRulesOnly alwaysThinkingEnabled askUserQuestionTimeout attribution.** autoCompactEnabled
quiet: autoCompactWindow autoConnectIde autoInstallIdeExtension autoMemoryEnabled autoScrollEnabled autoUpdatesChannel
quiet: availableModels awaySummaryEnabled axScreenReader blockedMarketplaces claudeMdExcludes cleanupPeriodDays
quiet: defaultShell deniedMcpServers dialogExpiry diffTool disableAgentView disableArtifact disableAutoMode
quiet: disableBrowserExternalNavigation disableBundledSkills disableClaudeAiConnectors disableCommandPluginSources
quiet: disableDeepLinkRegistration disableMobileSimulatorTools disableRemoteControl disableSideloadFlags
quiet: disableSkillShellExecution disableWorkflows disabledMcpjsonServers editorMode effortLevel emojiCompletionEnabled
quiet: enableArtifact enableWorkflows enforceAvailableModels externalEditorContext fallbackModel fastMode
quiet: fastModePerSessionOptIn feedbackSurveyRate fileCheckpointingEnabled footerLinksRegexes forceLoginMethod
quiet: forceLoginOrgUUID forceRemoteSettingsRefresh includeCoAuthoredBy includeGitInstructions inputNeededNotifEnabled
quiet: isolatePeerMachines keybindingFlavor language minimumVersion model parentSettingsBehavior
quiet: permissionExplainerEnabled pluginSuggestionMarketplaces preferredNotifChannel prefersReducedMotion
quiet: promptSuggestionEnabled remote.** requiredMaximumVersion requiredMinimumVersion respectGitignore
quiet: showClearContextOnPlanAccept showThinkingSummaries showTurnDuration skillListingBudgetFraction
quiet: skillListingMaxDescChars skillOverrides.** spellcheck.** spinnerTipsEnabled spinnerTipsOverride.**
quiet: spinnerVerbs.** sshHostAllowlist strictKnownMarketplaces strictPluginOnlyCustomization.** switchModelsOnFlag
quiet: syncClaudeAiSkills syntaxHighlightingDisabled teammateDefaultModel teammateMode terminalProgressBarEnabled
quiet: terminalTitleFromRename theme tui.** ultracode useAutoModeDuringPlan verbose viewMode vimInsertModeRemaps.**
quiet: voice.** voiceEnabled wheelScrollAccelerationEnabled workflowKeywordTriggerEnabled workflowSizeGuideline
quiet: worktree.baseRef worktree.bgIsolation worktree.sparsePaths wslInheritsWindowsSettings
quiet: sandbox.filesystem.denyRead sandbox.filesystem.denyWrite sandbox.filesystem.allowManagedReadPathsOnly
quiet: sandbox.network.deniedDomains sandbox.network.httpProxyPort sandbox.network.socksProxyPort
quiet: sandbox.network.allowManagedDomainsOnly sandbox.enabledPlatforms skippedMarketplaces skippedPlugins
quiet: requireCoworkFullVmSandbox
"""


def describe_settings(reader: PluginReader) -> Plugin:
    """Return the unit of one working folder's configuration."""
    manifest = next((file for file in SETTINGS if reader.exists(file)), HOME)
    return make_configuration(
        "claude-code",
        reader,
        manifest=manifest,
        covers=(HOME, SERVERS, *_CONTEXT),
        components=tuple(_components(reader)),
    )


def _components(reader: PluginReader) -> Iterator[Component]:
    for file in SETTINGS:
        document = reader.json(file) if reader.exists(file) else None
        if document is not None:
            yield from _settings(reader, document)
    servers = reader.json(SERVERS) if reader.exists(SERVERS) else None
    if servers is not None:
        for component in servers_in(reader, servers, ()):
            yield component._replace(gate=PER_SERVER if component.kind is ComponentKind.SERVER else EXACT_FOLDER)
    prose = [*skills_in(reader, (f"{HOME}/skills",))]
    prose += prose_at(reader, (f"{HOME}/commands",), ComponentKind.COMMAND, trigger="command")
    yield from gated(with_commands(reader, prose), PROJECT_INVOKED)
    agents = prose_at(reader, (f"{HOME}/agents",), ComponentKind.AGENT, trigger="prose")
    for component in agents_of(agents, in_plugin=False):
        yield component._replace(gate=PROJECT_INVOKED if component.kind is ComponentKind.AGENT else EXACT_FOLDER)
    yield from gated(_instructions(reader), "none")
    yield from gated(prose_at(reader, (_LOOP,), ComponentKind.COMMAND, trigger="command"), PROJECT_INVOKED)
    memories = [file for folder in _MEMORY for file in files_below(reader, folder, lambda name: name == "MEMORY.md")]
    yield from gated(prose_at(reader, sorted(memories), ComponentKind.INSTRUCTIONS, trigger="prose"), SPAWNED_HERE)
    yield from preview_servers(reader)
    yield from scripts(reader, f"{HOME}/workflows", gate=PROJECT_INVOKED)


def _instructions(reader: PluginReader) -> Iterator[Component]:
    for file in (*_CONTEXT, *sorted(files_below(reader, f"{HOME}/rules", lambda name: name.endswith(".md")))):
        yield from context_file(reader, file)
    yield from prose_at(reader, (f"{HOME}/output-styles",), ComponentKind.INSTRUCTIONS, trigger="prose")


def _settings(reader: PluginReader, document: Document) -> Iterator[Component]:
    for component in setting_components(reader, document, _ROLES):
        yield component._replace(gate=_gate(component.name))
    yield from gated(hook_components(reader, document, ("hooks",)), FOLDER)
    for name, spec in reader.declared(document, ("extraKnownMarketplaces",)).items():
        yield _marketplace(reader, document, name, spec)


def _gate(key: str) -> str:
    if key.startswith(_NOT_OF_PROJECTS):
        return NOT_OF_PROJECTS
    return EXACT_FOLDER if key.startswith(_EXACT_KEYS) else FOLDER


def _marketplace(reader: PluginReader, document: Document, name: str, spec: object) -> Component:
    """Return a marketplace that the repository adds to those of its user."""
    path = ("extraKnownMarketplaces", name)
    source = spec.get("source") if isinstance(spec, dict) else None
    package = source_package(source)
    if package is None:
        reader.fault_at(document, path, "has no source that is known")
        package = Package(None, "", Pinning.FLOATING.value)
    place = document.locate(path)
    return Component(
        kind=ComponentKind.SOURCE,
        name=name,
        file=document.file,
        span=place,
        endpoint=package.name if package.name and "://" in package.name else None,
        trigger="start",
        gate=EXACT_FOLDER,
        extra=(("marketplace", compact(spec)),),
        places=(("endpoint", place), ("extra.marketplace", place)),
        packages=(package,),
    )
