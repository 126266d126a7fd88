"""Parse large or odd files in plugseal's own limited worker processes, so that hostile bytes cost only their own file.

Rules
- One long-lived worker at a time, started at the first file that needs it. On Linux it is a fork without exec; where
  there is no safe fork it is this interpreter again, isolated (`-I`), and nothing of the tree is on its command line.
- Files go through a pipe, facts come back as checked JSON (`wire`). The worker limits itself (`worker_child`); the
  parent watches the wall clock besides.
- When a worker ends over a file, that file is `unread` with the reason, and the next file gets a new worker.
  A file that fell in a worker that had read others is tried once more in a new one: no verdict may depend on what
  was read before.

It never raises over a file, and it leaves no process behind.
"""

from __future__ import annotations

import os
import signal
import sys
from enum import Enum
from types import TracebackType
from typing import Final

from plugseal.errors import DataError
from plugseal.lang.facts import Context, FileFacts, unread
from plugseal.lang.registry import reader_named
from plugseal.limits import MIB, WORKER_CPU_SECONDS, WORKER_MEMORY_BYTES, WORKER_WALL_SECONDS
from plugseal.scan import wire
from plugseal.scan.odd import needs_worker
from plugseal.scan.worker_child import EXIT_MEMORY, FindReader, serve
from plugseal.scan.worker_pipe import Pipe, PipeClosedError, PipeTimeoutError

__all__ = ["StartMethod", "Workers", "needs_worker"]


class StartMethod(str, Enum):
    """How a worker comes to be."""

    FORK = "fork"
    """A copy of this process: starts in milliseconds, readers are loaded already."""
    SPAWN = "spawn"
    """A new isolated interpreter, where a fork is not there or not safe."""


_SPAWNED_CODE: Final = (
    "import sys; sys.path.append(sys.argv[1]); "
    "from plugseal.scan.worker_child import serve_spawned; from {module} import {name}; serve_spawned({name})"
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
        facts, reason, is_proof = self._try(reader_name, data, context)
        if facts is None and not is_proof:
            facts, reason, _ = self._try(reader_name, data, context)
        return facts if facts is not None else unread(reader_name, reason)

    def _try(self, reader_name: str, data: bytes, context: Context) -> tuple[FileFacts | None, str, bool]:
        """Return the facts, or why there are none and whether another try would end the same."""
        try:
            worker = self._ready_worker(context)
        except OSError as error:
            return None, f"no worker could be started ({error.strerror})", True
        was_new = worker.files == 0
        try:
            return worker.exchange(reader_name, data, context), "", True
        except PipeTimeoutError:
            worker.kill()
            reason, is_proof = _TOO_LONG, True
        except DataError:
            worker.kill()
            reason, is_proof = "the parser answered nonsense", was_new
        except PipeClosedError:
            status = worker.end()
            reason, is_proof = _reason(status), was_new or status in _CLOCKS
        except BaseException:
            # An interrupt: the worker is in the middle of an answer that nobody will read.
            worker.kill()
            self._worker = None
            raise
        self._worker = None
        return None, reason, is_proof

    def _ready_worker(self, context: Context) -> _Worker:
        worker = self._worker
        if worker is None or worker.has_ended():
            method = self._method or _best_method()
            start = _fork if method is StartMethod.FORK else _spawn
            worker = self._worker = start(self._find, context)
        return worker


class _Worker:
    """One process and the two ends of its pipes."""

    def __init__(self, pid: int, pipe: Pipe, *, context: Context | None) -> None:
        self.files = 0
        """How many files it has read."""
        self._pid = pid
        self._pipe = pipe
        self._known = context
        """What the worker knows of the context; None for nothing."""
        self._status: int | None = None
        self._retires = False

    def exchange(self, reader_name: str, data: bytes, context: Context) -> FileFacts:
        """Send one file and return the answer.

        Raises:
            PipeClosedError: the worker ended.
            PipeTimeoutError: the worker is stuck.
            DataError: the answer is malformed.
        """
        with self._pipe.watch(WORKER_WALL_SECONDS + _GRACE_SECONDS):
            known = self._known
            if known is None or known.interest != context.interest or known.local_modules != context.local_modules:
                self._send(wire.KIND_CONTEXT, b"", wire.render_context(context))
                self._known = context
            self._send(wire.KIND_READ, wire.render_header(reader_name, context.path), data)
            what_next, length = wire.REPLY.unpack(self._pipe.receive(wire.REPLY.size))
            if length > wire.MAX_WORKER_REPLY_BYTES:
                raise DataError("malformed frame: too long")
            reply = self._pipe.receive(length)
        self.files += 1
        self._retires = what_next == wire.RETIRES
        return wire.parse_facts(reply)

    def has_ended(self) -> bool:
        """Say whether the process is gone or about to go."""
        if self._retires:
            self.end()
        elif self._status is None:
            self._wait(os.WNOHANG)
        return self._status is not None

    def end(self) -> int:
        """Close the pipes, which ends an idle worker, and return its exit status (negative: the signal)."""
        self._pipe.close()
        self._wait(0)
        assert self._status is not None
        return self._status
