"""Memory of the main process over many files: it must stay flat.

Run: `python tests/bench/bench_memory.py`. Budget: below 200 MiB at 10,000 files, and about the same at 2,500.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.bench.bench_start import MANIFEST, SERVER
from tests.bench.processes import run

FILES_IN_FOLDER = 50


def make_tree(root: Path, files: int) -> None:
    """Write `files` small Python files that differ, in plugins of 50 files."""
    for number in range(files):
        folder = root / f"p{number // FILES_IN_FOLDER}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "plugin.json").write_text(MANIFEST, encoding="utf-8")
        text = SERVER.replace("example", f"host{number}") * 3
        (folder / f"m{number}.py").write_text(text, encoding="utf-8")


def main() -> None:
    """Print peak memory at two sizes, and their ratio."""
    peaks = {}
    for files in (2500, 10_000):
        with tempfile.TemporaryDirectory() as folder:
            make_tree(Path(folder), files)
            cost = run([sys.executable, "-I", "-m", "plugseal", "scan", folder])
            peaks[files] = cost.peak_mib
            print(f"{files:>6} files  peak {cost.peak_mib:6.1f} MiB  {cost.cpu_seconds:6.2f} s CPU")
    print(f"10,000 files / 2,500 files: {peaks[10_000] / peaks[2500]:.2f} x the peak")


if __name__ == "__main__":
    main()
