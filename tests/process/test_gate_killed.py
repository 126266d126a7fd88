"""A gate that is killed where it stands, at every step of a start: no process, no broken state, no folder is left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import gated

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
HERE = Path(__file__).resolve().parent
EVERY = int(os.environ.get("PLUGSEAL_TEST_EVERY_STEP", "9"))
"""1 kills at each of some 600 steps, which takes a minute."""
DAEMONS = """
import os, signal, sys, time
for _ in range(2):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in (1, 2, 15):
                signal.signal(number, signal.SIG_IGN)
            time.sleep(3600)
        os._exit(0)
for line in sys.stdin:
    print('{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}', flush=True)
"""


def test_a_gate_killed_at_any_step_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/usr")
    world = gated.World(tmp_path / "world", None, server_dot_py=DAEMONS).trust()
    words = [sys.executable, str(HERE / "gate_steps.py"), str(world.store.home), world.id, str(EVERY)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["steps"] > 300
    assert found["killed"] > 0.9 * found["steps"] / EVERY
    assert found["survivors"] == 0
    assert found["unreadable"] == []
    assert (found["whole"], found["again"]) == (0, 0)
    assert list((world.store.home / "run").iterdir()) == []
    assert list(world.store.home.rglob("*.tmp")) == []
    assert world.events()[-2:] == ["started", "ended"]
