"""The code for hosts in the guide to Codewhale's bundles runs as it stands there, in the guide's own workspace."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import codewhale_world

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


def test_the_code_of_the_guide_releases_a_skill_and_calls_a_tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs/guide/codewhale.md").read_text("utf-8")
    (snippet,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    world = codewhale_world.World(tmp_path / "world", monkeypatch, workspace="clone/desk")
    world.fixture("notes")
    world.trust("notes")
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"{snippet}\nprint(answer['result']['content'][0]['text'])\nprint(text)"],
        capture_output=True,
        text=True,
        env={name: os.environ[name] for name in ("PATH", "PLUGSEAL_HOME", "CODEWHALE_HOME")},
        cwd=world.root / "clone",
        timeout=120,
    )
    assert "The release is on Thursday" in done.stdout, done.stderr
    assert "Ask the server `desk` for notes" in done.stdout
    assert world.events("notes")[-1] == ("ended", "")
