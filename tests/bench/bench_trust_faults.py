"""The large numbers behind the fault tests: many processes, many kills, many races, every bit.

Run: `python tests/bench/bench_trust_faults.py [processes|kills|races|bits]`. Every figure must come out as it says;
anything else is an error.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from plugseal.errors import StateError
from plugseal.trust.store import Store
from tests.attack.test_trust_stage_races import ATTACKER, fresh, race
from tests.process.test_trust_processes import numbers, writer
from tests.process.trust_writers import RUN, SUBJECT, step


def processes(folder: Path, *, count: int = 50, each: int = 200) -> None:
    """Let many processes make transitions of one record: each generation is unique, none is lost."""
    start = time.perf_counter()
    children = [writer("transitions", folder / "state", each) for _ in range(count)]
    counted = sorted(number for child in children for number in numbers(child))
    if counted != list(range(1, count * each + 1)):
        raise AssertionError("a generation is missing or stands twice")
    record = Store(folder / "state").read(SUBJECT)
    if record is None or record.reviews.size != count * each:
        raise AssertionError("an entry is lost")
    print(f"{count} processes x {each} transitions: all {count * each:,} in {time.perf_counter() - start:.0f} s")


def kills(folder: Path, *, count: int = 1000) -> None:
    """Kill writers at random moments: whatever they said is stored."""
    store, chance = Store(folder / "state"), random.Random(0)
    store.change(SUBJECT, step)
    lost = 0
    for number in range(count):
        what = ("transitions", "runs")[number % 2]
        child = writer(what, store.home, 100_000)
        if child.stdout is None:
            raise AssertionError("no output")
        child.stdout.readline()
        time.sleep(chance.random() / 300)
        child.kill()
        said = max(numbers(child), default=0)
        record = store.read(SUBJECT)
        stored = store.runs(SUBJECT).trail.size if what == "runs" else record.standing.generation if record else 0
        lost += stored < said
    store.change(SUBJECT, step)
    left = [path.name for path in store.folder.iterdir() if path.name.endswith(".tmp")]
    print(f"{count:,} kills: {lost} acknowledged lost, 0 corrupt, {len(left)} temporary files left")


def races(folder: Path, *, count: int = 10_000) -> None:
    """Stage a plugin that is changed all the while: what is staged is what was hashed."""
    fresh(folder / "plugin")
    (folder / "stages").mkdir(mode=0o700)
    words = [sys.executable, "-c", ATTACKER, str(folder / "plugin")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as attacker:
        if attacker.stdout is None:
            raise AssertionError("no output")
        attacker.stdout.readline()
        ends = Counter(race(folder / "plugin", folder / "stages") for _ in range(count))
        attacker.kill()
    print(f"{count:,} races: " + ", ".join(f"{number:,} {end}" for end, number in sorted(ends.items())))


def bits(folder: Path) -> None:
    """Flip every bit of every file of a store, one after the other: each is refused."""
    store = Store(folder / "state")
    for _ in range(40):
        store.change(SUBJECT, step)
        store.append_run(SUBJECT, RUN)
    for suffix in (".json", ".head", ".runs"):
        (file,) = store.folder.glob(f"*{suffix}")
        whole = file.read_bytes()
        data = whole.rstrip(b" \n") if suffix == ".head" else whole
        accepted = 0
        for at in range(len(data) * 8):
            changed = bytearray(whole)
            changed[at // 8] ^= 1 << (at % 8)
            file.write_bytes(changed)
            try:
                (store.runs if suffix == ".runs" else store.read)(SUBJECT)
            except StateError:
                continue
            accepted += 1
        file.write_bytes(whole)
        print(f"{len(data) * 8:,} flips of a bit in {suffix}: {accepted} accepted")


def main() -> None:
    """Run those that are named, all by default."""
    known = {"processes": processes, "kills": kills, "races": races, "bits": bits}
    for name in sys.argv[1:] or known:
        with tempfile.TemporaryDirectory() as folder:
            known[name](Path(folder))


if __name__ == "__main__":
    main()
