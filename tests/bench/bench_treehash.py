"""Print how much CPU reading and hashing 10,000 files of 4 KiB takes, as a ratio to a C program in the same run.

Both do the same system calls and the same closing pass; the C program (`treehash_limit.c`) hashes with OpenSSL. The
runs are interleaved and the best of each counts. Run it as a script; nothing here asserts a time.

    python tests/bench/bench_treehash.py [rounds]
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FILES = 10_000
FILES_A_DIRECTORY = 100
FILE_BYTES = 4096
BUDGET = 1.8

_OURS = """
import sys, time
from pathlib import Path
from plugseal.intake.read import read_tree, verify_representable
from plugseal.encode.treehash import content_receipt
began = time.process_time()
receipt = content_receipt(verify_representable(read_tree(Path(sys.argv[1]))))
print(time.process_time() - began, receipt)
"""
_PIPELINE = "cd {} && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum"


def build_tree(root: Path) -> None:
    """Write the files; their bytes don't matter, only that they are many and small."""
    block = os.urandom(FILE_BYTES + FILES)
    for index in range(FILES):
        directory = root / f"directory-{index // FILES_A_DIRECTORY:03}"
        directory.mkdir(exist_ok=True)
        (directory / f"file-{index:05}.txt").write_bytes(block[index : index + FILE_BYTES])


def build_limit(folder: Path) -> Path | None:
    """Return the compiled C program, None where there is no compiler or no OpenSSL to build against."""
    program = folder / "limit"
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    source = Path(__file__).with_name("treehash_limit.c")
    built = subprocess.run([compiler, "-O2", str(source), "-o", str(program), "-lcrypto"], capture_output=True)
    return program if built.returncode == 0 else None


def run_cpu_seconds(command: list[str]) -> float:
    """Return what the command says of itself: CPU seconds as its first word."""
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[0])


def run_children_seconds(command: str) -> float:
    """Return the CPU seconds of a shell line and all its children."""
    before = os.times()
    subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> None:
    """Build, run interleaved, print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tree = folder / "tree"
        tree.mkdir()
        build_tree(tree)
        limit = build_limit(folder)
        if limit is None:
            print("no C compiler, or no OpenSSL to build against (libssl-dev): nothing to compare with")
            return
        ours, theirs, pipeline = [], [], []
        for _ in range(rounds):
            theirs.append(run_cpu_seconds([str(limit), str(tree)]))
            ours.append(run_cpu_seconds([sys.executable, "-c", _OURS, str(tree)]))
            pipeline.append(run_children_seconds(_PIPELINE.format(tree)))
    ratio = min(ours) / min(theirs)
    print(f"C limit            {min(theirs) * 1000:7.1f} ms CPU")
    print(f"read_tree + hash   {min(ours) * 1000:7.1f} ms CPU   {ratio:.2f} x (budget {BUDGET})")
    print(f"sha256sum pipeline {min(pipeline) * 1000:7.1f} ms CPU   {min(pipeline) / min(theirs):.2f} x")


if __name__ == "__main__":
    main()
