"""Look at files in several processes of our own, for large trees; what comes of it is handed on in the files' order.

Rules
- Each process is a fork of this one that runs no other program, ignores the terminal's interrupt and ends when the
  pipe to it is closed. Each has at most one batch of files at a time, so that neither side waits for the other.
- A process that ends over a batch costs nothing but time: its files are tried one by one, and the one over which a
  process ends again is `unread`.
- What waits is bounded: where the next outcome in order is late, no further files are handed out.

Law: with a pool and without, a scan returns the same.
"""

from __future__ import annotations

import os
import select
import signal
import struct
import sys
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Final, NoReturn

from plugseal.errors import DataError
from plugseal.lang.classify import Verdict
from plugseal.limits import KIB, MAX_WORKER_REPLY_BYTES, WORKER_WALL_SECONDS
from plugseal.scan.kept.cache import parse_asked, render_asked
from plugseal.scan.kept.checked import as_row, as_text
from plugseal.scan.kept.outcome import Outcome
from plugseal.scan.kept.wire_outcome import parse_outcome, render_outcome
from plugseal.scan.workers.job import Job, Looked
from plugseal.scan.workers.wire import parse_json, render_json
from plugseal.scan.workers.worker_child import close_others, read_exactly, write_all
from plugseal.scan.workers.worker_pipe import Pipe, PipeClosedError, PipeTimeoutError

BATCH_BYTES: Final = 128 * KIB
BATCH_FILES: Final = 32
MAX_WAITING: Final = 512
"""Files that were handed out, or looked at, before their turn."""
CRASHED: Final = "the reader crashed"
_HEAD: Final = struct.Struct(">II")
_GRACE_SECONDS: Final = 5.0


LookAt = Callable[[Job], Looked]
Take = Callable[[Job, Looked], None]


class _Ticket:
    """One file on its way."""

    __slots__ = ("answer", "job")

    def __init__(self, job: Job) -> None:
        self.job = job
        self.answer: Looked | None = None


class Pool:
    """Some processes that look at files; use as a context manager, which ends them."""

    def __init__(self, size: int, look_at: LookAt, take: Take) -> None:
        """Prepare without starting anything.

        Args:
            size: how many processes.
            look_at: what they do with each file.
            take: who gets each outcome, in the order of the files.
        """
        self._look_at = look_at
        self._take = take
        self._idle: list[_Process | None] = [None] * size
        self._busy: list[tuple[_Process, list[_Ticket]]] = []
        self._batch: list[_Ticket] = []
        self._batch_bytes = 0
        self._order: deque[_Ticket] = deque()

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in (*self._idle, *(process for process, _ in self._busy)):
            if process is not None:
                process.end()
        self._idle, self._busy = [], []

    def look(self, job: Job) -> None:
        """Have a file looked at."""
        ticket = _Ticket(job)
        self._order.append(ticket)
        self._batch.append(ticket)
        self._batch_bytes += len(job.data)
        if self._batch_bytes >= BATCH_BYTES or len(self._batch) >= BATCH_FILES:
            self._hand_out()
        while len(self._order) > MAX_WAITING:
            self._hand_out()
            self._collect()

    def known(self, job: Job, looked: Looked) -> None:
        """Hand on in its turn what is known of a file already."""
        if not self._order:
            self._take(job, looked)
            return
        ticket = _Ticket(job)
        ticket.answer = looked
        self._order.append(ticket)

    def drain(self) -> None:
        """Wait until everything was handed on."""
        self._hand_out()
        while self._order:
            self._collect()

    def _hand_out(self) -> None:
        if not self._batch:
            return
        while not self._idle:
            self._collect()
        batch, self._batch, self._batch_bytes = self._batch, [], 0
        self._send(batch)

    def _send(self, batch: list[_Ticket]) -> None:
        process = self._idle.pop() or _fork(self._look_at)
        try:
            process.ask([ticket.job for ticket in batch])
        except (PipeClosedError, PipeTimeoutError):
            self._lose(process, batch)
        else:
            self._busy.append((process, batch))

    def _collect(self) -> None:
        """Wait for one batch at least, and hand on what has its turn."""
        ready = _ready([process for process, _ in self._busy])
        for process, batch in [pair for pair in self._busy if pair[0] in ready]:
            self._busy.remove((process, batch))
            try:
                answers = process.answers([ticket.job for ticket in batch])
            except (PipeClosedError, PipeTimeoutError, DataError):
                self._lose(process, batch)
                continue
            for ticket, answer in zip(batch, answers, strict=True):
                ticket.answer = answer
            self._idle.append(process)
        while self._order and (first := self._order[0]).answer is not None:
            self._order.popleft()
            self._take(first.job, first.answer)

    def _lose(self, process: _Process, batch: list[_Ticket]) -> None:
        """Try the files of a process that ended one by one; a single one is lost."""
        process.end()
        if len(batch) == 1:
            batch[0].answer = Looked(Outcome(unread=CRASHED), is_new=False)
            self._idle.append(None)
            return
        for ticket in batch:
            alone = _fork(self._look_at)
            try:
                alone.ask([ticket.job])
                (ticket.answer,) = alone.answers([ticket.job])
            except (PipeClosedError, PipeTimeoutError, DataError):
                ticket.answer = Looked(Outcome(unread=CRASHED), is_new=False)
            alone.end()
        self._idle.append(None)


def can_fork() -> bool:
    """Say whether a pool can be had: on Linux, while no other thread may hold a lock that a copy would wait for."""
    threading = sys.modules.get("threading")
    return sys.platform == "linux" and (threading is None or threading.active_count() == 1)


def usable_processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Process:
    """One process and the two ends of its pipes."""

    def __init__(self, pid: int, requests: int, replies: int) -> None:
        self._pid = pid
        self.replies = replies
        self._pipe = Pipe(requests, replies, kill=self._kill)

    def ask(self, jobs: list[Job]) -> None:
        """Send a batch.

        Raises:
            PipeClosedError: the process ended.
            PipeTimeoutError: the process is stuck.
        """
        with self._pipe.watch(WORKER_WALL_SECONDS):
            for job in jobs:
                head = render_json([job.path, list(job.verdict), job.language])
                self._pipe.send(_HEAD.pack(len(head), len(job.data)), head, job.data)
            self._pipe.send(_HEAD.pack(0, 0))

    def answers(self, jobs: list[Job]) -> list[Looked]:
        """Return the outcomes of a batch.

        Raises:
            PipeClosedError: the process ended.
            PipeTimeoutError: the process is stuck.
            DataError: an answer is malformed.
        """
        found = []
        with self._pipe.watch(len(jobs) * (WORKER_WALL_SECONDS + _GRACE_SECONDS)):
            for job in jobs:
                head_bytes, body_bytes = _HEAD.unpack(self._pipe.receive(_HEAD.size))
                if head_bytes + body_bytes > MAX_WORKER_REPLY_BYTES:
                    raise DataError("malformed frame: too long")
                asked = parse_asked(self._pipe.receive(head_bytes))
                found.append(Looked(parse_outcome(self._pipe.receive(body_bytes), job.path), asked))
        return found

    def end(self) -> None:
        """End the process and wait for it."""
        self._pipe.close()
        self._kill()
        try:
            os.waitpid(self._pid, 0)
        except ChildProcessError:
            return

    def _kill(self) -> None:
        try:
            os.kill(self._pid, signal.SIGKILL)
        except ProcessLookupError:
            return


def _ready(processes: list[_Process]) -> list[_Process]:
    """Return those of some processes that have answered or ended, once there is one."""
    poll = select.poll()
    by_number = {process.replies: process for process in processes}
    for number in by_number:
        poll.register(number, select.POLLIN)
    return [by_number[number] for number, _ in poll.poll()] if by_number else []


def _fork(look_at: LookAt) -> _Process:
    requests_out, requests_in = os.pipe()
    replies_out, replies_in = os.pipe()
    pid = os.fork()
    if pid == 0:
        _serve(look_at, requests_out, replies_in)
    os.close(requests_out)
    os.close(replies_in)
    return _Process(pid, requests_in, replies_out)


def _serve(look_at: LookAt, requests: int, replies: int) -> NoReturn:
    """Answer batches until end of file, then end the process; return under no circumstances."""
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        close_others(requests, replies)
        while True:
            batch = bytearray()
            while (head := read_exactly(requests, _HEAD.size)) != _HEAD.pack(0, 0):
                if not head:
                    os._exit(0)
                head_bytes, data_bytes = _HEAD.unpack(head)
                job = _job(read_exactly(requests, head_bytes), read_exactly(requests, data_bytes))
                batch += _answer(look_at(job))
            write_all(replies, bytes(batch))
    finally:
        # No handler, buffer or finaliser of the parent's copy may run here.
        os._exit(status)


def _answer(looked: Looked) -> bytes:
    head, body = render_asked(looked.asked), render_outcome(looked.outcome)
    return _HEAD.pack(len(head), len(body)) + head + body


def _job(head: bytes, data: bytes) -> Job:
    path, verdict, language = as_row(parse_json(head), 3)
    action, kind, reason, is_native = as_row(verdict, 4)
    return Job(
        as_text(path),
        data,
        Verdict(as_text(action), as_text(kind), as_text(reason), bool(is_native)),
        as_text(language),
        "",
    )
