"""Compute something in a process of our own while this one goes on: for what only reads, and returns bytes.

Where no process is to be had (other threads, whose locks a fork would copy shut) or it ended without a word, the same
is computed here, when it is asked for: the answer and its errors are the same, only later.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from plugseal.runtime import kernel

_CHUNK = 65536


def is_alone() -> bool:
    """Say whether this process has one thread only, as far as Python knows: then it may be forked."""
    # Who never loaded the module started no thread.
    threading = sys.modules.get("threading")
    return threading is None or threading.active_count() == 1


@contextmanager
def beside(work: Callable[[], bytes]) -> Iterator[Callable[[], bytes]]:
    """Yield a function that returns what the work returns.

    Args:
        work: opens nothing that stays open, and changes nothing.
    """
    started = _start(work)
    if started is None:
        yield work
        return
    pid, pipe = started
    try:
        yield lambda: _read(pipe) or work()
    finally:
        os.close(pipe)
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
        with suppress(OSError):
            os.waitpid(pid, 0)


def _start(work: Callable[[], bytes]) -> tuple[int, int] | None:
    if not is_alone():
        return None
    out, into = os.pipe()
    try:
        pid = os.fork()
    except OSError:
        os.close(out)
        os.close(into)
        return None
    if pid == 0:
        _work(work, into)
    os.close(into)
    return pid, out


def _work(work: Callable[[], bytes], into: int) -> NoReturn:
    """Be the process; never returns, and says nothing of what went wrong: it goes wrong again where it is told."""
    try:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        kernel.set_parent_death_signal(signal.SIGKILL)
        kernel.set_undumpable()
        os.write(into, work())
    finally:
        os._exit(0)


def _read(pipe: int) -> bytes:
    data = b""
    while part := os.read(pipe, _CHUNK):
        data += part
    return data
