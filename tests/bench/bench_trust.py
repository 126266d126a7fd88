"""Reviews, transitions, trails and stages, each as a ratio to what the machine itself takes in the same run.

Run: `python tests/bench/bench_trust.py`. Budgets: a review on screen within 20 bare interpreters; a transition within
4.5 synced writes; a history of a million entries verified within 1 ms out of 16 KB; an appended run at 0.7 of raw
write and sync; a stage of 5,000 files and 100 MB within 5 times hashing it, syncing apart. `TMPDIR` chooses the disk.

A sync takes 0.1 ms where nobody else runs and 4 ms where others do: the longer it takes, the better both ratios to it
look. So both sides run in turn, many times, on the same disk, on files in the same state (each raw write makes its
file longer, as each event does the journal; each raw file is written anew, as a record is), their medians are compared,
and it is done at real-time priority where the system grants it. The foldings of the journal are in the mean alone.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from plugseal.encode.merkle import CompactRange, range_levels
from plugseal.encode.treehash import content_receipt
from plugseal.intake.read import read_tree
from plugseal.intake.stage import Stager
from plugseal.trust import transitions
from plugseal.trust.record import Record
from plugseal.trust.store import Store
from plugseal.trust.trail import Trail
from tests.bench.bench_start import MANIFEST, SERVER, SERVERS
from tests.bench.processes import least
from tests.process.trust_writers import AT, BY, RUN, SUBJECT, step

ENTRIES = 1_000_000
ROUNDS = 400
FILES, FOLDERS, FILE_BYTES = 5000, 50, 20_000


def seconds(act: Callable[[], object], rounds: int) -> float:
    """Return the median of some rounds."""
    found = []
    for _ in range(rounds):
        start = time.perf_counter()
        act()
        found.append(time.perf_counter() - start)
    return statistics.median(found)


def review(folder: Path) -> None:
    """Measure a review of a small plugin against a bare interpreter."""
    plugin = folder / "plugin"
    plugin.mkdir()
    for name, text in (("server.py", SERVER), ("plugin.json", MANIFEST), ("mcp.json", SERVERS)):
        (plugin / name).write_text(text, encoding="utf-8")
    os.environ["PLUGSEAL_HOME"] = str(folder / "home")
    words = [sys.executable, "-I", "-m", "plugseal", "review", str(plugin)]
    cost = least({"bare": [sys.executable, "-I", "-c", "pass"], "review": words}, rounds=15, cwd="/")
    ratio = cost["review"].cpu_seconds / cost["bare"].cpu_seconds
    print(f"review              {cost['review'].cpu_seconds * 1000:8.1f} ms CPU  {ratio:5.2f} x bare (budget 20)")


def changes(folder: Path) -> None:
    """Measure a transition and an appended run against raw writes with a sync, in turn."""
    store = Store(folder / "state")
    for _ in range(40):
        store.change(SUBJECT, step)
    size = next(store.folder.glob("*.json")).stat().st_size
    line = next(iter(_line_of(store)))

    def written() -> None:
        descriptor = os.open(folder / "raw", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.write(descriptor, bytes(size))
        os.fsync(descriptor)
        os.close(descriptor)

    journal = os.open(folder / "journal", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def appended() -> None:
        os.write(journal, line)
        os.fsync(journal)

    runs = iter([RUN._replace(detail=f"{number}") for number in range(ROUNDS + 1)])
    with _undisturbed() as priority:
        raw, ours = _in_turn(written, lambda: store.change(SUBJECT, step))
        ratio = statistics.median(ours) / statistics.median(raw)
        print(f"transition          {_microseconds(ours)}      {ratio:5.2f} synced writes (budget 4.5), {priority}")
        raw, ours = _in_turn(appended, lambda: store.append_run(SUBJECT, next(runs)))
        ratio, mean = statistics.median(raw) / statistics.median(ours), sum(raw) / sum(ours)
        print(f"append to runs      {_microseconds(ours)}      {ratio:5.2f} of raw write and sync (budget 0.7)")
        print(f"  raw: {_microseconds(raw)}; the means, with every folding of the journal: {mean:.2f}")
    os.close(journal)


def _in_turn(raw: Callable[[], object], ours: Callable[[], object]) -> tuple[list[float], list[float]]:
    """Return how long each of two took, one after the other, many times."""
    found: tuple[list[float], list[float]] = ([], [])
    for number in range(ROUNDS + 1):
        for times, act in zip(found, (raw, ours), strict=True):
            took = seconds(act, 1)
            if number:
                times.append(took)
    return found


@contextmanager
def _undisturbed() -> Iterator[str]:
    """Run at real-time priority, where that is granted, and say so."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except (AttributeError, PermissionError):
        yield "whatever else runs meanwhile"
        return
    try:
        yield "at real-time priority"
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def _microseconds(times: list[float]) -> str:
    return f"{statistics.median(times) * 1e6:8.0f} us"


def _line_of(store: Store) -> list[bytes]:
    store.append_run(SUBJECT, RUN)
    return next(store.folder.glob("*.runs")).read_bytes().splitlines(keepends=True)[-1:]


def history(folder: Path) -> None:
    """Measure the reading of a record of a million transitions, as the store verifies it."""
    for anchored in (False, True):
        store = Store(folder / f"history-{anchored}")
        count = ENTRIES - 65
        digests = tuple(sha256(bytes([level])).digest() for level in range_levels(0, count))
        first = step(None)
        standing = first.standing._replace(generation=count)
        record = Record(SUBJECT, standing, Trail(CompactRange(0, count, digests)))
        for number in range(65):
            if anchored and number in (3, 30):
                record = record._replace(reviews=record.reviews.anchor())
            record = record.after(transitions.reload(record.standing), action="reloaded", at=AT, by=BY)
        store.change(SUBJECT, lambda _, made=record: made)
        size = next(store.folder.glob("*.json")).stat().st_size
        took = min(seconds(lambda kept=store: kept.read(SUBJECT), 1) for _ in range(300))
        words = "with two anchors" if anchored else "plain"
        entries = record.reviews.size
        print(f"verify {entries:,}    {took * 1000:8.3f} ms      {size:,} bytes, {words} (budget 1 ms, 16 KB)")


def stage(folder: Path) -> None:
    """Measure a stage of 5,000 files and 100 MB against hashing them.

    Nothing is removed meanwhile: a file system may be slow to make files where others went a moment ago.
    """
    source, chance = folder / "source", random.Random(0)
    for number in range(FILES):
        path = source / f"d{number % FOLDERS}" / f"f{number}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(chance.randbytes(FILE_BYTES))
    content = content_receipt(read_tree(source))
    hashing, making, staging, syncing = [], [], [], []
    for number in range(5):
        hashing.append(_cpu(lambda: content_receipt(read_tree(source))))
        making.append(_cpu(partial(_make, folder / f"made-{number}")))
        stages = folder / f"stages-{number}"
        stages.mkdir(mode=0o700)
        with _timed_syncs(syncing):
            staging.append(_cpu(partial(_stage, source, stages, content)))
    print(f"hash 5,000 files    {min(hashing) * 1000:8.1f} ms CPU")
    ratio = min(staging) / min(hashing)
    print(f"stage them          {min(staging) * 1000:8.1f} ms CPU  {ratio:5.2f} x hashing (budget 5)")
    share = min(making) / min(hashing)
    print(f"  of that, as many files on this disk: {share:.2f} x hashing; apart, syncing: {min(syncing) * 1000:.0f} ms")


def _stage(source: Path, stages: Path, content: str) -> None:
    stager = Stager(stages)
    stager.finish(read_tree(source, stager), content)
    stager.abandon()


def _make(folder: Path) -> None:
    """Make as many files in as many folders, with nothing around it."""
    data = bytes(FILE_BYTES)
    folder.mkdir()
    for number in range(FOLDERS):
        (folder / f"d{number}").mkdir()
    root = os.open(folder, os.O_RDONLY)
    for number in range(FILES):
        name = f"d{number * FOLDERS // FILES}/f{number}"
        descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400, dir_fd=root)
        os.write(descriptor, data)
        os.close(descriptor)
    os.close(root)


@contextmanager
def _timed_syncs(found: list[float]) -> Iterator[None]:
    real = os.sync

    def timed() -> None:
        start = time.perf_counter()
        real()
        found.append(time.perf_counter() - start)

    os.sync = timed
    try:
        yield
    finally:
        os.sync = real


def _cpu(act: Callable[[], object]) -> float:
    start = time.process_time()
    act()
    return time.process_time() - start


def main() -> None:
    """Print all figures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        review(folder)
        changes(folder)
        history(folder)
        stage(folder)


if __name__ == "__main__":
    main()
