"""The code of the guide to Agent Plugins runs as it stands there."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lingtai_agents import Agent

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_the_snippet_of_the_guide_calls_two_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/usr")
    agent = Agent(tmp_path / "world")
    folder = agent.root / "workbench"
    shutil.copytree(ROOT / "fixtures/agent-plugins/workbench", folder)
    agent.ready(folder)
    (snippet,) = re.findall(
        r"```python\n(.*?)```", (ROOT / "docs/guide/agent-plugins.md").read_text("utf-8"), re.DOTALL
    )
    ran = subprocess.run(
        [sys.executable, "-I", "-c", f"AGENT = {str(agent.folder)!r}\n{snippet}"],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "PLUGSEAL_HOME": str(agent.store.home)},
        cwd="/usr",
        timeout=60,
    )
    assert ran.stdout == "['plugin', 'write_note', 'read_note']\nwe ship on Tuesday\n\n", ran.stderr
