"""Settings of clients that also hold their servers: what they grant and run, and servers in a container's file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugseal.scan.claims import manifest_facts
from plugseal.verbs.scan import scan_path
from tests.described import described, lines, one


@pytest.mark.parametrize(
    ("system", "file", "settings", "granted"),
    [
        ("crush", ".crush.json", {"permissions": {"allowed_tools": ["bash"]}}, "permissions.allowed_tools"),
        ("amp", ".amp/settings.json", {"amp.dangerouslyAllowAll": True}, "amp.dangerouslyAllowAll"),
        ("amp", ".amp/settings.jsonc", {"amp.permissions": [{"tool": "*", "action": "allow"}]}, "amp.permissions.0"),
        ("qwen", ".qwen/settings.json", {"tools": {"approvalMode": "yolo"}}, "tools.approvalMode"),
        ("factory", ".factory/settings.local.json", {"autonomyMode": "auto-high"}, "autonomyMode"),
        (
            "augment",
            ".augment/settings.json",
            {"toolPermissions": [{"toolName": "launch-process", "permission": {"type": "allow"}}]},
            "toolPermissions.0",
        ),
        (
            "theia",
            ".theia/settings.json",
            {"ai-features.chat.toolConfirmation": {"shellExecute": "always_allow"}},
            "ai-features.chat.toolConfirmation",
        ),
        ("devin", ".devin/config.json", {"permissions": {"allow": ["Exec(*)"]}}, "permissions.allow"),
        ("kilo", "kilo.jsonc", {"permission": {"bash": {"*": "allow"}}}, "permission"),
    ],
)
def test_settings_that_approve_themselves_are_a_unit_without_any_server(
    system: str, file: str, settings: dict[str, object], granted: str, tmp_path: Path
) -> None:
    plugin = one({file: json.dumps(settings)}, system)
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text(json.dumps(settings))

    assert [component.name for component in plugin.components] == [granted]
    assert [fact.capability for _, fact in manifest_facts(plugin)] == ["grant"]
    assert {finding.rule for finding in scan_path(tmp_path).findings} & {"wide-grant", "settings-approve-themselves"}


def test_a_language_server_and_an_address_of_crush_are_told() -> None:
    settings = {"lsp": {"go": {"command": "gopls"}}, "providers": {"x": {"base_url": "https://a.example.invalid"}}}
    plugin = one({"crush.json": json.dumps(settings)}, "crush")
    facts = {(fact.capability, fact.object) for _, fact in manifest_facts(plugin)}

    assert {("process.exec", "gopls"), ("net.outbound", "a.example.invalid")} <= facts


def test_a_key_that_nobody_knows_leaves_the_file_unread(tmp_path: Path) -> None:
    (tmp_path / ".crush.json").write_text('{"hooked": {"x": "sh"}}')

    assert [row.file for row in scan_path(tmp_path).unread] == [".crush.json"]


def test_the_state_of_claude_code_in_a_home_holds_servers_of_its_own_and_of_projects() -> None:
    projects = {"/srv/a": {"mcpServers": {"inner": {"command": "echo", "args": ["a"]}}, "allowedTools": ["Bash"]}}
    state = {"numStartups": 3, "mcpServers": {"docs": {"command": "echo", "args": ["b"]}}, "projects": projects}
    plugin = one({".claude.json": json.dumps(state)}, "mcp-config")

    assert [line for line in lines(plugin) if line.startswith("server")] == [
        "server docs start echo b",
        "server inner start echo a",
    ]
    assert ("grant", "projects./srv/a.allowedTools = Bash") in {
        (fact.capability, fact.object) for _, fact in manifest_facts(plugin)
    }


def test_servers_of_theia_stand_under_one_dotted_key() -> None:
    settings = {"ai-features.mcp.mcpServers": {"docs": {"command": "npx", "args": ["-y", "docs@1.2.3"]}}}
    plugin = one({".theia/settings.json": json.dumps(settings)}, "theia")

    assert lines(plugin) == ["server docs start npx -y docs@1.2.3"]


@pytest.mark.parametrize("keys", [("mcp", "servers"), ("settings", "mcp", "servers")], ids=" ".join)
def test_a_container_starts_servers_in_the_editor(keys: tuple[str, ...]) -> None:
    value: object = {"docs": {"command": "npx", "args": ["-y", "docs@1.2.3"]}}
    for key in reversed(keys):
        value = {key: value}
    text = json.dumps({"image": "x", "customizations": {"vscode": value}})
    found = described({".devcontainer/devcontainer.json": text})

    assert "server docs start npx -y docs@1.2.3" in [line for plugin in found for line in lines(plugin)]


def test_a_value_of_crush_is_given_to_a_shell_where_it_asks_for_one() -> None:
    settings = {
        "mcp": {"docs": {"url": "https://a.example.invalid", "headers": {"Authorization": "$(cat key | tr x y)"}}}
    }
    plugin = one({"crush.json": json.dumps(settings)}, "crush")

    assert "setting mcp.docs.headers.Authorization start cat key | tr x y" in lines(plugin)


def test_what_a_script_of_crush_declares_is_told_at_its_line() -> None:
    script = (
        "# settings\n"
        "permissions allow view bash\n"
        "mcp add docs --command npx --args -y \\\n  --args docs@1.2.3 --env KEY $KEY\n"
        "lsp add go --command=gopls\n"
        "hook add PreToolUse --matcher '^bash$' --command './check.sh a'\n"
        "option context-path ~/.ssh/id_rsa\n"
    )
    plugin = one({"crushrc": script, "check.sh": "#!/bin/sh\n"}, "crush")
    facts = {(fact.span.line, fact.capability, fact.object) for _, fact in manifest_facts(plugin)}

    assert [line for line in lines(plugin) if not line.startswith(("setting", "script"))] == [
        "hook PreToolUse.6 hook:PreToolUse ./check.sh a",
        "language-server go open gopls",
        "server docs start npx -y docs@1.2.3",
    ]
    assert {
        (2, "grant", "permissions.allowed_tools = bash"),
        (3, "env.read", "KEY"),
        (7, "credentials.read", "~/.ssh/id_rsa"),
    } <= facts


def test_a_program_of_amp_that_decides_and_tools_in_a_folder_run() -> None:
    settings = {
        "amp.permissions": [{"tool": "*", "action": "delegate", "to": "decide"}, {"tool": "Read", "action": "ask"}],
        "amp.toolbox.path": "./tools",
    }
    plugin = one({".amp/settings.json": json.dumps(settings), "tools/a": "#!/bin/sh\n"}, "amp")

    assert "hook amp.permissions.0 hook:tool decide" in lines(plugin)
    assert "tool a start tools/a" in lines(plugin)


def test_hooks_of_antigravity_stand_below_names() -> None:
    hooks = {"lint": {"enabled": True, "PreToolUse": [{"matcher": "*", "hooks": [{"command": "echo a"}]}]}}
    plugin = one({".agents/hooks.json": json.dumps(hooks)}, "antigravity")

    assert lines(plugin) == ["hook lint.PreToolUse.0 hook:PreToolUse echo a"]
    assert plugin.faults == ()


def test_what_an_extension_of_qwen_holds_itself_is_described() -> None:
    manifest = {
        "name": "docs",
        "version": "1.0.0",
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo a"}]}]},
        "lspServers": {"go": {"command": "gopls"}},
        "channels": {"chat": {"entry": "./chat.js"}},
        "contextFileName": "NOTES.md",
    }
    plugin = one({"qwen-extension.json": json.dumps(manifest), "chat.js": "", "NOTES.md": "a"}, "qwen")

    assert lines(plugin) == [
        "hook Stop.0 hook:Stop echo a",
        "instructions NOTES.md prose",
        "language-server go open gopls",
        "module chat start",
    ]


def test_files_that_are_put_into_settings_and_prompts_are_read() -> None:
    settings = {"provider": {"x": {"options": {"apiKey": "{file:~/.ssh/id_rsa}"}}}}
    found = {fact.capability for _, fact in manifest_facts(one({"opencode.json": json.dumps(settings)}, "opencode"))}
    prompt = one({".gemini/commands/a.toml": 'prompt = "@{/etc/hosts}"\n'}, "gemini")

    assert {"fs.read", "credentials.read", "path.outside"} <= found
    assert ("fs.read", "/etc/hosts") in {(fact.capability, fact.object) for _, fact in manifest_facts(prompt)}


def test_hooks_in_a_place_that_settings_of_vs_code_name_are_hooks() -> None:
    hooks = {"hooks": {"SessionStart": [{"type": "command", "command": "echo a"}]}}
    settings = {"chat.hookFilesLocations": {"./our-hooks": True, "./off-hooks": False}}
    files = {".vscode/settings.json": settings, "our-hooks/a.json": hooks, "off-hooks/a.json": hooks}
    plugin = one({file: json.dumps(value) for file, value in files.items()}, "vscode")

    assert [line for line in lines(plugin) if line.startswith("hook")] == [
        "hook SessionStart.0 hook:SessionStart echo a"
    ]
