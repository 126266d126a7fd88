"""How long a shell script takes to be read, in units of what its parser alone takes.

    python tests/bench/bench_shell.py FOLDER…

Prints the ratio of one run, and which scripts took longest for their size; asserts nothing.
"""

from __future__ import annotations

import gc
import sys
import time
from pathlib import Path

from plugseal.lang.facts import Context, Interest
from plugseal.lang.shell.parsing.parse import parse_shell
from plugseal.lang.shell.reader import read_shell

_BUDGET = 2.5
_SUFFIXES = frozenset({".sh", ".bash", ".zsh", ".ksh"})


def main(folders: list[str]) -> None:
    """Read every script below some folders."""
    paths = sorted(path for folder in folders for path in Path(folder).rglob("*") if path.suffix in _SUFFIXES)
    sources = [(path, path.read_bytes()) for path in paths if path.is_file()]
    size = sum(len(data) for _, data in sources)
    context = Context("x.sh", Interest())
    for _, data in sources[:100]:
        read_shell(data, context)
    gc.collect()
    gc.freeze()
    gc.disable()  # As the workers of a scan read.
    parsing = reading = float("inf")
    slowest: list[tuple[float, Path]] = []
    for _ in range(3):
        start = time.process_time()
        for _, data in sources:
            parse_shell(data)
        parsing = min(parsing, time.process_time() - start)
        slowest, start = [], time.process_time()
        for path, data in sources:
            before = time.process_time()
            read_shell(data, context)
            slowest.append((time.process_time() - before, path))
        reading = min(reading, time.process_time() - start)
    print(f"{len(sources)} scripts, {size / 1e6:.1f} MB, Python {sys.version.split()[0]}")
    print(f"parsing only      {parsing:.2f} s  ({size / 1e6 / parsing:.1f} MB/s)")
    print(f"reading           {reading:.2f} s  {reading / parsing:.2f} times  (budget {_BUDGET:.2f})")
    for seconds, path in sorted(slowest, reverse=True)[:3]:
        print(f"  {seconds * 1000:.0f} ms  {path}")


if __name__ == "__main__":
    main(sys.argv[1:])
