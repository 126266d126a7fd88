"""VS Code: tasks for each operating system and when they run, debugger configurations, settings, workspace files."""

from __future__ import annotations

import json

import pytest

from tests.described import lines, one


def _tasks(*tasks: object) -> str:
    return json.dumps({"version": "2.0.0", "tasks": tasks})


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        pytest.param({"label": "a", "type": "shell", "command": "make"}, ["script a command make"], id="a line"),
        pytest.param(
            {"label": "a", "type": "shell", "command": "make", "args": ["x", {"value": "y z", "quoting": "strong"}]},
            ["script a command make x y z"],
            id="arguments",
        ),
        pytest.param(
            {"label": "a", "type": "process", "command": "node", "args": ["x"]},
            ["script a command node x"],
            id="a program",
        ),
        pytest.param(
            {"type": "npm", "script": "build"},
            ["script build command npm run build"],
            id="a package's script",
        ),
        pytest.param(
            {"label": "a", "command": "all", "osx": {"command": "mac"}, "windows": {"command": "win"}},
            ["script a command all", "script a.osx command mac", "script a.windows command win"],
            id="each operating system",
        ),
        pytest.param(
            {"label": "a", "command": "all", "runOptions": {"runOn": "folderOpen"}},
            ["script a open all"],
            id="at opening",
        ),
        pytest.param({"label": "a", "dependsOn": ["b"]}, ["script a command"], id="others alone"),
    ],
)
def test_a_task_is_described_with_all_of_its_commands(task: dict[str, object], expected: list[str]) -> None:
    plugin = one({".vscode/tasks.json": _tasks(task)}, "vscode")
    assert lines(plugin) == expected
    assert plugin.read == (".vscode/tasks.json",)


def test_what_a_task_runs_at_opening_has_one_place_and_its_gate() -> None:
    task = {"label": "a", "linux": {"command": "b"}, "osx": {"command": "c"}, "runOptions": {"runOn": "folderOpen"}}
    plugin = one({".vscode/tasks.json": _tasks(task)}, "vscode")
    assert len({dict(component.places)["autorun"] for component in plugin.components}) == 1
    assert {component.gate for component in plugin.components} == {"workspace trust, and automatic tasks allowed"}


def test_options_of_the_task_count_for_each_operating_system() -> None:
    task = {"label": "a", "command": "b", "linux": {"command": "c"}, "options": {"cwd": "sub", "env": {"X": "1"}}}
    plugin = one({".vscode/tasks.json": _tasks(task)}, "vscode")
    assert [(c.cwd, c.literals) for c in plugin.components] == [("sub", (("X", "1"),))] * 2


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        pytest.param({"type": "node", "program": "a.js"}, ("node", "a.js"), id="a type's own interpreter"),
        pytest.param(
            {"type": "node", "runtimeExecutable": "sh", "program": "a"},
            ("sh", "a"),
            id="another interpreter",
        ),
        pytest.param({"type": "debugpy", "module": "m", "args": ["x"]}, ("python", "-m", "m", "x"), id="a module"),
        pytest.param({"type": "chrome", "url": "http://localhost"}, (), id="nothing of its own"),
    ],
)
def test_a_debugger_s_configuration_says_what_it_starts(
    configuration: dict[str, object],
    expected: tuple[str, ...],
) -> None:
    text = json.dumps({"version": "0.2.0", "configurations": [{"name": "x", "request": "launch", **configuration}]})
    (component,) = one({".vscode/launch.json": text}, "vscode").components
    assert (component.command, component.trigger) == (expected, "command")


@pytest.mark.parametrize(
    ("settings", "names", "unknown"),
    [
        pytest.param({"editor.tabSize": 2, "files.exclude": {"a": True}}, [], [], id="what only shows"),
        pytest.param(
            {"python.defaultInterpreterPath": "./x"},
            ["python.defaultInterpreterPath"],
            [],
            id="an interpreter",
        ),
        pytest.param({"chat.tools.autoApprove": True}, ["chat.tools.autoApprove"], [], id="approves by itself"),
        pytest.param(
            {"terminal.integrated.profiles.linux": {"x": {"path": "./x"}}},
            ["terminal.integrated.profiles.linux.x"],
            [],
            id="a terminal",
        ),
        pytest.param(
            {"python.newThing.executablePath": "./x"},
            [],
            ["python.newThing.executablePath"],
            id="a new program",
        ),
        pytest.param({"example.serverPath": "./x"}, [], ["example.serverPath"], id="an extension that nobody knows"),
        pytest.param({"http.proxyStrictSSL": False}, ["http.proxyStrictSSL"], [], id="no check of certificates"),
    ],
)
def test_settings_name_programs_grants_and_what_is_unknown(
    settings: dict[str, object], names: list[str], unknown: list[str]
) -> None:
    plugin = one({".vscode/settings.json": json.dumps(settings)}, "vscode")
    assert [component.name for component in plugin.components] == names
    assert [key for _, key in plugin.unknown] == unknown


def test_comments_and_commas_at_the_end_are_read() -> None:
    plugin = one(
        {".vscode/tasks.json": '{"version": "2.0.0", /* x */ "tasks": [{"label": "a", "command": "b",},],}'}, "vscode"
    )
    assert lines(plugin) == ["script a command b"]


def test_a_workspace_file_holds_the_same_parts() -> None:
    text = json.dumps(
        {
            "folders": [],
            "tasks": {"tasks": [{"label": "a", "command": "b"}]},
            "settings": {"http.proxy": "http://a.invalid"},
        }
    )
    plugin = one({"x/my.code-workspace": text}, "vscode")
    assert lines(plugin) == ["script a command b", "setting http.proxy open http://a.invalid"]
    assert (plugin.name, plugin.root, plugin.read) == ("my", "x", ("my.code-workspace",))
