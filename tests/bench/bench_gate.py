"""Measure the gate: the decision, a gated start, a call, a revocation, kills, memory; ratios within one run.

Usage: `python tests/bench/bench_gate.py [kills]`. Needs Linux, and a quiet machine for the times.
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from plugseal.encode.treehash import content_receipt
from plugseal.intake.read import read_tree
from plugseal.runtime.reaper import descendants
from plugseal.verbs.trust import enable, revoke
from tests.gated import World

CALLS = 400


def median(what: Callable[[], object], times: int) -> float:
    """Return the median time of something in milliseconds."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        what()
        found.append((time.perf_counter() - began) * 1000)
    return statistics.median(found)


def decision(root: Path, files: int) -> None:
    """Compare the gate's decision with hashing the same files."""
    world = World(root, None)
    for number in range(files):
        world.write(f"data/{number % 10}/f{number}.txt", f"{number:04}" * 1024)
    world.trust()
    decides = median(world.grant, 30)
    hashes = median(lambda: content_receipt(read_tree(world.source)), 30)
    bare = median(lambda: subprocess.run([sys.executable, "-I", "-c", "pass"], check=True), 15)
    print(f"decision, {files} files of 4 KiB: {decides:.1f} ms; hashing them {hashes:.1f} ms: {decides / hashes:.2f} x")
    print(f"  budget 4 x hashing + a bare start ({bare:.1f} ms): {4 * hashes + bare:.1f} ms")


class Talk:
    """One conversation with a server, direct or gated."""

    def __init__(self, words: Sequence[str], world: World) -> None:
        around = {"PATH": "/usr/bin:/bin", "PLUGSEAL_HOME": str(world.store.home)}
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=around, cwd="/usr"
        )
        self.ask("tools/list")

    def ask(self, method: str, **params: object) -> bytes:
        """Send a request and return the line of its answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def end(self) -> None:
        """Close the input and wait."""
        self.process.communicate()


def _gated(world: World) -> list[str]:
    return [sys.executable, "-I", "-m", "plugseal", "run", world.id]


def starts_and_calls(root: Path) -> None:
    """Compare starts and calls with the server alone; each pair of calls in one go, so that noise meets both."""
    world = World(root).trust()
    program = world.grant().approval.interpreters[0][1]
    direct = [program, str(world.source / "server.py")]
    alone = median(lambda: Talk(direct, world).end(), 15)
    gated = median(lambda: Talk(_gated(world), world).end(), 15)
    print(f"start to end: direct {alone:.0f} ms, gated {gated:.0f} ms: {gated / alone:.2f} x, +{gated - alone:.0f} ms")
    one, two = Talk(direct, world), Talk(_gated(world), world)
    for size in (100, 20_000, 200_000):
        text = "x" * size
        times: list[list[float]] = [[], []]
        for _ in range(CALLS if size < 100_000 else 60):
            for kept, talk in zip(times, (one, two), strict=True):
                began = time.perf_counter()
                talk.ask("tools/call", name="echo", arguments={"x": text})
                kept.append((time.perf_counter() - began) * 1000)
        a, b = map(statistics.median, times)
        print(f"call of {size:,} B: direct {a:.3f} ms, gated {b:.3f} ms: {b / a:.2f} x, +{b - a:.3f} ms")
    status = Path(f"/proc/{two.process.pid}/status").read_text()
    print("memory of the gate:", next(line for line in status.splitlines() if line.startswith("VmHWM")))
    one.end()
    two.end()


def is_alive(pid: int) -> bool:
    """Say whether a process runs; one that only waits for its new parent to take its exit code does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def revocations(root: Path, times: int = 40) -> None:
    """Measure from the record's rename to the end of the last descendant."""
    from plugseal.verbs.look import look
    from plugseal.verbs.select import Selection

    world = World(root).trust()
    found = []
    for _ in range(times):
        talk = Talk(_gated(world), world)
        below = descendants(talk.process.pid)
        (record,) = world.store.records()
        revoke(record, world.store)  # type: ignore[arg-type]
        began = time.perf_counter()
        while any(map(is_alive, below)):
            time.sleep(0.0002)
        found.append((time.perf_counter() - began) * 1000)
        talk.process.wait()
        world.trust(enabled=False)
        enable(look(Selection(world.source), system="agent-plugins"), world.store)
    found.sort()
    print(f"revoke -> gone: median {statistics.median(found):.1f} ms, p95 {found[int(times * 0.95)]:.1f} ms")


def kills(root: Path, times: int) -> None:
    """Kill the gate, and count what survives."""
    daemons = (
        "import os, signal, sys, time\n"
        "for _ in range(3):\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        if os.fork() == 0:\n"
        "            signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(3600)\n"
        "        os._exit(0)\n"
        "for line in sys.stdin:\n"
        '    print(\'{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}\', flush=True)\n'
    )
    world = World(root, None, server_dot_py=daemons).trust()
    survivors = 0
    for _ in range(times):
        talk = Talk(_gated(world), world)
        below = descendants(talk.process.pid)
        os.kill(talk.process.pid, signal.SIGKILL)
        talk.process.communicate()
        end = time.monotonic() + 5
        while time.monotonic() < end and any(map(is_alive, below)):
            time.sleep(0.002)
        survivors += sum(map(is_alive, below))
    print(f"kill -9 of the gate, {times} times, 3 daemons each: {survivors} survivors")


def main() -> None:
    """Measure all."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    os.chdir("/usr")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        decision(root / "200", 200)
        decision(root / "500", 500)
        starts_and_calls(root / "calls")
        revocations(root / "revoke")
        kills(root / "kill", count)


if __name__ == "__main__":
    main()
