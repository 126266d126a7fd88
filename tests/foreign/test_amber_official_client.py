"""amber's sample plugin, offered by our host, used by the official MCP client in each version of the protocol."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import amber_world

HERE = Path(__file__).resolve().parent
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "plugseal-tests"
SHELF = Path(os.environ.get("PLUGSEAL_TEST_SERVERS") or _CACHE / f"servers-2026.10-{sys.implementation.cache_tag}")
pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not (SHELF / "complete").exists(),
    reason="the official client is not installed: `sh tests/run` does it",
)
VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "auto"]
STEPS: list[list[Any]] = [
    ["plugin_workdesk_write", {"path": "VERSION.md", "content": "reviewed\n"}],
    ["plugin_workdesk_read", {"path": "VERSION.md"}],
    ["plugin_workdesk_read", {"path": "../outside.md"}],
]


def test_the_official_client_works_in_the_workspace_in_every_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/usr")
    world = amber_world.World(tmp_path)
    plugin = tmp_path / "workdesk"
    shutil.copytree(HERE.parents[1] / "fixtures" / "amber" / "workdesk", plugin)
    world.trust(plugin)
    job = {
        "command": sys.executable,
        "args": ["-I", "-m", "plugseal", "amber", "serve", "--workspace", str(world.workspace)],
        "env": {"PATH": "/usr/bin:/bin", "PLUGSEAL_HOME": str(world.store.home)},
        "cwd": "/usr",
        "errors": str(tmp_path / "errors"),
        "versions": VERSIONS,
        "steps": STEPS,
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
        assert one["tools"] == [f"plugin_workdesk_{name}" for name in ("list", "read", "write")]
        answers = [(failed, text) for _, _, failed, text in one["steps"]]
        refused = "ERROR: the call was refused: `path` leads out of the workspace"
        assert answers == [(False, f"wrote {asked}.md"), (False, "reviewed\n"), (True, refused)]
        assert (world.workspace / f"{asked}.md").read_text() == "reviewed\n"
    assert world.runs("workdesk") == ["started", "ended"] * len(VERSIONS)
