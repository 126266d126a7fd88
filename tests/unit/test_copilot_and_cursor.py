"""Copilot and Cursor: which manifest wins, where parts stand, and what a repository's own files do."""

from __future__ import annotations

import json

import pytest

from tests.described import described, lines, one


def _manifest(name: str, **more: object) -> str:
    return json.dumps({"name": name, "agents": [], **more})


_ALL = {
    ".plugin/plugin.json": _manifest("first"),
    "plugin.json": _manifest("second"),
    ".github/plugin/plugin.json": _manifest("third"),
}


@pytest.mark.parametrize(
    ("left_out", "name"),
    [
        pytest.param((), "first", id="all"),
        pytest.param((".plugin/plugin.json",), "second", id="without the first"),
        pytest.param((".plugin/plugin.json", "plugin.json"), "third", id="the last alone"),
    ],
)
def test_copilot_takes_the_first_manifest_that_is_there(left_out: tuple[str, ...], name: str) -> None:
    files = {path: text for path, text in _ALL.items() if path not in left_out}
    assert one(files, "copilot").name == name


@pytest.mark.parametrize(
    ("text", "more", "is_plugin"),
    [
        pytest.param('{"name": "p", "skills": []}', {}, True, id="its keys"),
        pytest.param('{"name": "p"}', {}, False, id="a name alone"),
        pytest.param('{"name": "p"}', {"skills/a/SKILL.md": "x"}, False, id="a name beside skills"),
        pytest.param(
            '{"name": "p"}',
            {"skills/a/SKILL.md": "x", ".claude-plugin/plugin.json": '{"name": "p"}'},
            True,
            id="shared",
        ),
        pytest.param('{"skills": []}', {}, False, id="no name"),
        pytest.param('["skills", "name"]', {}, False, id="a list"),
        pytest.param(
            '{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "p", "skills": []}',
            {},
            False,
            id="the portable form",
        ),
    ],
)
def test_a_plugin_json_is_copilot_s_by_its_keys(text: str, more: dict[str, str], is_plugin: bool) -> None:
    assert (
        bool(described({"p/plugin.json": text, **{f"p/{path}": body for path, body in more.items()}}, "copilot"))
        == is_plugin
    )


def test_a_hook_has_a_line_for_each_shell() -> None:
    hook = {"type": "command", "bash": "echo a", "powershell": "Write-Output a", "cwd": "x", "timeoutSec": 5}
    plugin = one({".github/hooks/a.json": json.dumps({"version": 1, "hooks": {"sessionStart": [hook]}})}, "copilot")
    assert lines(plugin) == [
        "hook sessionStart.0.bash hook:sessionStart echo a",
        "hook sessionStart.0.powershell hook:sessionStart Write-Output a",
    ]
    assert plugin.read == (".github/hooks/a.json",)


def test_servers_of_an_agent_stand_in_its_front_matter() -> None:
    text = "---\nname: a\nmcp-servers:\n  s:\n    type: local\n    command: x\n---\nt\n"
    plugin = one({".github/agents/a.agent.md": text}, "copilot")
    assert lines(plugin) == ["agent a prose", "server s start x"]


def test_a_repository_without_anything_of_copilot_is_none() -> None:
    assert described({".github/workflows/a.yml": "on: push\n", ".github/CODEOWNERS": "x"}, "copilot") == []


@pytest.mark.parametrize(
    ("manifest", "expected"),
    [
        pytest.param({}, ["server usual start true"], id="the usual file"),
        pytest.param({"mcpServers": "./other-mcp.json"}, ["server other start true"], id="a file in its place"),
        pytest.param(
            {"mcpServers": {"own": {"command": "true"}}},
            ["server own start true", "server usual start true"],
            id="its own",
        ),
    ],
)
def test_what_a_manifest_of_cursor_names_takes_the_place_of_the_usual(
    manifest: dict[str, object], expected: list[str]
) -> None:
    files = {
        ".cursor-plugin/plugin.json": json.dumps({"name": "p", **manifest}),
        "mcp.json": '{"mcpServers": {"usual": {"command": "true"}}}',
        ".mcp.json": '{"mcpServers": {"hidden": {"command": "true"}}}',
        "other-mcp.json": '{"mcpServers": {"other": {"command": "true"}}}',
    }
    assert lines(one(files, "cursor")) == expected


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        pytest.param(
            "hooks.json",
            '{"version": 1, "hooks": {"workspaceOpen": [{"command": "echo"}]}}',
            ["hook workspaceOpen.0 hook:workspaceOpen echo"],
            id="a hook",
        ),
        pytest.param(
            "environment.json",
            '{"install": "npm ci", "terminals": [{"name": "t", "command": "x"}]}',
            ["script install install npm ci", "script terminal t start x"],
            id="a cloud agent's machine",
        ),
        pytest.param(
            "worktrees.json",
            '{"setup-worktree": ["a", "b"]}',
            ["script setup-worktree.0 open a", "script setup-worktree.1 open b"],
            id="a worktree",
        ),
        pytest.param(
            "cli.json",
            '{"permissions": {"allow": ["Shell(*)"]}}',
            ["setting permissions.allow start"],
            id="permissions",
        ),
        pytest.param(
            "mcp.json",
            '{"mcpServers": {"s": {"url": "https://a.invalid"}}}',
            ["server s start https://a.invalid"],
            id="a server",
        ),
    ],
)
def test_files_of_a_folder_of_cursor_do_what_they_say(file: str, text: str, expected: list[str]) -> None:
    plugin = one({f".cursor/{file}": text}, "cursor")
    assert lines(plugin) == expected
    assert plugin.read == (f".cursor/{file}",)
    assert all(component.gate for component in plugin.components)
