"""Coding's sample plugin, offered by our host, used by the official MCP client in each version of the protocol."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.coding_plugins import World

HERE = Path(__file__).resolve().parent

_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "plugseal-tests"
SHELF = Path(os.environ.get("PLUGSEAL_TEST_SERVERS") or _CACHE / f"servers-2026.10-{sys.implementation.cache_tag}")
pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not (SHELF / "complete").exists(),
    reason="the official client is not installed: `sh tests/run` does it",
)
VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "auto"]


def test_the_official_client_calls_authorized_tools_in_every_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/usr")
    world = World(tmp_path / "world")
    source = world.root / "workbench"
    shutil.copytree(HERE.parents[1] / "fixtures" / "coding" / "workbench", source)
    world.trust(source)
    world.puppet()
    folder = tmp_path / "folder"
    folder.mkdir()
    note = {"folder": str(folder), "name": "VERSION", "text": "one\ntwo\n"}
    steps: list[list[Any]] = [
        ["write_note", note],
        ["write_note", note],
        ["count_lines", {"folder": 7}],
        ["plain", {}],
    ]
    job = {
        "command": sys.executable,
        "args": ["-I", "-m", "plugseal", "coding", "serve", "--authorize", "write_note,count_lines"],
        "env": {"PATH": "/usr/bin:/bin", "PLUGSEAL_HOME": str(world.store.home)},
        "cwd": "/usr",
        "errors": str(tmp_path / "errors"),
        "versions": VERSIONS,
        "steps": steps,
    }
    ran = subprocess.run(
        [sys.executable, str(HERE / "mcp_session.py"), json.dumps(job)],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(SHELF / "sdk")},
        timeout=300,
        check=False,
    )
    sessions = [json.loads(row) for row in ran.stdout.splitlines()]
    assert [one.get("error") for one in sessions] == [None] * len(VERSIONS), ran.stderr
    assert [one["version"] for one in sessions] == [*VERSIONS[:-1], "2026-07-28"]
    for asked, one in zip(VERSIONS, sessions, strict=True):
        assert sorted(one["tools"]) == ["alone", "count_lines", "plain", "side", "write_note"]
        wrote, again, wrong, denied = [(failed, text) for _, _, failed, text in one["steps"]]
        assert wrote == (False, f'wrote {asked}\n{{"bytes":8}}')
        assert again == (True, "File exists")
        assert wrong == (True, "`arguments.folder` must be string")
        assert denied[0]
        assert "the product must authorize each call" in denied[1]
        assert (folder / asked).read_text() == "one\ntwo\n"
