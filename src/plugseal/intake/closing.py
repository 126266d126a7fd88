"""Compare a tree that was read with what is there now: no mixture of two moments passes for one.

First, what changed within the present tick of the clock is read again. A file system stamps changes by a clock that
ticks every few milliseconds; what is written twice within one tick has one ctime, so a file that changed right before
it was read could change again unseen. Such files (a tree at rest has none) are read, such directories listed, once
more after the tick has passed: any write from then on moves a ctime.

Then the closing pass compares inode, ctime, size and mode of every file, and inode, mtime and ctime of every
directory, with what they were before they were read. Without it one tree in five was torn under a concurrent writer.

What a shared mapping writes need not move a ctime and can't be seen: whoever enforces a receipt runs from an own copy.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from plugseal.intake.door import READ_FLAGS, Directory, Door, seal_of
from plugseal.intake.faults import fault
from plugseal.intake.hashing import read_file
from plugseal.model.tree import Entry, Fault
from plugseal.records import NamedTuple

FileSeal: TypeAlias = "tuple[int, int, int, int]"
"""ctime in ns, inode, size, mode."""
NO_SEAL: Final[FileSeal] = (0, 0, 0, 0)
"""For a file that could not be opened: it has its fault."""
_COARSE_CLOCK: Final = 5
"""`CLOCK_REALTIME_COARSE`, by which Linux stamps files; Python has no name for it."""
_GRAIN_NS: Final = 20_000_000
"""For systems without it: twice the slowest tick."""
_MAX_AHEAD_NS: Final = 1_000_000_000
"""Times further ahead come from another machine's clock: nothing can be learned by waiting for them."""


class SealedRun(NamedTuple):
    """Files of one directory as they were right before they were read."""

    directory: Directory
    names: list[str]
    seals: list[FileSeal]


def tick_ns() -> int:
    """Return the time from which on the next changes can be stamped, in ns as `time.time_ns()`."""
    if sys.platform == "linux":
        return time.clock_gettime_ns(_COARSE_CLOCK)
    return time.time_ns() - _GRAIN_NS


def check_unchanged(door: Door, runs: list[SealedRun], *, entries: Sequence[Entry], recent_ns: int) -> list[Fault]:
    """Return a fault for every file and directory that is not, or may not be, what was read.

    Args:
        door: the root, open.
        runs: all files that were read.
        entries: what they were read to; looked at for recent changes only.
        recent_ns: `tick_ns()` before the first listing: what changed since may change again within its tick.
    """
    directories = [d for d in _all_directories(door.root) if d.seal is not None]
    faults = _check_recent(door, runs, entries, recent_ns)
    faults += [_changed(d.path) for d in directories if d.names is not None and not _lists_the_same(door, d)]
    faults += [_changed(d.path) for d in directories if _status_seal(door, d) != d.seal]
    for run in runs:
        faults += _check_run(door, run)
    return faults


def _changed(path: str) -> Fault:
    return fault(path, "changed-while-reading")


def _all_directories(root: Directory) -> Iterator[Directory]:
    pending = [root]
    while pending:
        directory = pending.pop()
        pending.extend(directory.directories)
        yield directory


def _status_seal(door: Door, directory: Directory) -> tuple[int, ...] | None:
    try:
        fd = door.enter(directory)
        return seal_of(os.fstat(fd) if fd is not None else os.lstat(door.join(directory, "")))
    except OSError:
        return None


def _check_run(door: Door, run: SealedRun) -> list[Fault]:
    faults: list[Fault] = []
    stat, prefix = os.stat, run.directory.prefix
    try:
        dir_fd = door.enter(run.directory)
    except OSError:
        return [_changed(run.directory.path)]
    for name, target, seal in zip(run.names, door.targets(run.directory, run.names), run.seals, strict=True):
        if seal is NO_SEAL:
            continue
        try:
            status = stat(target, dir_fd=dir_fd, follow_symlinks=False)
        except OSError:
            faults.append(_changed(prefix + name))
            continue
        if (status.st_ctime_ns, status.st_ino, status.st_size, status.st_mode) != seal:
            faults.append(_changed(prefix + name))
    return faults


def _check_recent(door: Door, runs: list[SealedRun], entries: Sequence[Entry], recent_ns: int) -> list[Fault]:
    recent = [
        (run.directory, name, seal)
        for run in runs
        if max(run.seals)[0] >= recent_ns
        for name, seal in zip(run.names, run.seals, strict=True)
        if seal[0] >= recent_ns
    ]
    latest = [seal[0] for _, _, seal in recent]
    latest += [d.seal[3] for d in _all_directories(door.root) if d.seal is not None and d.names is not None]
    _wait_past(latest)
    digests = {entry.path: entry.digest for entry in entries} if recent else {}
    return [
        _changed(directory.prefix + name)
        for directory, name, seal in recent
        if not _reads_the_same(door, (directory, name), seal, digests.get(directory.prefix + name))
    ]


def _wait_past(changes_ns: list[int]) -> None:
    # A tick or two at most; nobody can hold us here, since what happens meanwhile isn't looked at.
    latest = max((c for c in changes_ns if c < time.time_ns() + _MAX_AHEAD_NS), default=0)
    while tick_ns() <= latest:
        time.sleep(0.001)


def _reads_the_same(door: Door, where: tuple[Directory, str], seal: FileSeal, digest: str | None) -> bool:
    directory, name = where
    try:
        dir_fd = door.enter(directory)
        fd = os.open(door.targets(directory, [name])[0], READ_FLAGS, dir_fd=dir_fd)
    except OSError:
        return False
    try:
        status = os.fstat(fd)
        if (status.st_ctime_ns, status.st_ino, status.st_size, status.st_mode) != seal:
            return False
        return digest is None or read_file(fd, status.st_size)[0] == digest
    except OSError:
        return False
    finally:
        os.close(fd)


def _lists_the_same(door: Door, directory: Directory) -> bool:
    try:
        return door.list_names(directory) == directory.names
    except OSError:
        return False
