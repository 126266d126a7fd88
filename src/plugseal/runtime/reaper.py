"""The process between the gate and what it starts: it outlives the gate and leaves no descendant behind.

It is the parent of the started program and, as the kernel's subreaper, of every orphan below it, however often they
fork and whatever session they hide in. When the program ends, when the gate says so, or when the gate is gone (its
pipe ends), it ends all of them: politely, then by force, again and again until none is left; then it says so. Where
that takes too long, it says how many are left and goes on: what forks faster than it is ended, or what the kernel does
not let go of yet, has nobody else.

It runs nothing of its own, reads one byte at a time from the gate, and never waits for anybody who could hold it up.
"""

from __future__ import annotations

import errno
import json
import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

from plugseal.runtime import kernel
from plugseal.runtime.limits import GONE_SECONDS

TERMINATE: Final = b"t"
KILL: Final = b"k"
_POLL_SECONDS: Final = 0.5
_GO_ON_SECONDS: Final = 0.2
"""Between two looks at what should have ended long ago."""
_HURRY_SECONDS: Final = 0.05
"""After which what is to end is taken for something that does not want to."""
_THREADS: Final = 17
"""In a line of `/proc/PID/stat`, behind the name: how many threads live."""
_IGNORED: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE, signal.SIGTSTP)


class Reaper:
    """Watch one started program and everything below it."""

    def __init__(self, control: int, status: int, *, grace: float, max_processes: int = 0) -> None:
        """Prepare.

        Args:
            control: what the gate writes commands to; its end is the gate's.
            status: where the gate reads what happens.
            grace: seconds between the polite signal and the other one.
            max_processes: how many may live below this one at the same time; 0 for any number.
        """
        self._max_processes = max_processes
        self._control = control
        self._status = status
        self._grace = grace
        self._main = 0
        self._code: int | None = None
        self._is_ending = False
        self._deadline = 0.0

    def run(self, start: Callable[[], int]) -> NoReturn:
        """Start the program, watch until nothing is left, and end this process.

        Args:
            start: forks and returns the child's number.
        """
        for number in _IGNORED:
            signal.signal(number, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        if not (kernel.set_subreaper() and kernel.set_undumpable()):
            self._tell({"failed": "the kernel gives no subreaper"})
            os._exit(1)
        try:
            self._main = start()
            self._tell({"started": self._main})
            self._watch()
        except Exception as error:  # whatever it is, nothing may be left behind
            self._tell({"failed": type(error).__name__})
        left = end_descendants(self._reap)
        self._tell({"gone": not left, "left": left})
        while left:
            left = end_descendants(self._reap, max_pause=_GO_ON_SECONDS)
        os._exit(0)

    def _watch(self) -> None:
        """Return once the program has ended, or once it must be ended by force."""
        poll = select.poll()
        poll.register(self._control, select.POLLIN | select.POLLHUP)
        with suppress(OSError, AttributeError):
            poll.register(os.pidfd_open(self._main), select.POLLIN)
        while self._code is None:
            wait = (
                _POLL_SECONDS
                if not self._is_ending
                else max(0.0, min(_POLL_SECONDS, self._deadline - time.monotonic()))
            )
            events = dict(poll.poll(int(wait * 1000)))
            self._reap()
            if self._control in events and not self._obey():
                return
            if self._is_ending and time.monotonic() >= self._deadline:
                return
            if self._max_processes and len(descendants()) > self._max_processes:
                self._tell({"too_many": self._max_processes})
                return

    def _obey(self) -> bool:
        """Take one command; False where all must end by force."""
        command = os.read(self._control, 1)
        if command != TERMINATE:
            return False  # `KILL`, or the gate is gone
        if not self._is_ending:
            self._is_ending = True
            self._deadline = time.monotonic() + self._grace
            for pid in descendants():
                _send(pid, signal.SIGTERM)
        return True

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            if pid == self._main:
                self._code = os.waitstatus_to_exitcode(status)
                self._tell({"ended": self._code})

    def _tell(self, what: dict[str, object]) -> None:
        with suppress(OSError):
            os.write(self._status, json.dumps(what).encode("ascii") + b"\n")


def end_descendants(reap: Callable[[], None] | None = None, *, max_pause: float = 0.02) -> int:
    """End every process below this one by force, and return how many are left in spite of everything.

    Args:
        reap: takes the exit codes of those that ended; by default they are dropped.
        max_pause: seconds between two looks at most.
    """
    # Whoever ends wakes us: what is blocked waits for us, what is not would be ignored.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGCHLD,))
    try:
        return _end_all(reap or _drop_ended, max_pause)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_all(reap: Callable[[], None], max_pause: float) -> int:
    begin = time.monotonic()
    pause = 0.0005
    while True:
        below = _below() or descendants()
        # Stopped first: what is stopped does not fork while the others are ended.
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in below:
                _send(pid, number)
        reap()
        # Who has no child has no descendant either: each stands below one.
        if not _has_children():
            return 0
        took = time.monotonic() - begin
        if took > GONE_SECONDS:
            return max(1, len(descendants()))
        if took > _HURRY_SECONDS:
            _hurry()
        signal.sigtimedwait((signal.SIGCHLD,), pause)
        pause = min(pause * 2, max_pause)


def _hurry() -> None:
    """Come before what does not want to end, where that is allowed (to root)."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, -20)


def _below() -> list[int]:
    """Return the processes below this one as far as the kernel lists them by parent: quick, and it may miss some."""
    found: list[int] = []
    waiting = [str(os.getpid())]
    while waiting:
        pid = waiting.pop()
        try:
            for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208  # names alone
                below = Path(f"/proc/{pid}/task/{thread}/children").read_bytes().decode("ascii").split()
                found.extend(map(int, below))
                waiting.extend(below)
        except OSError:
            continue  # it ended, or this kernel has no such list
    return found


def descendants(root: int | None = None) -> list[int]:
    """Return the numbers of all living processes below one, zombies left out.

    Args:
        root: this process by default.
    """
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208  # names alone, and often
        if not name.isdigit():
            continue
        parent = _parent_of(name)
        if parent is not None:
            children.setdefault(parent, []).append(int(name))
    found: list[int] = []
    waiting = [os.getpid() if root is None else root]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            found.append(child)
            waiting.append(child)
    return found


def _parent_of(pid: str) -> int | None:
    """Return a process's parent, None for one that is gone or only waits to be reaped."""
    try:
        data = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    parts = data.rpartition(b")")[2].split()
    if len(parts) <= _THREADS or parts[0] == b"X":
        return None
    # Whose first thread alone ended looks like a zombie, and its other threads live on, and may fork.
    return None if parts[0] == b"Z" and int(parts[_THREADS]) <= 1 else int(parts[1])


def _drop_ended() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _has_children() -> bool:
    """Say whether there is any child at all: one whose threads still end looks like a zombie and is none yet."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except OSError as error:
        if error.errno not in (errno.ESRCH, errno.EPERM):
            raise
