"""Folders that live as long as one run: each is locked by whoever made it, so that what a killed gate left is found.

The lock is on the folder itself and goes with the process that holds it, however it ends. Whoever makes a folder first
removes those that nobody holds any more. Both happen under a lock on the folder above: none is ever seen half made.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from plugseal.errors import SupervisorError
from plugseal.trust.locks import take_lock

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LOCK_SECONDS: Final = 10.0


@contextmanager
def own_folder(parent: Path) -> Iterator[Path]:
    """Yield a new folder that is removed at the end, whatever stands in it then.

    Args:
        parent: a private folder of ours.

    Raises:
        SupervisorError: somebody else makes one all the time.
    """
    with _held(parent):
        _sweep(parent)
        below = parent / os.urandom(8).hex()
        below.mkdir(mode=0o700)
        lock = os.open(below, _FOLDER)
        fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        yield below
    finally:
        _remove(below)
        os.close(lock)


def sweep(parent: Path) -> int:
    """Remove the folders that nobody holds any more, and return how many there were.

    Raises:
        SupervisorError: somebody else makes one all the time.
    """
    with _held(parent):
        return _sweep(parent)


@contextmanager
def _held(parent: Path) -> Iterator[None]:
    lock = os.open(parent, _FOLDER)
    try:
        if not take_lock(lock, max_seconds=_LOCK_SECONDS):
            raise SupervisorError("another gate holds the folder of runs", hint=f"see `fuser {parent}`")
        yield
    finally:
        os.close(lock)


def _sweep(parent: Path) -> int:
    removed = 0
    for path in sorted(parent.iterdir()):
        try:
            lock = os.open(path, _FOLDER)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove(path)
            removed += 1
        except OSError:
            continue  # somebody's
        finally:
            os.close(lock)
    return removed


def _remove(path: Path) -> None:
    import shutil  # slow to load, and asked at the end alone

    shutil.rmtree(path, ignore_errors=True)
    if not path.exists():
        return
    # A program may have closed its folders to writing.
    for folder, _, _ in os.walk(path):
        with suppress(OSError):
            descriptor = os.open(folder, _FOLDER)
            try:
                os.fchmod(descriptor, 0o700)
            finally:
                os.close(descriptor)
    shutil.rmtree(path, ignore_errors=True)
