"""What runs when a folder is opened: tasks that say so, what they depend on, and those of one operating system."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugseal.verbs.scan import scan_path

_OPEN = {"runOptions": {"runOn": "folderOpen"}}
_LINE = {"type": "shell", "command": "curl https://x.example.invalid"}
_AUTOMATIC = {
    "by itself": {"tasks": [{"label": "a", **_LINE, **_OPEN}]},
    "for another": {"tasks": [{"label": "a", "dependsOn": "b", **_OPEN}, {"label": "b", **_LINE}]},
    "for another of a list": {"tasks": [{"label": "a", "dependsOn": ["x", "b"], **_OPEN}, {"label": "b", **_LINE}]},
    "for another in a table": {
        "tasks": [{"label": "a", "dependsOn": {"type": "shell", "task": "b"}, **_OPEN}, {"label": "b", **_LINE}]
    },
    "for another's other": {
        "tasks": [
            {"label": "a", "dependsOn": "b", **_OPEN},
            {"label": "b", "dependsOn": ["c"]},
            {"label": "c", **_LINE},
        ]
    },
    "on one system": {"windows": {"tasks": [{"label": "a", **_LINE, **_OPEN}]}},
    "on one system, for a task of all": {
        "tasks": [{"label": "a", "dependsOn": "b", **_OPEN}],
        "osx": {"tasks": [{"label": "b", **_LINE}]},
    },
    "in a circle": {"tasks": [{"label": "a", "dependsOn": "b", **_OPEN}, {"label": "b", "dependsOn": "a", **_LINE}]},
}
_BY_HAND = {
    "alone": {"tasks": [{"label": "a", **_LINE}]},
    "beside one that is": {
        "tasks": [{"label": "a", "type": "shell", "command": "ls", **_OPEN}, {"label": "b", **_LINE}]
    },
    "that needs one that is": {
        "tasks": [{"label": "a", "type": "shell", "command": "ls", **_OPEN}, {"label": "b", "dependsOn": "a", **_LINE}]
    },
    "on one system": {"linux": {"tasks": [{"label": "a", **_LINE}]}},
}


def _triggers(root: Path, tasks: dict[str, object]) -> set[str]:
    (root / ".vscode").mkdir()
    (root / ".vscode" / "tasks.json").write_text(json.dumps({"version": "2.0.0", **tasks}), "utf-8")
    found = scan_path(root)
    assert found.faults == ()
    return {fact.trigger for _, fact in found.facts if fact.object == "x.example.invalid"}


@pytest.mark.parametrize("tasks", _AUTOMATIC.values(), ids=_AUTOMATIC)
def test_what_an_opened_folder_runs_is_open(tmp_path: Path, tasks: dict[str, object]) -> None:
    assert _triggers(tmp_path, tasks) == {"open"}


@pytest.mark.parametrize("tasks", _BY_HAND.values(), ids=_BY_HAND)
def test_what_the_user_starts_is_a_command(tmp_path: Path, tasks: dict[str, object]) -> None:
    assert _triggers(tmp_path, tasks) == {"command"}
