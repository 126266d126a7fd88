"""The hooks that pre-commit takes from this repository are commands of ours, offline, without names from a commit."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from plugseal.cli.find import find_command
from plugseal.cli.main import main

ROOT = Path(__file__).parents[2]
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
NEEDED = {"id", "name", "entry", "language"}
"""By pre-commit's schema of a hook definition."""


def _words(hook: dict[str, Any]) -> list[str]:
    program, *words = [*shlex.split(hook["entry"]), *hook["args"]]
    assert program == "plugseal"
    return words


@pytest.mark.parametrize("hook", HOOKS.values(), ids=HOOKS)
def test_a_hook_is_a_command_that_looks_at_the_whole_repository(hook: dict[str, Any]) -> None:
    assert set(hook) >= NEEDED
    assert hook["language"] == "python"
    assert hook["pass_filenames"] is False
    assert hook["always_run"] is True
    command, rest = find_command(_words(hook))
    assert command is not None
    assert rest == ["."]


def test_the_scan_of_a_commit_fails_on_a_high_finding_and_passes_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".mcp.json").write_text('{"mcpServers": {"a": {"command": "python3", "args": ["a.py"]}}}')
    (tmp_path / "a.py").write_text("print(1)\n")
    monkeypatch.chdir(tmp_path)
    words = _words(HOOKS["plugseal-scan"])
    assert main(words) == 0
    (tmp_path / "a.py").write_text("import subprocess, sys\nsubprocess.run(sys.argv[1], shell=True)\n")
    assert main(words) == 1
    capsys.readouterr()


def test_the_guide_names_every_hook() -> None:
    guide = (ROOT / "docs" / "guide" / "pre-commit.md").read_text(encoding="utf-8")
    assert [name for name in HOOKS if f"id: {name}" not in guide] == []
