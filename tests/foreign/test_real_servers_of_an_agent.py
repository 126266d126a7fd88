"""Published MCP servers as Agent Plugins of one agent: all in one host, driven by the official client."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from plugseal.verbs.lingtai.agent import list_servers
from tests.gated import interpreter_path
from tests.lingtai_agents import MCP_SCHEMA, PLUGIN_SCHEMA, Agent, stdio, tools, write_json

HERE = Path(__file__).resolve().parent
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "plugseal-tests"
SHELF = Path(os.environ.get("PLUGSEAL_TEST_SERVERS") or _CACHE / f"servers-2026.10-{sys.implementation.cache_tag}")
pytestmark = pytest.mark.skipif(
    not (SHELF / "complete").exists(), reason="the published servers are not installed: `sh tests/run` does it"
)
VERSIONS = ["2024-11-05", "2025-11-25", "2026-07-28"]
SERVERS = {
    "time": stdio("python3", "-m", "mcp_server_time", "--local-timezone", "UTC", cwd="${PLUGIN_ROOT}/lib"),
    "git": stdio("python3", "-m", "mcp_server_git", cwd="${PLUGIN_ROOT}/lib"),
}


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir("/usr")
        patch.setenv("PATH", interpreter_path())
        found = Agent(tmp_path_factory.mktemp("agent"))
        folder = found.root / "published"
        shutil.copytree(SHELF / "pypi", folder)
        write_json(folder / "plugin.json", {"$schema": PLUGIN_SCHEMA, "name": "published"})
        write_json(folder / "mcp.json", {"$schema": MCP_SCHEMA, "mcpServers": SERVERS})
        yield found.ready(folder, found.plugin("own", {"notes": tools("write_note", "read_note")}))


def _talk(agent: Agent, versions: list[str], steps: list[Any]) -> list[dict[str, Any]]:
    job = {
        "command": sys.executable,
        "args": ["-I", "-m", "plugseal", "lingtai", "serve", str(agent.folder)],
        "env": {"PATH": "/usr/bin:/bin", "PLUGSEAL_HOME": str(agent.store.home)},
        "cwd": "/usr",
        "errors": str(agent.root / "errors"),
        "versions": versions,
        "steps": steps,
    }
    (agent.root / "errors").write_text("")
    ran = subprocess.run(
        [sys.executable, str(HERE / "mcp_session.py"), json.dumps(job)],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(SHELF / "sdk")},
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr
    return [json.loads(row) for row in ran.stdout.splitlines()]


def test_the_official_client_uses_the_tools_of_all_plugins(agent: Agent) -> None:
    assert {row.state for row in list_servers(agent.folder, agent.store)} == {"ready"}
    steps = [
        ("write_note", {"text": "VERSION"}),
        ("read_note", {}),
        ("convert_time", {"source_timezone": "UTC", "time": "16:30", "target_timezone": "Asia/Tokyo"}),
        ("git_status", {"repo_path": "/nonexistent"}),
        ("plugin", {"action": "settings", "input": {}, "reasoning": "why"}),
    ]
    for session, version in zip(_talk(agent, VERSIONS, steps), VERSIONS, strict=True):
        assert session.get("version") == version, (session, (agent.root / "errors").read_text())
        assert {"plugin", "write_note", "convert_time", "git_status"} <= set(session["tools"])
        answers = {name: (failed, text) for name, _, failed, text in session["steps"]}
        assert version in answers["read_note"][1]
        assert "01:30" in answers["convert_time"][1]
        assert answers["git_status"][0], "an error of a tool stays one"
        assert "<redacted>" in answers["plugin"][1]
