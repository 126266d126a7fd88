"""Compute something in a process of our own while this one goes on: for what only reads, and returns bytes.

Where no process is to be had (other threads, whose locks a fork would copy shut) or it ended without a word, the same
is computed here, when it is asked for: the answer and its errors are the same, only later.

Nothing is loaded for it before the fork: a start of a trusted plugin begins with one.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

_CHUNK = 1 << 20
_PIPE = 1 << 16


class Background:
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

    def is_done(self) -> bool:
        """Say whether the process has its answer, or none to give, without waiting."""
        import select

        return self._started is not None and bool(select.select([self._started[1]], [], [], 0)[0])

    def close(self, *, wait: bool = True) -> None:
        """End the process, if it has not ended; safe to call again.

        Args:
            wait: whether to wait for its end; else that is taken when another one is closed, or by the end of the work
                to which it belongs.
        """
        if self._started is not None:
            import signal

            pid, pipe = self._started
            self._started = None
            os.close(pipe)
            _ENDING.append(pid)
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                _ENDING.remove(pid)  # somebody else took its end
        if wait:
            _take_ended()


_ENDING: list[int] = []
"""Processes of this one that were ended, and not waited for yet."""


def _take_ended() -> None:
    while _ENDING:
        try:
            os.waitpid(_ENDING.pop(), 0)
        except OSError:
            continue  # somebody else took its end


def is_alone() -> bool:
    """Say whether this process has one thread only, as far as Python knows: then it may be forked."""
    # Who never loaded the module started no thread.
    threading = sys.modules.get("threading")
    return threading is None or threading.active_count() == 1


def _start(work: Callable[[], bytes]) -> tuple[int, int] | None:
    if not is_alone() or not hasattr(os, "fork"):
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
        _ENDING.clear()  # they are another's
        import signal

        from plugseal.runtime import kernel

        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        kernel.set_parent_death_signal(signal.SIGKILL)
        kernel.set_undumpable()
        if os.getppid() == parent:  # else nobody is there to tell us when to end, and nobody to ask
            _write(into, work())
            os.close(into)
            _take_ended()
    finally:
        os._exit(0)


def _write(pipe: int, data: bytes) -> None:
    import fcntl
    from contextlib import suppress

    if hasattr(fcntl, "F_SETPIPE_SZ") and len(data) > _PIPE:
        with suppress(OSError):  # what does not fit waits for who reads
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _CHUNK)
    os.write(pipe, data)


def _read(pipe: int) -> bytes:
    parts = []
    while part := os.read(pipe, _CHUNK):
        parts.append(part)
    return b"".join(parts)
