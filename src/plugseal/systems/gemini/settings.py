"""The Gemini CLI's own configuration in a working folder: `.gemini`.

Folder trust is switched off unless the user switched it on, so what stands here runs at the next start; project hooks
are compared with the ones seen before and only warned of. `.gemini/.env` is read before any other `.env`.

See: https://geminicli.com/docs/reference/configuration
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.components.hooks import hook_components
from plugseal.systems.components.parts import context_file, gated
from plugseal.systems.components.servers import server_components
from plugseal.systems.components.settings import setting_components
from plugseal.systems.gemini.parts import agents_at, commands_at, policies_at
from plugseal.systems.reading.dotenv import environment_file
from plugseal.systems.reading.reader import PluginReader
from plugseal.systems.reading.units import make_configuration

_FOLDER: Final = ".gemini"
_SETTINGS: Final = ".gemini/settings.json"
_ENVIRONMENT: Final = ".gemini/.env"
_REVIEWER: Final = ".gemini/config.yaml"
_GATE: Final = "folder trust, which is off by default"
_POLICIES: Final = "never in newer releases, which read policies of a folder no more"
_SANDBOX: Final = "folder trust, which is off by default; the user switched the sandbox on"
_ROLES: Final = """
skip: mcpServers hooks.**
quiet: $schema output.** ui.** ide.** privacy.** billing.** model.** modelConfigs.** agents.** experimental.**
quiet: general.** context.** contextManagement.** skills.** extensions.** admin.** useWriteTodos theme
quiet: hooksConfig.** tools.exclude tools.core tools.useRipgrep tools.confirmationRequired tools.disableLLMCorrection
quiet: tools.truncateToolOutputThreshold tools.shell.** mcp.excluded security.auth.** security.blockGitExtensions
quiet: security.disableYoloMode security.disableAlwaysAllow security.toolSandboxing security.enableConseca
quiet: security.environmentVariableRedaction.blocked advanced.autoConfigureMemory advanced.dnsResolutionOrder
quiet: advanced.excludedEnvVars advanced.ignoreLocalEnv security.allowedExtensions contextFileName
quiet: preferredEditor autoAccept.** coreTools excludeTools selectedAuthType vimMode hideTips fileFiltering.**
quiet: checkpointing.** usageStatisticsEnabled hideWindowTitle maxSessionTurns summarizeToolOutput.** memory.**
grant: general.defaultApprovalMode=auto_edit,yolo tools.allowed tools.sandboxAllowedPaths tools.sandboxNetworkAccess
grant: mcp.allowed security.enablePermanentToolApproval security.autoAddToPolicyByDefault allowMCPServers
grant: security.environmentVariableRedaction.allowed tools.autoAccept autoAccept allowedTools
deny: security.folderTrust.enabled security.environmentVariableRedaction.enabled agents.browser.confirmSensitiveActions
grant: tools.sandbox.allowedPaths tools.sandbox.networkAccess
path: tools.sandbox.image
quiet: tools.sandbox.enabled
program: tools.sandbox tools.sandbox.command sandbox
program: tools.shell.pager general.preferredEditor experimental.gemmaModelRouter.binaryPath
line: tools.discoveryCommand tools.callCommand mcp.serverCommand toolDiscoveryCommand toolCallCommand mcpServerCommand
endpoint: telemetry.otlpEndpoint experimental.extensionRegistryURI
quiet: telemetry.enabled telemetry.target telemetry.logPrompts telemetry.outfile telemetry.otlpProtocol
quiet: telemetry.useCollector telemetry.useCliAuth telemetry.traces
endpoint: experimental.gemmaModelRouter.classifier.host
prose: advanced.bugCommand.**
path: context.includeDirectories policyPaths adminPolicyPaths context.fileName includeDirectories
path: agents.browser.profilePath
"""


def describe_settings(reader: PluginReader) -> Plugin:
    """Return the unit of one working folder's `.gemini`."""
    present = [file for file in (_SETTINGS, _ENVIRONMENT, _REVIEWER) if reader.exists(file)]
    return make_configuration(
        "gemini",
        reader,
        manifest=present[0] if present else _FOLDER,
        covers=(_FOLDER,),
        components=gated(_components(reader), _GATE),
    )


def _components(reader: PluginReader) -> Iterator[Component]:
    document = reader.json(_SETTINGS, comments=True) if reader.exists(_SETTINGS) else None
    if document is not None:
        yield from setting_components(reader, document, _ROLES)
        yield from server_components(reader, document, ("mcpServers",))
        yield from gated(
            hook_components(reader, document, ("hooks",), but=frozenset({"enabled", "disabled", "notifications"})),
            f"{_GATE}; a warning where a hook is new",
        )
    yield from environment_file(reader, _ENVIRONMENT)
    if reader.exists(_REVIEWER):
        reader.yaml(_REVIEWER)  # Of the reviewer on GitHub: nothing in it runs anything.
    yield from commands_at(reader, f"{_FOLDER}/commands")
    yield from gated(policies_at(reader, f"{_FOLDER}/policies", may_allow=True), _POLICIES)
    yield from _sandbox(reader)
    yield from agents_at(reader, f"{_FOLDER}/agents")
    for name in ("GEMINI.md", "system.md", "styleguide.md"):
        yield from context_file(reader, f"{_FOLDER}/{name}")


def _sandbox(reader: PluginReader) -> Iterator[Component]:
    """Describe what a folder's own sandbox is made of, and the script that is run in it before everything."""
    for name, trigger in (("sandbox.bashrc", "start"), ("sandbox.Dockerfile", "install")):
        file = f"{_FOLDER}/{name}"
        if reader.is_file(file):
            yield Component(kind=ComponentKind.SCRIPT, name=name, file=file, trigger=trigger, gate=_SANDBOX, entry=file)
