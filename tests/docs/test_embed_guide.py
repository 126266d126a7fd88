"""The code of the guide to embedding runs as it stands there, and the page of the gate names every reason."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from plugseal.model.decision import Reason
from tests.gated import World

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("number", [0, 1], ids=["in this process", "apart, beside a thread"])
def test_the_snippets_of_the_guide_start_a_server(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/usr")
    world = World(tmp_path / "world").trust()
    page = (ROOT / "docs/guide/embed.md").read_text("utf-8")
    snippet = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[number]
    threads = "import threading, time\nthreading.Thread(target=time.sleep, args=(1,)).start()\n" * number
    code = f"import os\n{threads}PLUGIN = {world.id!r}\n{snippet}\nprint(answer.decode())"
    ran = subprocess.run(
        [sys.executable, "-I", "-c", code],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "PLUGSEAL_HOME": str(world.store.home)},
        cwd="/usr",
        timeout=60,
    )
    assert '"name": "echo"' in ran.stdout, ran.stderr
    assert [event for event in world.events() if event != "pinned"] == ["started", "ended"]


def test_the_page_of_the_gate_names_every_reason() -> None:
    page = (ROOT / "docs/reference/gate.md").read_text("utf-8")
    for reason in Reason:
        row = f"| `{reason.value}` | {reason.meaning} | {reason.hint.replace('{plugin}', 'ID')} |"
        assert row in page, reason


def test_the_policies_of_the_page_are_policies() -> None:
    from plugseal.policy.schema import parse_policy

    page = (ROOT / "docs/reference/policy.md").read_text("utf-8")
    texts = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    found = [parse_policy(text.encode(), origin="page").max_age_days for text in texts]
    assert found == [0, 90]
