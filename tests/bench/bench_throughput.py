"""Measure whole scans of repositories, cold, in one process: megabytes for each CPU second, and peak memory.

    python tests/bench/bench_throughput.py FOLDER...

Children count. Budgets: 2 MB for each CPU second over all kinds; less than 200 MiB in the main process.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

_SCAN = """
import resource, sys
from pathlib import Path
from plugseal.verbs.scan import scan_path
inventory = scan_path(Path(sys.argv[1]))
print(len(inventory.facts), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def size_of(folder: Path) -> int:
    """Return the bytes of all files below a folder, without git's own."""
    total = 0
    for at, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        total += sum(os.lstat(os.path.join(at, name)).st_size for name in files)  # many
    return total


def main(folders: list[str]) -> None:
    """Print each folder's figures, and those of all."""
    all_bytes, all_seconds = 0, 0.0
    for folder in folders:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([sys.executable, "-c", _SCAN, folder], capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        size = size_of(Path(folder))
        all_bytes, all_seconds = all_bytes + size, all_seconds + seconds
        facts, peak = done.stdout.split()
        name = Path(folder).name
        print(
            f"{name}: {size / 1e6:.1f} MB, {seconds:.2f} s, {size / 1e6 / seconds:.2f} MB/s, {facts} facts, {peak} MiB"
        )
    print(f"all: {all_bytes / 1e6:.1f} MB, {all_bytes / 1e6 / all_seconds:.2f} MB for each CPU second")


if __name__ == "__main__":
    main(sys.argv[1:] or ["."])
