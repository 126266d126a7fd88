"""Somebody changes a plugin while it is being staged: the copy is what was hashed, or there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from plugseal.encode.treehash import find_content_receipt
from plugseal.errors import StageError
from plugseal.intake.read import read_tree
from plugseal.intake.stage import Stager, remove_stage, verify_stage

RACES = 200
"""Enough for CI; `tests/bench/bench_trust_faults.py` has the large number."""
ATTACKER = """
import os, sys
os.chdir(sys.argv[1])
def write(name, data):
    with open(name, "wb") as file:
        file.write(data)
sys.stdout.write("ready\\n")
sys.stdout.flush()
while True:
    write("run.new", b"evil"); os.rename("run.new", "run")
    write("run", b"good"); os.chmod("run", 0o755)
    os.rename("sub", "aside"); os.symlink("/etc", "sub"); os.unlink("sub"); os.rename("aside", "sub")
    os.unlink("sub/data"); os.link("run", "sub/data"); os.unlink("sub/data"); write("sub/data", b"x" * 5000)
    os.unlink("run"); os.symlink("/etc/passwd", "run"); os.unlink("run"); write("run", b"good")
    write("late", b"x"); os.unlink("late"); os.chmod("run", 0o644)
"""


def fresh(root: Path) -> None:
    """Make the plugin that is raced for."""
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "data").write_bytes(b"x" * 5000)
    (root / "run").write_bytes(b"good")
    for number in range(20):
        (root / f"file-{number}").write_bytes(bytes([number]) * 3000)


@pytest.fixture
def attacked(tmp_path: Path) -> Iterator[Path]:
    fresh(tmp_path / "plugin")
    with subprocess.Popen(
        [sys.executable, "-c", ATTACKER, str(tmp_path / "plugin")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as attacker:
        assert attacker.stdout is not None
        attacker.stdout.readline()
        yield tmp_path / "plugin"
        assert attacker.poll() is None
        attacker.kill()


def race(plugin: Path, stages: Path) -> str:
    """Hash a plugin, stage it, and say how that ended; what was staged is exactly what was hashed.

    Raises:
        AssertionError: the stage is something else.
    """
    content = find_content_receipt(read_tree(plugin))
    if content is None:
        return "not representable"
    stager = Stager(stages)
    try:
        stage = stager.finish(read_tree(plugin, stager), content)
    except StageError:
        return "refused"
    finally:
        stager.abandon()
    tree = verify_stage(stage, content)
    assert find_content_receipt(tree) == content == stage.name
    assert all(entry.target is None for entry in tree.entries)
    assert all(os.lstat(stage / entry.path).st_nlink == 1 for entry in tree.entries if entry.digest)
    remove_stage(stage)
    return "staged"


def test_the_copy_is_what_was_hashed_or_there_is_none(attacked: Path, tmp_path: Path) -> None:
    stages = tmp_path / "stages"
    stages.mkdir(mode=0o700)
    ends = Counter(race(attacked, stages) for _ in range(RACES))
    assert sum(ends.values()) == RACES
    assert ends["refused"] + ends["not representable"] > 0
    assert list(stages.iterdir()) == []
