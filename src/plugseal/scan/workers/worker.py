"""Parse large or odd files in plugseal's own limited worker processes, so that hostile bytes cost only their own file.

Rules
- One long-lived worker at a time, started at the first file that needs it. On Linux it is a fork without exec; where
  there is no safe fork it is this interpreter again, isolated (`-I`), and nothing of the tree is on its command line.
- Files go through a pipe, facts come back as checked JSON (`wire`). The worker limits itself (`worker_child`); the
  parent watches the wall clock besides.
- When a worker ends over a file, that file is `unread` with the reason, and the next file gets a new worker.
  No verdict depends on what was read before: each file has the same budget of memory and time on top of what is used.

It never raises over a file, and it leaves no process behind.
"""

from __future__ import annotations

import os
import signal
import sys
from enum import Enum
from types import TracebackType
from typing import Final, Protocol

import plugseal
from plugseal.errors import DataError
from plugseal.lang.facts import Context, FileFacts, unread
from plugseal.lang.isolation import needs_worker
from plugseal.lang.registry import reader_named
from plugseal.limits import (
    MAX_WORKER_REPLY_BYTES,
    MIB,
    TOOK_TOO_LONG,
    WORKER_CPU_SECONDS,
    WORKER_MEMORY_BYTES,
    WORKER_WALL_SECONDS,
)
from plugseal.scan.workers import wire
from plugseal.scan.workers.worker_child import EXIT_MEMORY, FindReader, serve
from plugseal.scan.workers.worker_pipe import Pipe, PipeClosedError, PipeTimeoutError

__all__ = ["StartMethod", "Workers", "needs_worker"]


class StartMethod(str, Enum):
    """How a worker comes to be."""

    FORK = "fork"
    """A copy of this process: starts in milliseconds, readers are loaded already."""
    SPAWN = "spawn"
    """A new isolated interpreter, where a fork is not there or not safe."""


_SPAWNED_CODE: Final = (
    "import sys; sys.path.append(sys.argv[1]); "
    "from plugseal.scan.workers.worker_child import serve_spawned; from {module} import {name}; serve_spawned({name})"
)
_GRACE_SECONDS: Final = 1.0
"""The worker's own clock should ring before the parent's."""


class Workers:
    """Read files in limited processes; use as a context manager, which ends the last worker.

    >>> with Workers() as workers:
    ...     facts = workers.read("python", data, context)
    """

    def __init__(self, find: FindReader = reader_named, *, method: StartMethod | None = None) -> None:
        """Prepare without starting anything.

        Args:
            find: a module-level function from a reader's name to the reader.
            method: how to start workers; None takes the best that this process can do.
        """
        self._find = find
        self._method = method
        self._worker: _Worker | None = None

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the worker, if there is one; a later `read` starts a new one."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()

    def read(self, reader_name: str, data: bytes, context: Context) -> FileFacts:
        """Return the facts of one file, or `unread` with the limit that it broke; never raise over any bytes."""
        try:
            worker = self._ready_worker(context)
        except OSError as error:
            return self._unread(reader_name, f"no worker could be started ({error.strerror})")
        try:
            return worker.exchange(reader_name, data, context)
        except PipeTimeoutError:
            reason = TOOK_TOO_LONG
        except DataError:
            reason = "the parser answered nonsense"
        except PipeClosedError:
            reason = _reason(worker.end())
        except BaseException:
            # An interrupt: the worker is in the middle of an answer that nobody will read.
            self.close()
            raise
        self.close()
        return self._unread(reader_name, reason)

    def _unread(self, reader_name: str, reason: str) -> FileFacts:
        return unread(self._find(reader_name).language, reason)

    def _ready_worker(self, context: Context) -> _Worker:
        worker = self._worker
        if worker is not None and not worker.is_ready():
            self.close()
            worker = None
        if worker is None:
            method = self._method or _best_method()
            start = _fork if method is StartMethod.FORK else _spawn
            worker = self._worker = start(self._find, context)
        return worker


class _Process(Protocol):
    """What `subprocess.Popen` and a fork of ours have in common; a negative status is the signal."""

    def poll(self) -> int | None: ...

    def wait(self) -> int: ...

    def kill(self) -> None: ...


class _Worker:
    """One process and the two ends of its pipes."""

    def __init__(self, process: _Process, pipe: Pipe, *, knows: Context | None) -> None:
        self._process = process
        self._pipe = pipe
        self._knows = knows
        self._retires = False

    def exchange(self, reader_name: str, data: bytes, context: Context) -> FileFacts:
        """Send one file and return the answer.

        Raises:
            PipeClosedError: the worker ended.
            PipeTimeoutError: the worker is stuck.
            DataError: the answer is malformed.
        """
        with self._pipe.watch(WORKER_WALL_SECONDS + _GRACE_SECONDS):
            known = self._knows
            if known is None or known.interest != context.interest or known.local_modules != context.local_modules:
                self._send(wire.KIND_CONTEXT, b"", data=wire.render_context(context))
                self._knows = context
            self._send(wire.KIND_READ, wire.render_header(reader_name, context.path), data=data)
            what_next, length = wire.REPLY.unpack(self._pipe.receive(wire.REPLY.size))
            if length > MAX_WORKER_REPLY_BYTES:
                raise DataError("malformed frame: too long")
            reply = self._pipe.receive(length)
        self._retires = what_next != wire.STAYS
        return wire.parse_facts(reply)

    def _send(self, kind: bytes, header: bytes, *, data: bytes) -> None:
        self._pipe.send(wire.REQUEST.pack(kind, len(header), len(data)), header, data)

    def is_ready(self) -> bool:
        """Say whether it can take another file."""
        return not self._retires and self._process.poll() is None

    def end(self) -> int:
        """End the process if it has not ended by itself, and return its exit status."""
        self._pipe.close()
        # A process that has ended keeps its status; an idle one has nothing to lose.
        self._process.kill()
        return self._process.wait()


class _Fork:
    """A child of ours that runs no other program."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._status: int | None = None

    def poll(self) -> int | None:
        """Return the exit status if it has ended."""
        return self._reap(os.WNOHANG)

    def wait(self) -> int:
        """Return the exit status, waiting for it."""
        status = self._reap(0)
        return 0 if status is None else status

    def kill(self) -> None:
        """End it at once, unless it was reaped: then its number may be another's."""
        if self._status is None:
            os.kill(self._pid, signal.SIGKILL)

    def _reap(self, options: int) -> int | None:
        if self._status is None:
            try:
                pid, status = os.waitpid(self._pid, options)
            except ChildProcessError:
                # Somebody else in this process reaped it.
                self._status = 0
            else:
                self._status = os.waitstatus_to_exitcode(status) if pid else None
        return self._status


def _best_method() -> StartMethod:
    """Fork only on Linux, and only while no other thread may hold a lock that the copy would wait for."""
    if sys.platform != "linux":
        return StartMethod.SPAWN
    threading = sys.modules.get("threading")
    is_alone = threading is None or threading.active_count() == 1
    return StartMethod.FORK if is_alone else StartMethod.SPAWN


def _fork(find: FindReader, context: Context) -> _Worker:
    requests_out, requests_in, replies_out, replies_in = _pipes()
    try:
        pid = os.fork()
    except OSError:
        _close_all(requests_out, requests_in, replies_out, replies_in)
        raise
    if pid == 0:
        serve(find, requests_out, replies_in, context=context)
    _close_all(requests_out, replies_in)
    process = _Fork(pid)
    return _Worker(process, Pipe(requests_in, replies_out, kill=process.kill), knows=context)


def _spawn(find: FindReader, _context: Context) -> _Worker:
    import subprocess  # nosec B404  # only this interpreter is started, see below

    requests_out, requests_in, replies_out, replies_in = _pipes()
    code = _SPAWNED_CODE.format(module=find.__module__, name=find.__qualname__)
    # Everything on the command line is our own: the interpreter, a constant, and where this package is installed.
    command = [sys.executable, "-I", "-c", code, _installed_at()]
    try:
        process = subprocess.Popen(command, stdin=requests_out, stdout=replies_in, stderr=subprocess.DEVNULL)  # noqa: S603  # nosec B603
    except OSError:
        _close_all(requests_in, replies_out)
        raise
    finally:
        _close_all(requests_out, replies_in)
    return _Worker(process, Pipe(requests_in, replies_out, kill=process.kill), knows=None)


def _pipes() -> tuple[int, int, int, int]:
    requests_out, requests_in = os.pipe()
    try:
        replies_out, replies_in = os.pipe()
    except OSError:
        _close_all(requests_out, requests_in)
        raise
    return requests_out, requests_in, replies_out, replies_in


def _close_all(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def _installed_at() -> str:
    return os.path.dirname(os.path.dirname(os.path.abspath(plugseal.__file__)))  # noqa: PTH100, PTH120


_TOO_MUCH_CPU: Final = f"took more than {WORKER_CPU_SECONDS} s of CPU"
_TOO_MUCH_MEMORY: Final = f"needed more than {WORKER_MEMORY_BYTES // MIB:,} MiB of memory"
_CPU_SIGNALS: Final = frozenset({getattr(signal, "SIGPROF", None), getattr(signal, "SIGXCPU", None)})


def _reason(status: int) -> str:
    """Say why a worker ended, from its exit status."""
    if status == EXIT_MEMORY:
        return _TOO_MUCH_MEMORY
    if status >= 0:
        return f"the parser exited (status {status})"
    if -status in _CPU_SIGNALS:
        return _TOO_MUCH_CPU
    if -status == getattr(signal, "SIGALRM", None):
        return TOOK_TOO_LONG
    return f"the parser crashed (signal {-status})"
