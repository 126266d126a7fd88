"""How long a script takes to be read, in units of what its parser alone takes.

    python tests/bench/bench_ecmascript.py FOLDER…

Prints the ratio of one run by language, and which scripts took longest; asserts nothing.
"""

from __future__ import annotations

import gc
import sys
import time
from pathlib import Path

from plugseal.lang.ecmascript.parsing.parse import parse_script
from plugseal.lang.ecmascript.reader import read_script
from plugseal.lang.facts import Context, Interest
from plugseal.limits import MAX_SOURCE_BYTES

_BUDGET = 2.75
_LANGUAGES = {"javascript": (".js", ".mjs", ".cjs", ".jsx"), "typescript": (".ts", ".mts", ".cts", ".tsx")}


def main(folders: list[str]) -> None:
    """Read every script below some folders."""
    for language, suffixes in _LANGUAGES.items():
        paths = sorted(path for folder in folders for path in Path(folder).rglob("*") if path.suffix in suffixes)
        sources = [(path, path.read_bytes()) for path in paths if path.is_file()]
        sources = [(path, data) for path, data in sources if len(data) <= MAX_SOURCE_BYTES]
        if sources:
            _measure(language, sources)


def _measure(language: str, sources: list[tuple[Path, bytes]]) -> None:
    size = sum(len(data) for _, data in sources)
    for path, data in sources[:100]:
        read_script(data, Context(path.name, Interest()), language=language)
    gc.collect()
    gc.freeze()
    gc.disable()  # As the workers of a scan read.
    parsing = reading = float("inf")
    slowest: list[tuple[float, Path]] = []
    for _ in range(3):
        start = time.process_time()
        for path, data in sources:
            parse_script(data, path.suffix)
        parsing = min(parsing, time.process_time() - start)
        slowest, start = [], time.process_time()
        for path, data in sources:
            before = time.process_time()
            read_script(data, Context(path.name, Interest()), language=language)
            slowest.append((time.process_time() - before, path))
        reading = min(reading, time.process_time() - start)
    print(f"{language}: {len(sources)} scripts, {size / 1e6:.1f} MB, Python {sys.version.split()[0]}")
    print(f"parsing only      {parsing:.2f} s  ({size / 1e6 / parsing:.1f} MB/s)")
    print(f"reading           {reading:.2f} s  {reading / parsing:.2f} times  (budget {_BUDGET:.2f})")
    for seconds, path in sorted(slowest, reverse=True)[:3]:
        print(f"  {seconds * 1000:.0f} ms  {path}")


if __name__ == "__main__":
    main(sys.argv[1:])
