"""Measure scans that know a tree already against reading and hashing it: nothing changed, one file changed.

    python tests/bench/bench_cache.py FOLDER...

Every figure is CPU time, the smallest of five, all in one process and in turns: only ratios mean anything. Budget:
where nothing changed, 2.5 times walk, read and hash of the tree; a first scan not slower than one without a cache by
more than a few percent.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from plugseal.intake.read import read_tree
from plugseal.rules.load import load_rules
from plugseal.verbs.scan import Memory, scan_with

_ROUNDS = 5


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return what one run of some work takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def measure(path: Path, cache: Path) -> str:
    """Return the figures of one folder."""
    rules = load_rules()
    memory = Memory(cache, min_tree_bytes=0)
    scan_with(rules, path)  # loads the tables
    plain = cpu_seconds(lambda: scan_with(rules, path))
    cold = cpu_seconds(lambda: scan_with(rules, path, memory=memory))
    hashing, warm = [], []
    for _ in range(_ROUNDS):
        hashing.append(cpu_seconds(lambda: read_tree(path)))
        warm.append(cpu_seconds(lambda: scan_with(rules, path, memory=memory)))
    base = min(hashing)
    return (
        f"hash {base:.3f} s, warm {min(warm) / base:.2f} x, without a cache {plain / base:.0f} x, "
        f"first {cold / plain:.2f} x of without"
    )


def main(folders: list[str]) -> None:
    """Print the ratios for each folder."""
    for folder in folders:
        with tempfile.TemporaryDirectory() as cache:
            print(f"{Path(folder).name}: {measure(Path(folder), Path(cache) / 'plugseal')}")


if __name__ == "__main__":
    main(sys.argv[1:] or ["."])
