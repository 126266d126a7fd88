"""Measure the whole Python pipeline against `ast.parse` alone, and against bandit.

    python tests/bench/bench_python_pipeline.py [FOLDER] [--bandit]

Every figure is the CPU time of a process of its own, start-up included, the smallest of five, run in turns: only
ratios mean anything. The folder defaults to the standard library without its tests. Budgets: 2.0 times a process that
only calls `ast.parse` on the same files; 8 times faster than bandit. The collector of garbage is off in the pipeline's
process, as in the scanner's loop: a file leaves next to nothing behind (the last line shows it).
"""

from __future__ import annotations

import ast
import importlib.util
import resource
import subprocess
import sys
import sysconfig
import tempfile
import warnings
from pathlib import Path

_LEFT_OUT = {"test", "tests", "idle_test", "site-packages", "__pycache__", "lib2to3"}
_ROUNDS = 5
_PARSE = """
import ast, sys, warnings
from pathlib import Path
warnings.simplefilter("ignore")
for path in Path(sys.argv[1]).read_text().splitlines():
    ast.parse(Path(path).read_bytes())
"""
_PIPELINE = """
import gc, resource, sys
from pathlib import Path
from plugseal.lang.facts import Context, Interest
from plugseal.lang.python.reader import read_python
gc.disable()
interest = Interest(calls=frozenset({"builtins.eval"}), call_prefixes=("subprocess.", "requests."))
for path in Path(sys.argv[1]).read_text().splitlines():
    read_python(Path(path).read_bytes(), Context(path, interest))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def _sources(folder: Path) -> list[Path]:
    """Return the sources below a folder that this interpreter's parser accepts."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        if _LEFT_OUT.isdisjoint(path.relative_to(folder).parts):
            try:
                ast.parse(path.read_bytes())
            except (SyntaxError, ValueError):
                continue
            found.append(path)
    return found


def _run(command: list[str]) -> tuple[float, str]:
    """Return the CPU seconds of a command, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def main(arguments: list[str]) -> None:
    """Print the ratios."""
    warnings.simplefilter("ignore")
    folders = [argument for argument in arguments if not argument.startswith("--")]
    folder = Path(folders[0] if folders else sysconfig.get_path("stdlib"))
    sources = _sources(folder)
    size = sum(path.stat().st_size for path in sources)
    with tempfile.TemporaryDirectory() as scratch:
        listing = Path(scratch) / "files"
        listing.write_text("\n".join(map(str, sources)))
        parse, pipeline, peak = float("inf"), float("inf"), ""
        for _ in range(_ROUNDS):
            parse = min(parse, _run([sys.executable, "-c", _PARSE, str(listing)])[0])
            seconds, printed = _run([sys.executable, "-c", _PIPELINE, str(listing)])
            pipeline, peak = min(pipeline, seconds), printed.strip()
    print(f"{len(sources)} files, {size / 1e6:.1f} MB, Python {sys.version.split()[0]}")
    print(f"ast.parse only    {parse:.2f} s  ({size / 1e6 / parse:.1f} MB/s)")
    print(f"whole pipeline    {pipeline:.2f} s  {pipeline / parse:.2f} times  (budget 2.00)  peak {peak} MB")
    if "--bandit" in arguments and importlib.util.find_spec("bandit") is not None:
        bandit, _ = _run([sys.executable, "-m", "bandit", "-q", *map(str, sources)])
        print(f"bandit            {bandit:.2f} s  {bandit / pipeline:.1f} times the pipeline  (budget 8.0)")


if __name__ == "__main__":
    main(sys.argv[1:])
