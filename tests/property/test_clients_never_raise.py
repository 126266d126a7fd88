"""Whatever stands in a file that a client or a tool reads, describing it ends in data, faults or unknown keys."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plugseal.scan.discover import manifest_facts
from tests.described import described

_KEYS = (
    "name command args env hooks mcpServers servers mcp lsp plugin tasks type run uses steps jobs on scripts "
    "dependencies husky plugins source url label windows options runOptions configurations recommendations "
    "settings server mcp_config platform_overrides entry_point user_config tools when then extensions title "
    "instructions prompt retry checks envs permissions features initializeCommand postCreateCommand "
    "customizations services volumes image repos rule decision mcp_servers model_providers profiles projects "
    "state notify pi openclaw metadata build-system tool pytest addopts backend-path build-backend packages "
    "remotes startCommand variables properties apps install terminals setup-worktree events "
    "openclaw.plugin.json skills agents commands provider formatter experimental hook"
).split()
_JSON_FILES = (
    ".codex-plugin/plugin.json .app.json .agents/plugins/marketplace.json .codex/hooks.json "
    "gemini-extension.json .gemini/settings.json .cursor-plugin/plugin.json .cursor/hooks.json "
    ".cursor/environment.json .cursor/worktrees.json .cursor/cli.json .vscode/tasks.json .vscode/settings.json "
    ".vscode/launch.json .vscode/mcp.json .vscode/extensions.json x.code-workspace .github/hooks/a.json "
    ".github/mcp.json .github/lsp.json .plugin/plugin.json opencode.json openclaw.plugin.json manifest.json "
    ".kiro/hooks/a.kiro.hook .kiro/agents/a.json .windsurf/hooks.json .zed/settings.json .zed/tasks.json "
    ".grok-plugin/plugin.json .pi/settings.json package.json .devcontainer.json server.json my.mcp.json "
    ".agents/plugins/p/plugin.json mcp.json5 .opencode/package.json crush.json .amp/settings.json "
    ".qwen/settings.json qwen-extension.json .theia/settings.json .theia/tasks.json .factory/settings.json "
    ".augment/settings.json kilo.json .amazonq/cli-agents/a.json .devin/config.json .agents/hooks.json"
).split()
_YAML_FILES = (
    ".github/workflows/a.yml action.yml recipes/a.yaml plugin.yaml smithery.yaml docker-compose.yml "
    ".pre-commit-config.yaml lefthook.yml Taskfile.yml .yarnrc.yml pnpm-workspace.yaml mcp.yaml"
).split()
_TEXT_FILES = (
    ".codex/config.toml .codex/agents/a.toml .codex/environments/a.toml .codex/rules/a.rules .gemini/.env "
    ".npmrc .gemini/commands/a.toml .gemini/policies/a.toml pyproject.toml mise.toml bunfig.toml Cargo.toml "
    "setup.cfg Makefile justfile x.pth .pylintrc HOOK.md POWER.md crushrc"
).split()
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.sampled_from(["", "x", "./a.js", "../x", "sh -c 'a", "${X", "{env:A}"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=4),
    max_leaves=12,
)
_LINES = (
    "a = 1|[x]|[[rule]]|[tool.a]|name = 'x'|decision = 'allow'|prompt = '!{a'|a:|\ta|import x|$(shell a|${A|  run: x|"
    "hook add A --command|mcp add b --env C|permissions allow|option context-path /|"
    "prefix_rule(pattern=[|decision=\"allow\")|'''|[mcp_servers.a]|command = 'x'|hooks = 1|[hooks]|---|A=1|export|="
).split("|")
_BESIDE = {"__init__.py": "", "a.js": "", "skills/a/SKILL.md": "---\nname: a\n---\n"}


def _describe(file: str, text: str) -> None:
    for plugin in described({**_BESIDE, file: text}):
        list(manifest_facts(plugin))


@pytest.mark.parametrize("file", [*_JSON_FILES, *_YAML_FILES])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(value=st.dictionaries(st.sampled_from(_KEYS), _VALUES, max_size=6) | _VALUES)
def test_any_document_is_described(file: str, value: object) -> None:
    _describe(file, json.dumps(value))


@pytest.mark.parametrize("file", _TEXT_FILES)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=st.lists(st.sampled_from(_LINES), max_size=8))
def test_any_text_is_described(file: str, text: list[str]) -> None:
    _describe(file, "\n".join(text))
