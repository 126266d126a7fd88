"""Codex: which manifest wins, what its own configuration runs and grants, and what stands before each."""

from __future__ import annotations

import json

import pytest

from plugseal.systems.codex.trust import trusted_hash
from tests.described import described, lines, one

_V1 = '{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "root", "version": "2.0.0"%s}'
_OVERLAY = '{"name": "overlay", "version": "1.0.0", "skills": "./own", "mcpServers": "./own-mcp.json"}'
_SKILL = "---\nname: one\ndescription: d\n---\nx\n"
_SERVERS = '{"mcpServers": {"%s": {"command": "true"}}}'
_FILES = {
    ".codex-plugin/plugin.json": _OVERLAY,
    "own/one/SKILL.md": _SKILL,
    "own-mcp.json": _SERVERS % "own",
    ".mcp.json": _SERVERS % "usual",
    "mcp.json": _SERVERS % "portable",
}


def test_without_a_portable_manifest_codex_reads_its_own() -> None:
    plugin = one(_FILES, "codex")
    assert (plugin.name, plugin.version) == ("overlay", "1.0.0")
    assert lines(plugin) == ["server own start true", "server usual start true", "skill one prose"]


def test_a_portable_manifest_gives_name_version_and_fixed_places() -> None:
    plugin = one({**_FILES, "plugin.json": _V1 % ""}, "codex")
    assert (plugin.name, plugin.version, plugin.manifest) == ("root", "2.0.0", ".codex-plugin/plugin.json")
    assert lines(plugin) == ["server portable start true"]


def test_a_part_for_codex_in_the_portable_manifest_wins_over_its_own_file() -> None:
    hooks = ', "extensions": {"com.openai": {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo"}]}]}}}'
    plugin = one({**_FILES, "plugin.json": _V1 % hooks}, "codex")
    assert plugin.manifest == "plugin.json"
    assert "hook Stop.0 hook:Stop echo" in lines(plugin)


def test_a_portable_manifest_alone_is_no_plugin_of_codex() -> None:
    assert described({"plugin.json": _V1 % "", "skills/one/SKILL.md": _SKILL}, "codex") == []


def test_somebody_else_s_plugin_json_changes_nothing() -> None:
    plugin = one({**_FILES, "plugin.json": '{"name": "other"}'}, "codex")
    assert (plugin.name, plugin.faults) == ("overlay", ())


@pytest.mark.parametrize(
    ("value", "faults"),
    [
        pytest.param('"../skills/"', 1, id="a path out of the plugin"),
        pytest.param('["./own", 7]', 1, id="no path at all"),
        pytest.param('"./missing"', 0, id="a folder that is not there, which Codex passes over"),
    ],
)
def test_a_path_that_leaves_the_plugin_is_a_fault(value: str, faults: int) -> None:
    plugin = one({".codex-plugin/plugin.json": f'{{"name": "p", "skills": {value}}}', "own/x": ""}, "codex")
    assert len(plugin.faults) == faults


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('approval_policy = "never"', ["approval_policy"], id="never asks"),
        pytest.param('approval_policy = "on-request"', [], id="asks"),
        pytest.param('sandbox_mode = "danger-full-access"', ["sandbox_mode"], id="no sandbox"),
        pytest.param('sandbox_mode = "workspace-write"', [], id="the usual sandbox"),
        pytest.param('[profiles.fast]\nsandbox_mode = "danger-full-access"', ["sandbox_mode"], id="in a profile"),
        pytest.param('[projects."/a.b"]\ntrust_level = "trusted"', ["projects./a.b.trust_level"], id="trusts a folder"),
        pytest.param("[features]\nanything = true", [], id="a feature"),
        pytest.param('notify = ["sh", "n.sh"]', ["notify"], id="a program for notices"),
        pytest.param('openai_base_url = "https://a.invalid"', ["openai_base_url"], id="another endpoint"),
        pytest.param(
            '[model_providers.x]\nbase_url = "https://a.invalid"\nenv_key = "K"', ["model_providers.x"], id="a provider"
        ),
    ],
)
def test_a_configuration_shows_what_runs_grants_and_redirects(text: str, expected: list[str]) -> None:
    plugin = one({".codex/config.toml": text}, "codex")
    assert [component.name for component in plugin.components] == expected
    assert plugin.read == (".codex/config.toml",)
    assert all(component.gate for component in plugin.components)


def test_a_key_that_nobody_knows_leaves_the_configuration_unread_by_name() -> None:
    plugin = one(
        {".codex/config.toml": 'model = "a"\nnew_command = "sh"\n[mcp_servers.a]\ncommand = "b"\nlater = 1\n'}, "codex"
    )
    assert plugin.read == ()
    assert plugin.unknown == (
        (".codex/config.toml", "mcp_servers.a.later"),
        (".codex/config.toml", "new_command"),
    )


def test_a_hook_that_codex_only_parses_says_so() -> None:
    text = '{"hooks": {"Stop": [{"hooks": [{"type": "prompt", "prompt": "p"}, {"type": "command", "command": "c"}]}]}}'
    plugin = one({".codex-plugin/plugin.json": '{"name": "p"}', "hooks/hooks.json": text}, "codex")
    assert [component.gate.partition(":")[0] for component in plugin.components] == [
        "never run",
        "install, and approval of each hook's hash",
    ]


def test_every_configuration_on_the_way_is_a_unit_of_its_own() -> None:
    found = described({".codex/config.toml": "", "app/.codex/hooks.json": "{}"}, "codex")
    assert [(plugin.root, plugin.manifest, plugin.covers) for plugin in found] == [
        ("", ".codex/config.toml", (".codex",)),
        ("app", ".codex/hooks.json", (".codex",)),
    ]


@pytest.mark.parametrize(
    ("text", "granted", "unknown"),
    [
        pytest.param('prefix_rule(pattern=["git", "push"], decision="allow")', ["allow git push"], [], id="allowed"),
        pytest.param('prefix_rule(pattern=["git"])', ["allow git"], [], id="allowed where nothing is said"),
        pytest.param('prefix_rule(pattern=["rm"], decision="prompt")', [], [], id="asked"),
        pytest.param('# prefix_rule(pattern=["rm"], decision="allow")', [], [], id="a comment"),
        pytest.param(
            'prefix_rule(\n  pattern=["a"],\n  decision="allow",\n  justification="(b) \\" c",\n)',
            ["allow a"],
            [],
            id="brackets in texts",
        ),
        pytest.param(
            'network_rule(host="a.invalid", protocol="https", decision="allow")',
            ["allow a.invalid https"],
            [],
            id="a host",
        ),
        pytest.param('load("x", "y")', [], ["load"], id="a call that nobody knows"),
        pytest.param('prefix_rule(pattern=["a"], decision="allow"', ["allow a"], [], id="one that never ends"),
    ],
)
def test_rules_of_a_folder_allow_commands(text: str, granted: list[str], unknown: list[str]) -> None:
    plugin = one({".codex/rules/default.rules": text}, "codex")
    found = [word for component in plugin.components for key, word in component.extra if key == "grant"]
    assert found == [f'["{word}"]' for word in granted]
    assert [key for _, key in plugin.unknown] == unknown


def test_a_server_that_a_skill_asks_for_is_shown() -> None:
    files = {
        ".codex-plugin/plugin.json": '{"name": "p"}',
        "skills/one/SKILL.md": _SKILL,
        "skills/one/agents/openai.yaml": "dependencies:\n  tools:\n    - {type: mcp, value: docs, url: 'https://a.invalid'}\n"
        "    - {type: mcp, value: other}\n",
    }
    assert lines(one(files, "codex")) == ["server docs install https://a.invalid", "skill one prose"]


def test_a_skill_in_a_hidden_folder_needs_no_file_for_codex() -> None:
    files = {
        ".codex-plugin/plugin.json": '{"name": "p", "skills": "./.codex/skills"}',
        ".codex/skills/one/SKILL.md": _SKILL,
    }
    plugin = one(files, "codex")
    assert lines(plugin) == ["skill one prose"]
    assert plugin.faults == ()


@pytest.mark.parametrize(
    ("event", "group", "handler", "expected"),
    [
        pytest.param(
            "SessionStart",
            {},
            {"command": "/synthetic/hook"},
            "8db9f718a661878ce480f044378622df9ded752e63415b48110deb677cac4485",
            id="the usual timeout",
        ),
        pytest.param(
            "PreToolUse",
            {},
            {"command": "'/opt/anthrex/bin/anthrex' hook --window 7 --source codex-hook", "timeout": 600},
            "cb3a96262c960578050675ee2bf22680d8aaf909f7941553bae039b36074ad7e",
            id="the same timeout, spelled out",
        ),
        pytest.param(
            "PreToolUse",
            {},
            {"command": '/bin/sh "/tmp/uxnan-agent-hooks/codex-hook.sh"', "commandWindows": "x"},
            "bc59c4d61711c8b91501c31e2dd1514ad9f6302c870c1fca7e1d43592b08a017",
            id="a line for another system is not in it",
        ),
    ],
)
def test_the_hash_by_which_codex_trusts_a_hook_is_known(
    event: str, group: dict[str, object], handler: dict[str, object], expected: str
) -> None:
    assert trusted_hash(event, group, {"type": "command", **handler}) == f"sha256:{expected}"


_HANDLER = {"type": "command", "command": "a"}


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        pytest.param(
            ("Stop", {"matcher": "x"}, _HANDLER),
            ("Stop", {}, _HANDLER),
            True,
            id="an event without a matcher",
        ),
        pytest.param(("PreToolUse", {"matcher": "x"}, _HANDLER), ("PreToolUse", {}, _HANDLER), False, id="a matcher"),
        pytest.param(
            ("SessionEnd", {}, {**_HANDLER, "timeout": 9}),
            ("SessionEnd", {}, {**_HANDLER, "timeout": 3}),
            True,
            id="a short one",
        ),
        pytest.param(
            ("Stop", {}, {**_HANDLER, "async": False}),
            ("Stop", {}, _HANDLER),
            True,
            id="not in the background",
        ),
        pytest.param(("Stop", {}, {**_HANDLER, "async": True}), ("Stop", {}, _HANDLER), False, id="in the background"),
        pytest.param(
            ("Stop", {}, {**_HANDLER, "timeout": 0}),
            ("Stop", {}, {**_HANDLER, "timeout": 1}),
            True,
            id="no time at all",
        ),
    ],
)
def test_what_codex_normalises_has_one_hash(
    first: tuple[str, dict[str, object], dict[str, object]],
    second: tuple[str, dict[str, object], dict[str, object]],
    same: bool,
) -> None:
    assert (trusted_hash(*first) == trusted_hash(*second)) == same


@pytest.mark.parametrize(
    "handler",
    [
        pytest.param({"type": "prompt", "prompt": "x"}, id="no command"),
        pytest.param({"type": "command", "command": " "}, id="a blank one"),
        pytest.param({"type": "command", "command": "a", "later": 1}, id="a field that is not known"),
        pytest.param({"type": "command", "command": "a", "timeout": "1"}, id="a timeout that is none"),
    ],
)
def test_what_can_t_be_told_has_no_hash(handler: dict[str, object]) -> None:
    assert trusted_hash("Stop", {}, handler) is None


def test_the_hashes_of_a_plugin_stand_with_what_codex_would_do() -> None:
    hooks = (
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}, {"type": "command", "command": "b"}]}]}}'
    )
    plugin = one({".codex-plugin/plugin.json": '{"name": "p"}', "hooks/hooks.json": hooks}, "codex")
    (verdict,) = plugin.hosts
    assert (verdict.host, verdict.loads) == ("codex", None)
    assert list(json.loads(verdict.data)["trusted_hashes"]) == [
        "hooks/hooks.json:stop:0:0",
        "hooks/hooks.json:stop:0:1",
    ]


def test_hooks_of_a_configuration_in_toml_have_the_hash_of_those_in_json() -> None:
    toml = '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "a"\n'
    text = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}}'
    plugin = one({".codex/config.toml": toml, ".codex/hooks.json": text}, "codex")
    assert len(set(json.loads(plugin.hosts[0].data)["trusted_hashes"].values())) == 1
