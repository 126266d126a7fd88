"""What a repository or a plugin allows itself: approvals in its own favour, wide grants, wide roots, other endpoints.

Systems say what a setting grants as `key = value`, whatever client it is of; the tables here say which of these words
take a decision away from the user, and which are only wide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.encode.urls import split_host
from plugseal.model.plugin import PINNING_WORDS, ComponentKind, Plugin
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import ManifestHit
from plugseal.scan.granted import granted_words
from plugseal.scan.matching.values import compiled
from plugseal.systems.launching.launch import assumed
from plugseal.systems.launching.pinning import build_package

_MAX_WORD: Final = 4_096
_SHELL: Final = r"(?:Bash|PowerShell|Shell|run_shell_command|ShellTool)"
_SHELLS: Final = r"(?:ba|z|da)?sh|pwsh|powershell|python[0-9.]*|node|perl|ruby|env|sudo|curl|wget|rm|eval"
"""Programs that run whatever they are given, or take away what is there."""
_ANY_COMMAND: Final = (
    rf"(?:\*|{_SHELL}|{_SHELL}\((?:\*|:\*|\*\*|\*:\*)\)"
    rf"|{_SHELL}\((?:(?:ba|z|da)?sh|python[0-9.]*|node|perl|ruby|eval|sudo|env|npx|uvx|curl|wget)\b(?: -[ce])?[ :]\*\))"
)
"""A grant of any command, or of programs that run whatever they are given."""
_ANYTHING: Final = lazy(_ANY_COMMAND)
_PROGRAM: Final = lazy(r"\(([a-z]+[0-9.]*)\b")
"""The program of a grant, none where any will do."""
_SENDS: Final = frozenset({"curl", "wget"})
_APPROVES: Final = lazy(
    r"(?i)(?:"
    r"enableAllProjectMcpServers = true|enabledMcpjsonServers = .+|permissions\.defaultMode = bypassPermissions"
    r"|skip(?:DangerousMode|Auto)PermissionPrompt = true"
    r"|(?:.+\.)?approval_policy = never|(?:.+\.)?sandbox_mode = danger-full-access"
    r"|default_permissions = :danger-full-access|(?:projects\..+\.)?trust_level = trusted|trusted_hash = .+"
    r"|general\.defaultApprovalMode = yolo|security\.folderTrust\.enabled = false"
    r"|security\.workspace\.trust\.enabled = false|task\.allowAutomaticTasks = on"
    r"|(?:chat|github\.copilot\.chat)\.(?:tools\.(?:global\.)?|agent\.)?autoApprove = true"
    r"|chat\.tools\.terminal\.enableAutoApprove = always"
    r"|chat\.tools\.terminal\.autoApprove\./\^?(?:\.|\[\\s\\S\]|\(\?:\.\))[*+]\??\$?/[a-z]{0,4}(?:\.approve)? = true"
    r"|chat\.permissions\.default = (?:autoApprove|autopilot)|yes(?:-always)? = true"
    r"|(?:claudeCode|github\.copilot\.chat\.claudeAgent)\.allowDangerouslySkipPermissions = true"
    r"|claudeCode\.initialPermissionMode = bypassPermissions"
    r"|allowAll(?:Tools|Paths|Urls) = true|autoApprove = true|(?:tools\.)?approvalMode = (?:unrestricted|yolo)"
    r"|amp\.dangerouslyAllowAll = true|amp\.permissions = (?:\*|Bash)|toolPermissions = (?:\*|launch-process)"
    r"|ai-features\.chat\.(?:defaultToolConfirmation|toolConfirmation\.(?:\*|shellExecute\w*)) = always_allow"
    r"|(?:sessionDefaultSettings\.)?autonomy(?:Mode = auto-|Level = )high|type = insecure_none"
    r"|agent\.tool_permissions\.(?:default|tools\.terminal\.default(?:_mode)?) = allow"
    r"|permission(?:\.(?:\*|bash))?(?:\.\*)? = allow|permissionMode = bypassPermissions"
    r"|trust = (?:true|auto|always|all|full|yes)"
    r"|(?:always_?allow|auto_?approve) = \*|agent\.always_allow_tool_actions = true"
    r"|(?:session\.)?trust_all_worktrees = true"
    r"|(?:permissions\.allow|allowedTools|tools\.allowed|allowed-tools|front\.allowed-tools)"
    r" = (?:Bash|PowerShell|Shell|run_shell_command)\((?:.*[ /])?plugseal"
    r"(?:[ :]\*| (?:trust|enable|revoke|disable|key|receipt|policy|pins|wrap|unwrap|amber (?:on|off)"
    r"|codewhale (?:trust|enable))\b.*)\)"
    r")"
)
"""Words by which a setting answers a question that is the user's."""
_WIDE: Final = lazy(
    rf"(?i)(?:permissions\.allow|allowedTools|tools\.allowed|tools\.core|permissions\.allowed_tools) = {_ANY_COMMAND}"
    r"|permissions\.allowed_tools = bash:execute|amp\.commands\.allowlist = \*|(?:tools\.)?approvalMode = auto[-_]edit"
    rf"|(?:commandAllowlist|ai-features\.terminal\.shellCommandAllowlist) = (?:\*|(?:{_SHELLS})(?: [*-].*)?)"
    r"|toolsSettings\.(?:execute_bash|shell)\.allowedCommands = \^?\.?\*\$?"
    r"|permissions\.allow = Exec(?:\((?:\*+)?\))?"
    r"|(?:permissions\.defaultMode = (?:acceptEdits|auto)|general\.defaultApprovalMode = auto_edit"
    r"|permissionMode = (?:acceptEdits|auto)"
    r"|sandbox\.(?:enabled = false|allowUnsandboxedCommands = true|filesystem\.disabled = true|mode = disabled)"
    rf"|allow (?:run_shell_command|(?:{_SHELLS})(?: .*)?)"
    r"|privileged = true|cap_?add = .*(?:ALL|SYS_ADMIN).*|(?:mounts = |volume ).*docker\.sock.*"
    r"|mounts = .*(?:source|src)=(?:/|~|\$\{localEnv:(?:HOME|USERPROFILE)\})"
    r"(?:/\.(?:ssh|aws|gnupg|kube|config)[^,]*)?,.*"
    r"|volume (?:/|~|\$\{?HOME\}?):.*"
    r"|disableAllHooks = true|tools\.autoAccept = true|sandbox_workspace_write\.writable_roots = (?:/|~|\$HOME)"
    r"|(?:permissions\.additionalDirectories|trustedFolders|trusted_folders|additionalReadwritePaths)"
    r" = (?:/|~/?|\$\{?HOME\}?/?|/(?:home|Users|root)(?:/[^/]+)?/?|[A-Z]:[\\/]*))"
)
"""Words that are wide but leave the user in charge."""
_GRANTS_TOOLS: Final = ("front.allowed-tools", "front.allowedTools", "allowed-tools")
_ROOT: Final = r"(?:/|~/?|\$\{?HOME\}?/?|\$\{env:HOME\}/?|%USERPROFILE%|/(?:home|Users|root|etc)/?|[A-Za-z]:[\\/]*)"
_ROOT_WORD: Final = lazy(rf"(?:--?[a-z][a-z-]*=)?{_ROOT}", needs=("/", "~", ":", "$home", "${home", "%userprofile%"))
_VOLUME: Final = lazy(
    rf"(?:--volume=|-v=?)?{_ROOT}:/[^:]*(?::[a-zA-Z,]+)?|(?:--mount=)?(?:.*,)?(?:src|source)={_ROOT}(?:,[\s\S]*)?",
    needs=(":/", "src=", "source="),
)
_ENDPOINT_NAME: Final = lazy(
    r"(?:ANTHROPIC|OPENAI|GEMINI|GOOGLE_GEMINI|CODEX|CLAUDE_CODE|AZURE_OPENAI|OPENROUTER|MISTRAL|DEEPSEEK|GROQ)"
    r"_(?:[A-Z]+_){0,2}(?:BASE_URL|API_BASE|ENDPOINT|API_URL)|(?:OPENAI|ANTHROPIC)_API_(?:BASE|HOST)"
    r"|(?:HTTPS?|ALL)_PROXY|(?:https?|all)_proxy"
)
_ENDPOINT_KEY: Final = lazy(
    r"(?i)(?:.*[._])?(?:base_?url|api|apibase|proxy|url|gateway_?url|forceLoginGatewayUrl|overrideProxyUrl"
    r"|overrideCapiUrl|overrideChatEngine|otlpEndpoint|extensionRegistryURI|serviceUrl|openai-api-base"
    r"|model_providers\..+)"
)
_TLS: Final = {"NODE_TLS_REJECT_UNAUTHORIZED": r"0", "NODE_EXTRA_CA_CERTS": r".+", "SSL_CERT_FILE": r".+"}
_OWN_HOSTS: Final = lazy(
    r"(?:.+\.)?(?:anthropic\.com|claude\.ai|openai\.com|chatgpt\.com|googleapis\.com|google\.com|azure\.com|amazonaws\.com"
    r"|githubcopilot\.com|github\.com|cursor\.(?:sh|com)|openrouter\.ai|mistral\.ai|deepseek\.com|groq\.com|x\.ai)"
)
"""Hosts of those who make the clients and models: nothing is sent elsewhere by naming them."""
_LOOPBACK: Final = lazy(r"(?:localhost|127\.[0-9.]+|::1|0\.0\.0\.0|host\.docker\.internal|.+\.localhost)")
_PROGRAMS: Final = frozenset(
    """
    bash cat cd chmod cp curl docker echo env find gh git grep head kubectl less ls make mkdir mv node npm npx pip pip3
    pnpm ps python python3 rg rm sed sh sh sort ssh sudo tail tar touch tsc uv uvx wget which xargs yarn zsh brew aws
    gcloud az terraform cargo go java ruby rustc bun deno jq awk open code claude codex gemini cursor plugseal
    """.split()
)
"""Programs that people and agents call by their bare name."""


def look_for_self_approving_settings(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find settings that answer for the user: approvals of everything, modes without questions, trust in itself."""
    yield from _granting(plugin, _APPROVES, "nobody is asked any more")


def look_for_wide_grants(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find settings that allow any command, every folder, or switch a guard off."""
    yield from _granting(plugin, _WIDE, "more than any one task needs")


def look_for_unrestricted_shell(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find prose that allows itself any shell command, or programs that do what they are told; once for each text."""
    for component in plugin.components:
        wide = [w for key, w in granted_words(component) if key in _GRANTS_TOOLS and _ANYTHING.fullmatch(w)]
        whole = [word for word in wide if not _PROGRAM.search(word)]
        if whole:
            yield ManifestHit(component, whole[0], "any command, unasked", whole[0])
        elif wide:
            yield ManifestHit(component, wide[0], _what_programs_do(wide), ", ".join(wide))


def _what_programs_do(words: list[str]) -> str:
    """Say what grants of programs with any argument come to."""
    names = {name: None for word in words if (found := _PROGRAM.search(word)) and (name := found[1])}
    run = [f"`{name}`" for name in names if name not in _SENDS]
    send = [f"`{name}`" for name in names if name in _SENDS]
    parts = [f"any code, by {', '.join(run)}"] if run else []
    return "; ".join([*parts, *([f"any request and any download, by {', '.join(send)}"] if send else [])])


def look_for_wide_roots(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find servers that are given a whole home, disk or machine."""
    for component in plugin.components:
        if component.kind is not ComponentKind.SERVER or component.shell:
            continue
        for word in (word for word in component.command[1:] if len(word) <= _MAX_WORD):
            if _ROOT_WORD.fullmatch(word) or _VOLUME.fullmatch(word):
                yield ManifestHit(component, word, "all that is below it", word)


def look_for_redirected_endpoints(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find settings that send a client's traffic elsewhere, or make it trust whoever answers."""
    for component in plugin.components:
        if component.kind is not ComponentKind.SETTING:
            continue
        if any(package.source == "registry" for package in component.packages):
            continue  # Packages come from there; nothing that the client says goes there.
        is_endpoint = len(component.name) <= _MAX_WORD and _ENDPOINT_KEY.fullmatch(component.name)
        if component.endpoint and is_endpoint and _leads_away(component.endpoint):
            yield ManifestHit(component, component.endpoint, "prompts and credentials go there", component.endpoint)
        for name, value in component.literals:
            if _ENDPOINT_NAME.fullmatch(name) and _leads_away(value):
                yield ManifestHit(component, value, f"`{name}`", _host(value) or value)
            elif name in _TLS and compiled(_TLS[name]).fullmatch(value):
                yield ManifestHit(component, name, "whoever answers is believed", name)


def look_for_shadowed_programs(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find programs of a plugin that take the name of a common one and go before it in the search path."""
    for component in plugin.components:
        if component.kind is ComponentKind.EXECUTABLE and ("search-path", '"first"') in component.extra:
            name = component.name.lower().partition(".")[0]
            if name in _PROGRAMS:
                yield ManifestHit(component, component.name, f"runs instead of `{name}`", component.name)


_FOR_DEVELOPERS: Final = "hook:pre-commit"
"""What runs before a commit is pinned by tags everywhere, and reaches nobody but who works on the plugin."""


def look_for_unbound_sources(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find sources that no commit, digest or exact version binds."""
    for component in plugin.components:
        if component.kind is not ComponentKind.SOURCE or component.command or component.trigger == "unknown":
            continue  # What a build server fetches is not what a user installs.
        for package in component.packages:
            if package.pinning == "versioned" and component.trigger in (_FOR_DEVELOPERS, "command"):
                continue
            name, pinning = package.name or component.name, package.pinning
            if package.name and (default := assumed(package.name)) != package.name:
                # The user's own environment may name another one; what is written here is this.
                name, pinning = default, build_package(default, package.source).pinning
                if pinning == "versioned" and component.trigger in (_FOR_DEVELOPERS, "command"):
                    continue
            if package.source != "local" and pinning != "exact":
                yield ManifestHit(component, component.name, f"{PINNING_WORDS[pinning]}: {name}", package.name)


def look_for_source_commands(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find marketplace entries whose plugin is made by a command."""
    for component in plugin.components:
        if component.kind is ComponentKind.SOURCE and component.command:
            yield ManifestHit(component, component.command[0], "runs at install and once every session")


def _granting(plugin: Plugin, pattern: re.Pattern[str], note: str) -> Iterator[ManifestHit]:
    for component in plugin.components:
        for key, word in granted_words(component):
            name = key.removeprefix("front.")
            is_whole = " = " in word or word.startswith("allow ")
            text = word if is_whole else f"{name} = {'true' if word == name else word}"
            if (key not in _GRANTS_TOOLS or "plugseal" in text) and len(text) <= _MAX_WORD and pattern.fullmatch(text):
                yield ManifestHit(component, _pointed_at(text), note, text)


def _pointed_at(text: str) -> str:
    """Return the value of `key = value` if it can be looked for, else the key's last part."""
    key, _, value = text.partition(" = ")
    return value if value not in ("true", "false", "on", "allow", "*") else key.rpartition(".")[2]


def _leads_away(address: str) -> bool:
    host = _host(address)
    if not host:
        return "://" in address and "${" not in address
    return not _OWN_HOSTS.fullmatch(host) and not _LOOPBACK.fullmatch(host)


def _host(address: str) -> str:
    """Return the host of an address, of one without scheme too."""
    return split_host(address if "://" in address else f"//{address}")
