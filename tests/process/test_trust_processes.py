"""Many processes at one record, and processes that are killed in the middle: nothing is lost, nothing stands twice."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from plugseal.trust.store import Store
from tests.process.trust_writers import RUN, SUBJECT, step

PROGRAM = Path(__file__).with_name("trust_writers.py")
PROCESSES, EACH, KILLS = 8, 25, 50
"""Enough for CI; `tests/bench/bench_trust_faults.py` has the large numbers."""


def writer(what: str, home: Path, count: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, str(PROGRAM), what, str(home), str(count)], stdout=subprocess.PIPE)


def numbers(child: subprocess.Popen[bytes]) -> list[int]:
    out, _ = child.communicate(timeout=600)
    # The last line of a killed writer may be cut short.
    return [int(line) for line in out.splitlines(keepends=True) if line.endswith(b"\n")]


@pytest.mark.parametrize("what", ["transitions", "runs"])
def test_many_processes_count_together(tmp_path: Path, what: str) -> None:
    home = tmp_path / "state"
    children = [writer(what, home, EACH) for _ in range(PROCESSES)]
    counted = sorted(number for child in children for number in numbers(child))
    assert counted == list(range(1, PROCESSES * EACH + 1))
    store = Store(home)
    record = store.read(SUBJECT)
    stored = store.runs(SUBJECT).trail.size if what == "runs" else record.reviews.size if record else 0
    assert stored == PROCESSES * EACH
    assert list(home.rglob("*.tmp")) == []


@pytest.mark.parametrize("what", ["transitions", "runs"])
def test_a_writer_that_is_killed_loses_nothing_that_it_said(tmp_path: Path, what: str) -> None:
    home, store = tmp_path / "state", Store(tmp_path / "state")
    store.change(SUBJECT, step)
    chance, acknowledged = random.Random(what), 0
    child = writer(what, home, 100_000)
    for _ in range(KILLS // 2):
        assert child.stdout is not None
        child.stdout.readline()
        # A moment, so that the kill falls into any part of a write; nothing is waited for.
        time.sleep(chance.random() / 500)
        child.kill()
        acknowledged = max([acknowledged, *numbers(child)])
        record = store.read(SUBJECT)
        assert record is not None
        stored = record.standing.generation if what == "transitions" else store.runs(SUBJECT).trail.size
        assert stored >= acknowledged
        child = writer(what, home, 100_000)
    child.kill()
    child.communicate()
    store.change(SUBJECT, step)
    assert store.append_run(SUBJECT, RUN) > 0
    assert [path for path in (home / "plugins").iterdir() if path.name.endswith(".tmp")] == []
