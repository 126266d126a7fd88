"""Measure the whole Python pipeline against `ast.parse` alone, and against bandit where it is installed.

    python tests/bench/bench_python_pipeline.py [FOLDER]

Both run over the same files in one process, one after the other, CPU time, best of three; the folder defaults to the
standard library without its tests. Only ratios mean anything. Budgets: 2.0 times `ast.parse`; 8 times faster than
bandit. The garbage collector is as a caller would set it: frozen after start-up, then at its defaults.
"""

from __future__ import annotations

import ast
import gc
import importlib.util
import subprocess
import sys
import sysconfig
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from plugseal.lang.facts import Context, Interest
from plugseal.lang.python.collect import collect
from plugseal.lang.python.decode import decode_source
from plugseal.lang.python.guard import check_source
from plugseal.lang.python.reader import read_python

_TESTS = {"test", "tests", "idle_test", "site-packages", "__pycache__", "lib2to3"}
_ROUNDS = 3


def _sources(folder: Path) -> list[tuple[str, bytes]]:
    """Return the sources below a folder that this interpreter's parser accepts."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        if _TESTS.isdisjoint(path.relative_to(folder).parts):
            data = path.read_bytes()
            try:
                ast.parse(data)
            except (SyntaxError, ValueError):
                continue
            found.append((str(path.relative_to(folder)), data))
    return found


def _seconds(work: Callable[[], None]) -> float:
    best = float("inf")
    for _ in range(_ROUNDS):
        gc.collect()
        gc.freeze()
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def _bandit_seconds(folder: Path) -> float | None:
    """Return the CPU seconds of bandit on the folder, measured by the same clock of child processes."""
    if importlib.util.find_spec("bandit") is None:
        return None
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "bandit", "-q", "-r", str(folder)], capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(arguments: list[str]) -> None:
    """Print the ratios."""
    warnings.simplefilter("ignore")
    folder = Path(arguments[0]) if arguments else Path(sysconfig.get_path("stdlib"))
    sources = _sources(folder)
    size = sum(len(data) for _, data in sources)
    interest = Interest(calls=frozenset({"builtins.eval"}), call_prefixes=("subprocess.",))
    contexts = [Context(path, interest) for path, _ in sources]
    trees = [ast.parse(data) for _, data in sources]

    def parse() -> None:
        for _, data in sources:
            ast.parse(data)

    def guard() -> None:
        for _, data in sources:
            decode_source(data)
            check_source(data)

    def note() -> None:
        for tree in trees:
            collect(tree)

    def read() -> None:
        for (_, data), context in zip(sources, contexts, strict=True):
            read_python(data, context)

    read()
    base = _seconds(parse)
    print(f"{len(sources)} files, {size / 1e6:.1f} MB, Python {sys.version.split()[0]}")
    print(f"ast.parse         1.00  ({size / 1e6 / base:.1f} MB/s)")
    print(f"decode and guard  {_seconds(guard) / base:.2f}")
    print(f"collect           {_seconds(note) / base:.2f}")
    pipeline = _seconds(read)
    print(f"whole pipeline    {pipeline / base:.2f}  (budget 2.00)")
    del trees
    if "--bandit" in sys.argv:
        bandit = _bandit_seconds(folder)
        print(
            "bandit is not installed" if bandit is None else f"bandit / pipeline {bandit / pipeline:.1f}  (budget 8.0)"
        )


if __name__ == "__main__":
    main([argument for argument in sys.argv[1:] if not argument.startswith("--")])
