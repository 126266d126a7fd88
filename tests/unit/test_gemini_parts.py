"""Gemini CLI: what a prompt has a shell run, which policies allow, and what a folder's settings do."""

from __future__ import annotations

import pytest

from plugseal.systems.gemini.parts import injections
from tests.described import lines, one

_MANIFEST = '{"name": "x", "version": "1.0.0"%s}'


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        pytest.param("a !{ls} b", ["ls"], id="one"),
        pytest.param("!{git log} and !{git diff {{args}}}", ["git log", "git diff {{args}}"], id="two, with braces"),
        pytest.param("!{awk '{print $1}' f}", ["awk '{print $1}' f"], id="balanced braces"),
        pytest.param("!{ls", [], id="one that never ends"),
        pytest.param("! {ls} !{}", [], id="none"),
        pytest.param("@{file.md}", [], id="a file"),
    ],
)
def test_what_stands_between_the_braces_is_the_line(prompt: str, expected: list[str]) -> None:
    assert list(injections(prompt, "!{")) == expected


def test_a_command_is_called_by_its_path_and_asks_before_its_lines_run() -> None:
    files = {"gemini-extension.json": _MANIFEST % "", "commands/git/log.toml": 'prompt = "see !{git log}"'}
    plugin = one(files, "gemini")
    assert lines(plugin) == ["command git:log command", "command git:log.0 command git log"]
    assert plugin.components[1].gate == "asks before the line runs"


def test_an_extension_can_t_allow_and_a_folder_can() -> None:
    rule = '[[rule]]\ntoolName = "write_file"\ndecision = "allow"\n'
    extension = one({"gemini-extension.json": _MANIFEST % "", "policies/a.toml": rule}, "gemini")
    folder = one({".gemini/policies/a.toml": rule}, "gemini")
    assert [key for key, _ in extension.components[0].extra if key == "grant"] == []
    assert dict(folder.components[0].extra)["grant"] == '["allow write_file"]'


def test_trust_of_a_server_counts_in_settings_alone() -> None:
    server = '"mcpServers": {"s": {"command": "a", "trust": true}}'
    extension = one({"gemini-extension.json": _MANIFEST % f", {server}"}, "gemini")
    folder = one({".gemini/settings.json": f"{{{server}}}"}, "gemini")
    assert [key for key, _ in extension.components[0].extra] == ["trust (ignored)"]
    assert [key for key, _ in folder.components[0].extra] == ["trust"]


def test_how_a_setting_is_asked_for_and_the_usual_place_of_hooks_leave_nothing_unread() -> None:
    setting = (
        '{"name": "T", "envVar": "T", "type": "choice", "default": "a", "options": [{"value": "a", "label": "A"}]}'
    )
    usual = _MANIFEST % f', "hooks": "./hooks/hooks.json", "settings": [{setting}]'
    assert one({"gemini-extension.json": usual}, "gemini").unknown == ()
    other = one({"gemini-extension.json": _MANIFEST % ', "hooks": {"BeforeTool": []}'}, "gemini")
    assert other.unknown == (("gemini-extension.json", "hooks"),)


def test_an_extension_that_moved_says_where_its_updates_come_from() -> None:
    plugin = one({"gemini-extension.json": _MANIFEST % ', "migratedTo": "https://a.invalid/x"'}, "gemini")
    assert lines(plugin) == ["source migratedTo install https://a.invalid/x"]
    assert plugin.components[0].gate.startswith("none")


def test_the_context_file_is_the_named_one_or_the_usual_one() -> None:
    files = {"gemini-extension.json": _MANIFEST % "", "GEMINI.md": "x", "OTHER-GEMINI.md": "y"}
    named = {**files, "gemini-extension.json": _MANIFEST % ', "contextFileName": "OTHER-GEMINI.md"'}
    assert lines(one(files, "gemini")) == ["instructions GEMINI.md prose"]
    assert lines(one(named, "gemini")) == ["instructions OTHER-GEMINI.md prose"]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        pytest.param('{"tools": {"sandbox": true}}', [], id="the sandbox is on"),
        pytest.param(
            '{"tools": {"sandbox": "docker"}}', ["setting tools.sandbox start docker"], id="a program as sandbox"
        ),
        pytest.param(
            '{"tools": {"discoveryCommand": "sh d"}}', ["setting tools.discoveryCommand start sh d"], id="finds tools"
        ),
        pytest.param('{"security": {"folderTrust": {"enabled": true}}}', [], id="trust is asked"),
        pytest.param(
            '{"security": {"folderTrust": {"enabled": false}}}',
            ["setting security.folderTrust.enabled start"],
            id="trust is not asked",
        ),
        pytest.param('{"hooks": {"enabled": true, "disabled": []}}', [], id="switches among the hooks"),
        pytest.param(
            '{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "echo"}]}]}}',
            ["hook SessionStart.0 hook:SessionStart echo"],
            id="a hook",
        ),
    ],
)
def test_the_settings_of_a_folder_run_what_they_say(settings: str, expected: list[str]) -> None:
    plugin = one({".gemini/settings.json": settings}, "gemini")
    assert lines(plugin) == expected
    assert plugin.read == (".gemini/settings.json",)


@pytest.mark.parametrize(
    ("text", "expected", "faults"),
    [
        pytest.param("A=1\n# B=2\n\nexport C='x y'\n", {"A": "1", "C": "x y"}, 0, id="assignments"),
        pytest.param('A="b # c"\nD=e # f\n', {"A": "b # c", "D": "e"}, 0, id="comments behind"),
        pytest.param("A=1\ncurl x\n", {"A": "1"}, 1, id="a line that is none"),
    ],
)
def test_variables_of_a_folder_are_an_environment(text: str, expected: dict[str, str], faults: int) -> None:
    plugin = one({".gemini/.env": text}, "gemini")
    assert dict(plugin.components[0].literals) == expected
    assert len(plugin.faults) == faults


def test_a_context_file_of_any_name_is_instructions_and_no_fault() -> None:
    files = {
        "deep/er/gemini-extension.json": _MANIFEST % ', "contextFileName": "notes.md"',
        "deep/er/notes.md": "Hi.\n",
    }
    plugin = one(files, "gemini")
    assert plugin.faults == ()
    assert "instructions notes.md prose" in lines(plugin)
