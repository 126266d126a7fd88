"""Compute something in a process of our own while this one goes on: for what only reads, and returns bytes.

Where no process is to be had (other threads, whose locks a fork would copy shut) or it ended without a word, the same
is computed here, when it is asked for: the answer and its errors are the same, only later.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from plugseal.runtime import kernel

_CHUNK = 65536


class Beside:
    """One piece of work in a process of its own; close it."""

    def __init__(self, work: Callable[[], bytes]) -> None:
        """Begin.

        Args:
            work: opens nothing that stays open, and changes nothing.
        """
        self._work = work
        self._started = _start(work)

    def result(self) -> bytes:
        """Return what the work returns; it may raise what the work raises."""
        return (self._started is not None and _read(self._started[1])) or self._work()

    def close(self) -> None:
        """End the process, if it has not ended; safe to call again."""
        if self._started is None:
            return
        pid, pipe = self._started
        self._started = None
        os.close(pipe)
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
        with suppress(OSError):
            os.waitpid(pid, 0)


def is_alone() -> bool:
    """Say whether this process has one thread only, as far as Python knows: then it may be forked."""
    # Who never loaded the module started no thread.
    threading = sys.modules.get("threading")
    return threading is None or threading.active_count() == 1


def _start(work: Callable[[], bytes]) -> tuple[int, int] | None:
    if not is_alone():
        return None
    parent = os.getpid()
    try:
        out, into = os.pipe()
    except OSError:
        return None
    try:
        pid = os.fork()
    except OSError:
        os.close(out)
        os.close(into)
        return None
    if pid == 0:
        _work(work, into, parent)
    os.close(into)
    return pid, out


def _work(work: Callable[[], bytes], into: int, parent: int) -> NoReturn:
    """Be the process; never returns, and says nothing of what went wrong: it goes wrong again where it is told."""
    try:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        kernel.set_parent_death_signal(signal.SIGKILL)
        kernel.set_undumpable()
        if os.getppid() == parent:  # else nobody is there to tell us when to end, and nobody to ask
            os.write(into, work())
    finally:
        os._exit(0)


def _read(pipe: int) -> bytes:
    data = b""
    while part := os.read(pipe, _CHUNK):
        data += part
    return data
