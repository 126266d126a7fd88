"""The Python of the guide runs as it stands there, over the sample plugin."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
ROOT = Path(__file__).parents[2]


def test_the_snippet_of_the_guide_lists_and_calls(world: Any) -> None:
    shutil.copytree(ROOT / "fixtures" / "amber" / "workdesk", world.root / "workdesk")
    world.trust(world.root / "workdesk")
    here = world.root / "here"
    (here / "project").mkdir(parents=True)
    (here / "project" / "plan.md").write_text("Ship it.\n")
    (snippet,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/guide/amber.md").read_text("utf-8"), re.DOTALL)
    ran = subprocess.run(
        [sys.executable, "-I", "-c", snippet],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "PLUGSEAL_HOME": str(world.store.home)},
        cwd=here,
        timeout=60,
        check=False,
    )
    assert ran.stderr == ""
    assert "{'ok': True, 'output': 'plan.md', 'meta': {}}" in ran.stdout
    assert world.runs("workdesk") == ["started", "ended"]
