"""Start one program behind a reaper: built environment, own session, no descriptor of ours, folder by descriptor.

The one place of the gate that forks. Everything that a child gets is decided before; between fork and exec nothing is
allocated that could fail halfway without being told. What is forked waits for a word of the gate before it executes
anything: without one, as when the gate was killed, it ends. The caller must be single-threaded: a fork copies one
thread alone, and locks that others hold would never open.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from typing import Final, NoReturn

from plugseal.errors import SupervisorError
from plugseal.records import NamedTuple
from plugseal.runtime import kernel
from plugseal.runtime.background import is_alone
from plugseal.runtime.limits import GONE_SECONDS, TERMINATE_SECONDS, Limits, apply_limits
from plugseal.runtime.reaper import KILL, TERMINATE, Reaper, end_descendants

_EXEC_FAILED: Final = 127
_GO: Final = b"g"
_STATUS_BYTES: Final = 65536
_START_SECONDS: Final = 10.0
_ROOM: Final = 1024
"""Descriptors that a program may open before its table of them must grow."""


class Launch(NamedTuple):
    """Exactly what is executed."""

    program: str
    """Absolute path of the file that is executed."""
    argv: tuple[str, ...]
    """As reviewed, after documented expansion; `argv[0]` is the reviewed word."""
    environment: Mapping[str, str]
    """All of it."""
    folder: int
    """Descriptor of the working folder; stays the caller's."""
    limits: Limits = Limits()


class Child:
    """A started program with its pipes; end it with `end`, which proves that nothing of it is left."""

    def __init__(self, pid: int, pipes: _Pipes) -> None:
        self.pid = pid
        """Of the program; its reaper's is nobody's business."""
        self.stdin = pipes.stdin
        self.stdout = pipes.stdout
        self.stderr = pipes.stderr
        self.status = pipes.status
        """Readable when the reaper has something to tell: then call `heed`."""
        self.code: int | None = None
        """Exit code once it has ended, negative for a signal."""
        self.gone: bool | None = None
        """Whether no descendant is left, once that is known."""
        self.left = 0
        """Descendants that are left in spite of everything."""
        self.problem = ""
        """Which bound it broke, empty for none."""
        self._control = pipes.control
        self._reaper = pipes.reaper
        self._unread = b""

    def heed(self) -> None:
        """Take what the reaper tells, without waiting for it."""
        data = _read_available(self.status)
        if data == b"" and self.gone is None:
            # It ended without a word: somebody killed it, and nobody can prove anything.
            self.gone = False
        *lines, self._unread = (self._unread + (data or b"")).split(b"\n")
        for line in lines:
            told = json.loads(line)
            self.code = told.get("ended", self.code)
            self.gone = told.get("gone", self.gone)
            self.left = told.get("left", self.left)
            if "too_many" in told:
                self.problem = f"more than {told['too_many']:,} processes at the same time"

    def end(self, *, at_once: bool = False, grace: float = TERMINATE_SECONDS) -> bool:
        """End the program and everything below it, and return whether nothing is left.

        Args:
            at_once: without the polite signal.
            grace: seconds between the polite signal and the other one; the reaper's own are the most.
        """
        self._command(KILL if at_once else TERMINATE)
        self.close_pipes()
        if grace < TERMINATE_SECONDS and not at_once:
            self._await_end(grace)
            self._command(KILL)
        self._await_end(TERMINATE_SECONDS + GONE_SECONDS + 1.0)
        self._command(KILL)
        if self.gone is None:
            # It does not answer, stopped perhaps by what it watches: then it goes, and what is below it comes to us.
            with suppress(OSError):
                os.kill(self._reaper, signal.SIGKILL)
        for descriptor in (self._control, self.status):
            with suppress(OSError):
                os.close(descriptor)
        if not self._has_reaper_ended() and self.left:
            # It said what is left and goes on with that: whoever waits for it would wait as long.
            _GOING_ON.append(self._reaper)
        elif self.gone is not True:
            self._end_orphans()
        return self.gone is True

    def _await_end(self, seconds: float) -> None:
        limit = time.monotonic() + seconds
        while self.gone is None and (left := limit - time.monotonic()) > 0:
            select.select([self.status], [], [], min(0.1, left))
            self.heed()

    def _has_reaper_ended(self) -> bool:
        """Take the reaper's end, and say whether it came; one that has nothing left to do is waited for."""
        for reaper in [*_GOING_ON]:
            if _is_reaped(reaper, os.WNOHANG):
                _GOING_ON.remove(reaper)
        return _is_reaped(self._reaper, os.WNOHANG if self.left else 0)

    def _end_orphans(self) -> None:
        """End what a reaper that was killed left behind, where this process is their next parent."""
        if kernel.is_subreaper() and not _GOING_ON:
            self.left = end_descendants()
            self.gone = not self.left

    def close_stdin(self) -> None:
        """Tell the program that nothing more comes."""
        if self.stdin >= 0:
            descriptor, self.stdin = self.stdin, -1
            with suppress(OSError):
                os.close(descriptor)

    def close_pipes(self) -> None:
        """Close the program's own pipes."""
        for name in ("stdin", "stdout", "stderr"):
            descriptor = getattr(self, name)
            if descriptor >= 0:
                setattr(self, name, -1)
                with suppress(OSError):
                    os.close(descriptor)

    def _command(self, command: bytes) -> None:
        with suppress(OSError):
            os.write(self._control, command)
            # What runs as the same user can stop it, so it is woken too.
            os.kill(self._reaper, signal.SIGCONT)


_GOING_ON: Final[list[int]] = []
"""Reapers that still end what they could not end in time; they outlive this process if they must."""


def _is_reaped(pid: int, options: int) -> bool:
    try:
        return os.waitpid(pid, options)[0] == pid
    except OSError:
        return True  # somebody else took it


class _Pipes(NamedTuple):
    stdin: int
    stdout: int
    stderr: int
    status: int
    control: int
    reaper: int


def start(launch: Launch, *, grace: float = TERMINATE_SECONDS, before: Callable[[], None] | None = None) -> Child:
    """Start a program behind a reaper.

    Args:
        launch: what is executed.
        grace: seconds between the polite signal and the other one.
        before: called while the process is prepared that becomes the program, and it becomes it only once this
            returned; what this raises is raised, and nothing was executed.

    Raises:
        SupervisorError: it can't be started, or this process may not fork.
    """
    if not is_alone():
        raise SupervisorError(
            "programs are started from a process without other threads: a fork copies one thread, and all locks",
            hint="start it by a program of its own: `python -I -m plugseal run ID`",
        )
    pairs = [os.pipe() for _ in range(7)]
    (
        (in_out, in_in),
        (out_out, out_in),
        (err_out, err_in),
        (status_out, status_in),
        (control_out, control_in),
        failed,
        go,
    ) = pairs
    try:
        reaper = os.fork()
    except OSError as error:
        _close(descriptor for pair in pairs for descriptor in pair)
        raise SupervisorError(f"no process can be started: {error.strerror}") from error
    if reaper == 0:
        _supervise(launch, (in_out, out_in, err_in), (status_in, control_out, failed[1], go[0]), grace)
    _close((in_out, out_in, err_in, status_in, control_out, failed[1], go[0]))
    child = Child(0, _Pipes(in_in, out_out, err_out, status_out, control_in, reaper))
    _allow(child, before, go[1], failed[0])
    problem = _read_all(failed[0])
    if problem:
        child.end(at_once=True)
        number = int(problem)
        raise SupervisorError(f"`{launch.program}` can't be executed: {os.strerror(number)}")
    child.pid = _started(child)
    return child


def _allow(child: Child, before: Callable[[], None] | None, go: int, failed: int) -> None:
    """Let the prepared process become the program, or end it where it must not."""
    try:
        if before is not None:
            before()
    except BaseException:
        _close((go, failed))
        child.end(at_once=True)
        raise
    with suppress(OSError):  # it ended meanwhile: then it says so, or the reaper does
        os.write(go, _GO)
    os.close(go)


def _started(child: Child) -> int:
    """Return the program's number, which the reaper tells first."""
    data = b""
    while not data.endswith(b"\n"):
        is_silent = not select.select([child.status], [], [], _START_SECONDS)[0]
        part = b"" if is_silent else os.read(child.status, 1)
        if not part:
            child.end(at_once=True)
            raise SupervisorError("the reaper ended before it started anything")
        data += part
    told = json.loads(data)
    if "started" not in told:
        child.end(at_once=True)
        raise SupervisorError(f"the reaper could not start anything: {told.get('failed')}")
    return int(told["started"])


def _supervise(launch: Launch, streams: tuple[int, int, int], ours: tuple[int, ...], grace: float) -> NoReturn:
    """Be the reaper; never returns."""
    try:
        os.setsid()
        # Should it be stopped when the gate ends, it goes on, sees the end and does its work.
        kernel.set_parent_death_signal(signal.SIGCONT)
        status, control, failed, go = ours
        _close_others({*ours, *streams, launch.folder})

        def begin() -> int:
            pid = os.fork()
            if pid == 0:
                _become(launch, streams, failed, go)
            _close((failed, go, *streams, launch.folder))
            return pid

        Reaper(control, status, grace=grace, max_processes=launch.limits.descendants).run(begin)
    finally:
        os._exit(1)


def _close_others(needed: Collection[int]) -> None:
    """Close all that the reaper does not need, above all the gate's own ends: or it would never see that they ended."""
    keep = sorted({*needed, 0, 1, 2})
    for low, high in zip(keep, [*keep[1:], _top()], strict=True):
        os.closerange(low + 1, high)
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    for standard in {0, 1, 2}.difference(needed):
        # The client waits for the end of these: whoever outlives the gate must not hold them.
        os.dup2(nothing, standard, inheritable=False)


def _top() -> int:
    return 1 << 20 if os.sysconf("SC_OPEN_MAX") <= 0 else min(os.sysconf("SC_OPEN_MAX"), 1 << 20)


def _become(launch: Launch, streams: tuple[int, int, int], failed: int, go: int) -> NoReturn:
    """Be the program, once that is allowed; never returns."""
    try:
        os.setsid()
        os.fchdir(launch.folder)
        for number in range(1, signal.NSIG):
            with suppress(OSError, ValueError):
                signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.umask(0o077)
        apply_limits(launch.limits)
        if not (kernel.set_no_new_privileges() and kernel.set_parent_death_signal(signal.SIGKILL)):
            raise OSError(1, "")
        failed, go = _above(failed), _above(go)
        _make_room(failed)
        for target, source in enumerate([os.dup(_above(stream)) for stream in streams]):
            os.dup2(source, target, inheritable=True)
        for descriptor in range(3, _top_open() + 1):
            if descriptor not in (failed, go):
                with suppress(OSError):
                    os.close(descriptor)
        os.set_inheritable(failed, False)
        if os.read(go, 1) != _GO:
            os._exit(_EXEC_FAILED)  # nobody is there to allow it
        os.close(go)
        os.execve(launch.program, launch.argv, dict(launch.environment))  # noqa: S606  # nosec B606  # what the gate is for
    except OSError as error:
        os.write(failed, str(error.errno or 1).encode("ascii"))
    except BaseException:  # nothing may run on as a second gate
        os.write(failed, b"22")
    finally:
        os._exit(_EXEC_FAILED)


def _make_room(descriptor: int) -> None:
    """Let this process's table of descriptors grow while it has one thread.

    Once there are several, the kernel waits for all its processors each time: tens of milliseconds for a program that
    opens more than 64 files at once, as servers do that load many modules.
    """
    with suppress(OSError):  # `Limits` may allow fewer
        os.close(fcntl.fcntl(descriptor, fcntl.F_DUPFD, _ROOM - 1))


def _above(descriptor: int) -> int:
    """Return a descriptor that no standard stream will overwrite."""
    return descriptor if descriptor > 2 else fcntl.fcntl(descriptor, fcntl.F_DUPFD, 3)


def _top_open() -> int:
    try:
        return max(map(int, os.listdir("/proc/self/fd")))  # noqa: PTH208  # names alone
    except (OSError, ValueError):
        return _top()


def _read_all(descriptor: int) -> bytes:
    data = b""
    while part := os.read(descriptor, 64):
        data += part
    os.close(descriptor)
    return data


def _read_available(descriptor: int) -> bytes | None:
    """Return what is there, empty at the end, None where nothing is there yet."""
    ready, _, _ = select.select([descriptor], [], [], 0)
    return os.read(descriptor, _STATUS_BYTES) if ready else None


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        with suppress(OSError):
            os.close(descriptor)
