"""Settings of clients that also hold their servers: what they grant and run, and servers in a container's file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugseal.scan.claims import manifest_facts
from plugseal.verbs.scan import scan_path
from tests.described import described, lines, one


@pytest.mark.parametrize(
    ("file", "settings", "granted"),
    [
        pytest.param(
            ".crush.json", {"permissions": {"allowed_tools": ["bash"]}}, "permissions.allowed_tools", id="Crush"
        ),
        pytest.param(".amp/settings.json", {"amp.dangerouslyAllowAll": True}, "amp.dangerouslyAllowAll", id="Amp"),
        pytest.param(".qwen/settings.json", {"tools": {"approvalMode": "yolo"}}, "tools.approvalMode", id="Qwen"),
    ],
)
def test_settings_that_approve_themselves_are_a_unit_without_any_server(
    file: str, settings: dict[str, object], granted: str, tmp_path: Path
) -> None:
    plugin = one({file: json.dumps(settings)}, "mcp-config")
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text(json.dumps(settings))

    assert [component.name for component in plugin.components] == [granted]
    assert [fact.capability for _, fact in manifest_facts(plugin)] == ["grant"]
    assert {finding.rule for finding in scan_path(tmp_path).findings} & {"wide-grant", "settings-approve-themselves"}


def test_a_language_server_and_an_address_of_crush_are_told() -> None:
    settings = {"lsp": {"go": {"command": "gopls"}}, "providers": {"x": {"base_url": "https://a.example.invalid"}}}
    plugin = one({"crush.json": json.dumps(settings)}, "mcp-config")
    facts = {(fact.capability, fact.object) for _, fact in manifest_facts(plugin)}

    assert {("process.exec", "gopls"), ("net.outbound", "a.example.invalid")} <= facts


def test_a_key_that_nobody_knows_leaves_the_file_unread(tmp_path: Path) -> None:
    (tmp_path / ".crush.json").write_text('{"hooks": {"x": "sh"}}')

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
    plugin = one({".theia/settings.json": json.dumps(settings)}, "mcp-config")

    assert lines(plugin) == ["server docs start npx -y docs@1.2.3"]


@pytest.mark.parametrize("keys", [("mcp", "servers"), ("settings", "mcp", "servers")], ids=" ".join)
def test_a_container_starts_servers_in_the_editor(keys: tuple[str, ...]) -> None:
    value: object = {"docs": {"command": "npx", "args": ["-y", "docs@1.2.3"]}}
    for key in reversed(keys):
        value = {key: value}
    text = json.dumps({"image": "x", "customizations": {"vscode": value}})
    found = described({".devcontainer/devcontainer.json": text})

    assert "server docs start npx -y docs@1.2.3" in [line for plugin in found for line in lines(plugin)]
