"""The long versions of the gate's fault tests: a program is swapped all the time while it is started again and again.

Usage: `python tests/bench/bench_gate_faults.py [starts]`, ten thousand by default, which takes ten minutes or so. A
process of its own swaps, as fast as it can, the file by a rename, the file by a link, the folder by a rename, and the
bytes in place; the second content says `B` when it runs. Every other start has copy and source read side by side before
the gate is asked, as `plugseal run` has.
"""

from __future__ import annotations

import collections
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from plugseal.errors import PlugsealError, RefusedError
from plugseal.runtime.prefetch import Prefetch
from plugseal.runtime.reaper import descendants
from tests.gated import World

SERVER = "import sys\nsys.path[0:0] = []\nfrom lib import word\nprint(word.WORD, flush=True)\nsys.stdin.read()\n"
SWAPPER = """
import os, sys, time
root, told = sys.argv[1:]
one, two = 'WORD = "A"\\n', 'WORD = "B"\\n'
target, folder, n = f"{root}/lib/word.py", f"{root}/lib", 0
other = f"{root}.other"
os.makedirs(other, exist_ok=True)
open(f"{other}/word.py", "w").write(two); open(f"{other}/__init__.py", "w").write("")
def put(text):
    with open(target + ".new", "w") as file: file.write(text)
    os.replace(target + ".new", target)
while True:
    put(two); put(one)                                                   # a rename
    os.symlink(f"{other}/word.py", target + ".new"); os.replace(target + ".new", target); put(one)   # a link
    os.rename(folder, f"{root}/kept"); os.rename(other, folder)          # the folder
    os.rename(folder, other); os.rename(f"{root}/kept", folder)
    with open(target, "r+") as file: file.write(two); file.flush(); file.seek(0); file.write(one)     # in place
    n += 8
    if n % 800 == 0:
        with open(told, "w") as file: file.write(str(n))
        time.sleep(0.002)
"""


def main() -> None:
    """Start again and again while everything is swapped."""
    starts = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    os.chdir("/usr")
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        world = World(
            root / "world", None, server_dot_py=SERVER, lib__word_dot_py='WORD = "A"\n', lib____init___dot_py=""
        )
        world.trust()
        told = root / "swaps"
        swapper = subprocess.Popen([sys.executable, "-c", SWAPPER, str(world.source), str(told)])
        os.environ["PLUGSEAL_HOME"] = str(world.store.home)
        plain, found = world.supervisor(), collections.Counter[str]()
        began = time.monotonic()
        try:
            for number in range(starts):
                if number % 2:
                    with closing(Prefetch(world.id)) as begun:
                        told_by = _start(world.supervisor(begun=begun), world.id)
                else:
                    told_by = _start(plain, world.id)
                found[told_by] += 1
        finally:
            swapper.send_signal(signal.SIGKILL)
            swapper.wait()
        took = time.monotonic() - began
        swaps = told.read_text() if told.exists() else "few"
        left = len(descendants())
        print(f"{starts:,} starts during {swaps} swaps in {took:.0f} s: {dict(found)}; processes left: {left}")
        assert found["B"] == 0


def _start(supervisor: object, plugin: str) -> str:
    try:
        with supervisor.spawn(plugin) as session:  # type: ignore[attr-defined]  # of the world
            return os.read(session.child.stdout, 100).decode().strip()
    except RefusedError as error:
        return error.reason
    except PlugsealError as error:
        return type(error).__name__


if __name__ == "__main__":
    main()
