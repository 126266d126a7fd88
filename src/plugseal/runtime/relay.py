"""Between an MCP client and a started server: their own bytes, line by line, under a permission that can end any time.

One thread. Each message is judged (`frames`) and forwarded as it came, never written anew. Before each request the
permission is asked for again if anything about the record moved; when it is gone, every request that waits is answered
with an error, the program and all below it are ended at once, and nothing of the client's is kept back unsaid.
"""

from __future__ import annotations

import json
import os
import select
import signal
import time
from collections.abc import Callable, Container
from contextlib import closing, suppress
from typing import Final, Protocol

from plugseal.errors import RefusedError, StateError, SupervisorError
from plugseal.model.decision import Reason
from plugseal.runtime.answers import error_answer, id_of, id_of_answer
from plugseal.runtime.child import Child
from plugseal.runtime.ending import Ending
from plugseal.runtime.frames import Frame, parse_line
from plugseal.runtime.limits import TERMINATE_SECONDS, Limits
from plugseal.runtime.streams import Inlet, Outlet
from plugseal.runtime.watch import POLL_SECONDS, Watch
from plugseal.shown import shown

CODE: Final = -32001
"""Of errors in our own name."""
_INVALID: Final = -32600
_CANCELLED: Final = "notifications/cancelled"
_BATCHES: Final = "2025-03-26"
_WITH_IT: Final = "another message of its batch was refused"
_UNANSWERED: Final = "the input ended, and no answer came in time"
_OUR_SIGNALS: Final = (-signal.SIGTERM, -signal.SIGKILL)
"""How a program ends that we end."""
_TICK: Final = 0.25
_MAX_EVENTS: Final = 16
"""Of one look: there are seven descriptors."""
_LOOK_SECONDS: Final = 1.0
_ENOUGH_BYTES: Final = 4 * 1024 * 1024
"""What may wait for one side before the other is not read from any more."""


class Guard(Protocol):
    """Who looks at messages on the way, e.g. the pins of tools."""

    def on_request(self, frame: Frame) -> str | None:
        """Return why a request of the client is denied, None to let it pass."""
        ...

    def on_response(self, frame: Frame, method: str) -> None:
        """Look at a server's answer to a request with this method."""
        ...

    def on_notification(self, frame: Frame) -> None:
        """Look at a server's notification."""
        ...


class Relay:
    """One session between a client and a server."""

    def __init__(
        self,
        child: Child,
        watch: Watch,
        verify: Callable[[], None],
        *,
        guard: Guard,
        label: str,
        limits: Limits,
        client: tuple[int, int, int] = (0, 1, 2),
    ) -> None:
        """Prepare a session.

        Args:
            child: the started server.
            watch: on its record.
            verify: raises `RefusedError` when the permission is gone.
            guard: who looks at messages.
            label: of the component, put before each line of its standard error.
            limits: of lines and errors.
            client: descriptors of input, output and errors.
        """
        self._child = child
        self._watch = watch
        self._verify = verify
        self._guard = guard
        self._label = label
        self._limits = limits
        self._from_client = Inlet(client[0], max_line=limits.line_bytes)
        self._to_client = Outlet(client[1])
        self._from_server = Inlet(child.stdout, max_line=limits.line_bytes)
        self._to_server = Outlet(child.stdin)
        self._from_errors = Inlet(child.stderr, max_line=limits.line_bytes)
        self._errors = client[2]
        self._error_bytes = 0
        self._waiting: dict[str, str] = {}
        """ID of each request that waits for an answer, with its method."""
        self._cancelled: set[str] = set()
        """Those of them that the client took back, and perhaps some that were answered since."""
        self._batches = False
        self._held: set[int] = set()
        """Descriptors that are not read from for now."""
        self._next_look = 0.0
        self._ending = Ending(client[0], client[1])
        self.refusal: RefusedError | None = None
        """Why the session ended, where the permission was taken."""
        self.problem = ""
        """Why the session ended, where something broke a bound."""

    def run(self) -> int:
        """Serve until one side ends or the permission does, and return the server's exit code, 0 if it was ended."""
        try:
            self._serve()
            if self._to_client.failure:
                raise SupervisorError(f"what the server said can't be written: {self._to_client.failure}")
        except RefusedError as error:
            self.refusal = error
            self._answer_all(f"plugseal: {error.reason}")
        except (SupervisorError, StateError) as error:
            self.problem = error.message
            self._answer_all(f"plugseal: {error.message}")
        finally:
            at_once = self.refusal is not None or bool(self.problem)
            self._child.end(at_once=at_once, grace=self._ending.grace(TERMINATE_SECONDS))
            self._finish_writing()
        return self._exit_code()

    def _exit_code(self) -> int:
        code = self._child.code
        if code is None or (self._ending.at is not None and code in _OUR_SIGNALS):
            return 0  # ended by us, because its client went away
        return code if code >= 0 else 128 - code

    def _serve(self) -> None:
        with closing(select.epoll()) as poll:
            self._serve_by(poll)
        self._drain()

    def _serve_by(self, poll: select.epoll) -> None:
        inlets = {
            self._from_client.descriptor: self._take_client,
            self._from_server.descriptor: self._take_server,
            self._from_errors.descriptor: self._take_errors,
            self._child.status: self._take_status,
        }
        ready = {descriptor for descriptor in inlets if not _register(poll, descriptor)}
        if self._watch.descriptor is not None:
            poll.register(self._watch.descriptor, select.EPOLLIN)
        outlets = {outlet.descriptor: outlet for outlet in (self._to_client, self._to_server)}
        writing: set[int] = set()
        told_by = self._watch.descriptor
        while not self._is_over():
            told = told_by is None
            due = [one for one in ready if one not in self._held]
            events = poll.poll(0 if due else self._pause(), _MAX_EVENTS)
            for descriptor in (*(one for one, _ in events), *due):
                take = inlets.get(descriptor)
                if take is None:
                    told = told or descriptor == told_by
                    if descriptor in writing:
                        outlets[descriptor].flush()
                elif not take():
                    del inlets[descriptor]
                    if descriptor in ready:
                        ready.discard(descriptor)
                    else:
                        poll.unregister(descriptor)
            # The kernel's word wakes us; without any, each request asks by itself before it passes.
            if told or time.monotonic() >= self._next_look:
                self._check_permission()
            if writing or self._held or self._to_client.is_waiting or self._to_server.is_waiting:
                writing = _watch_outlets(poll, outlets, writing)
                self._hold_back(poll, inlets, ready)
            if self._ending.at is not None:
                queued = self._to_client.is_waiting + self._to_server.is_waiting
                self._ending.look(owed=self._owed() + queued, moved=bool(events))
            if self._from_client.is_ended and not self._to_server.is_waiting:
                # Only once all that the client sent is through.
                outlets.pop(self._to_server.descriptor, None)
                self._child.close_stdin()

    def _hold_back(self, poll: select.epoll, inlets: Container[int], ready: Container[int]) -> None:
        """Read no more from one side while the other does not take what came."""
        for inlet, outlet in ((self._from_client, self._to_server), (self._from_server, self._to_client)):
            is_full = outlet.queued > _ENOUGH_BYTES
            if inlet.descriptor in inlets and is_full != (inlet.descriptor in self._held):
                if inlet.descriptor not in ready:
                    poll.modify(inlet.descriptor, 0 if is_full else select.EPOLLIN)
                self._held ^= {inlet.descriptor}

    def _pause(self) -> float:
        wait = POLL_SECONDS if self._watch.is_polling else _TICK
        end = self._ending.at
        return wait if end is None else max(0.0, min(wait, end - time.monotonic()))

    def _is_over(self) -> bool:
        if self._child.code is not None or self._child.gone is not None or self._from_server.is_ended:
            return True
        if self._to_client.is_broken:
            return True
        return self._ending.is_over

    def _check_permission(self) -> None:
        now = time.monotonic()
        # Now and then without being told, too: not every file system tells.
        if self._watch.changed() or now >= self._next_look:
            self._next_look = now + _LOOK_SECONDS
            if not self._watch.is_same_folder():
                raise RefusedError(Reason.REVOKED_MEANWHILE.value, "the state folder is another one now")
            self._verify()

    def _take_client(self) -> bool:
        lines = self._from_client.read()
        if not self._ending.is_settled:
            self._ending.heard(lines)
        for line in lines:
            if line.strip():
                self._forward_client(line)
        if self._from_client.is_ended:
            self._ending.begin()
        return not self._from_client.is_ended

    def _forward_client(self, line: bytes) -> None:
        if self._watch.is_polling:
            self._next_look = 0.0
        self._check_permission()
        try:
            frames = parse_line(line, batches=self._batches)
            self._verify_new(frames)
        except RefusedError as error:
            self._to_client.write(error_answer(id_of(line), _INVALID, f"plugseal: {error.message}"))
            return
        denied = [self._guard.on_request(frame) for frame in frames]
        if any(why is not None for why in denied):
            # Of a batch nothing passes: half of it would be another batch than the client's.
            for frame, why in zip(frames, denied, strict=True):
                if frame.id is not None and frame.method is not None:
                    self._to_client.write(error_answer(frame.id, CODE, f"plugseal: {why or _WITH_IT}"))
            return
        for number, method, body in frames:
            if number is not None and method is not None:
                self._waiting[number] = method
                self._cancelled.discard(number)  # an ID that was free again
            elif method == _CANCELLED:
                self._cancel(body.get("params"))
        self._to_server.write(line + b"\n")

    def _cancel(self, params: object) -> None:
        """Wait no more for what the client does not want: a server need not answer it, and still may."""
        number = params.get("requestId") if isinstance(params, dict) else None
        told = json.dumps(number) if isinstance(number, str) else str(number)
        if told in self._waiting and not isinstance(number, bool | float):
            self._cancelled.add(told)

    def _owed(self) -> int:
        self._cancelled.intersection_update(self._waiting)
        return len(self._waiting) - len(self._cancelled)

    def _verify_new(self, frames: tuple[Frame, ...]) -> None:
        """Refuse a request whose answer could be taken for another's."""
        numbers = [number for number, method, _ in frames if number is not None and method is not None]
        is_twice = len(numbers) > 1 and len(set(numbers)) != len(numbers)
        if is_twice or not self._waiting.keys().isdisjoint(numbers):
            raise RefusedError(
                Reason.FRAME_AMBIGUOUS.value, "a message was refused: a request with its ID waits already"
            )

    def _verify_asked(self, frames: tuple[Frame, ...]) -> None:
        """Refuse an answer that nobody waits for: who takes `"1"` for 1 would take it, and no guard looked at it."""
        # An error may answer what could not be read, and then has no ID.
        numbers = [number for number, method, body in frames if method is None and (number or "result" in body)]
        is_twice = len(numbers) > 1 and len(set(numbers)) != len(numbers)
        if is_twice or not all(number in self._waiting for number in numbers):
            raise RefusedError(Reason.FRAME_AMBIGUOUS.value, "a message was refused: it answers what nobody asked")

    def _take_server(self) -> bool:
        self._ending.is_settled = True
        for line in self._from_server.read():
            if line.strip():
                self._forward_server(line)
        return not self._from_server.is_ended

    def _forward_server(self, line: bytes) -> None:
        try:
            frames = parse_line(line, batches=self._batches)
            self._verify_asked(frames)
        except RefusedError as error:
            told = f"a line of the server was refused: {error.message}"
            self._error_bytes += len(told)
            if self._error_bytes <= self._limits.error_bytes:
                self._say(told)  # a server that says nothing else can't fill a disk by it
            number = id_of_answer(line)
            if number is not None and self._waiting.pop(number, None) is not None:
                self._to_client.write(error_answer(number, CODE, f"plugseal: {error.message}"))
            return
        for frame in frames:
            self._look_at(frame)
        self._to_client.write(line + b"\n")

    def _look_at(self, frame: Frame) -> None:
        number = frame.id
        if number is None or frame.method is not None:
            self._guard.on_notification(frame)
            return
        method = self._waiting.pop(number, "")
        if method == "initialize" and isinstance(frame.body.get("result"), dict):
            self._batches = frame.body["result"].get("protocolVersion") == _BATCHES
        self._guard.on_response(frame, method)

    def _take_errors(self) -> bool:
        for line in self._from_errors.read():
            self._error_bytes += len(line)
            if self._error_bytes <= self._limits.error_bytes:
                self._say(shown(line.decode("utf-8", "backslashreplace"), limit=2000), who=self._label)
        return not self._from_errors.is_ended

    def _take_status(self) -> bool:
        self._child.heed()
        if self._child.problem:
            raise SupervisorError(self._child.problem)
        return self._child.gone is None

    def _drain(self) -> None:
        """Forward what a server said before it ended."""
        while not self._from_server.is_ended and select.select([self._from_server.descriptor], [], [], 0)[0]:
            self._take_server()
        if self._child.code is not None or self._from_server.is_ended:
            self._answer_all("plugseal: the server ended")
        elif self._ending.is_over and self._owed() and not self._to_client.is_broken:
            self._say(f"{self._owed():,} of its requests had no answer: {_UNANSWERED}")
            self._answer_all(f"plugseal: {_UNANSWERED}")

    def _answer_all(self, message: str) -> None:
        for number in self._waiting:
            if number in self._cancelled:
                continue  # its client waits no more
            self._to_client.write(error_answer(number, CODE, message))
        self._waiting.clear()

    def _finish_writing(self) -> None:
        end = time.monotonic() + 0.5
        while self._to_client.is_waiting and time.monotonic() < end:
            select.select([], [self._to_client.descriptor], [], 0.05)
            self._to_client.flush()

    def _say(self, text: str, *, who: str = "gate") -> None:
        data = f"{who}: {text}\n".encode("utf-8", "backslashreplace")
        with suppress(OSError):
            for at in range(0, len(data), select.PIPE_BUF):
                # Who does not listen to errors loses them, and nothing else: a pipe that is ready takes this much.
                if not select.select([], [self._errors], [], 0)[1]:
                    return
                os.write(self._errors, data[at : at + select.PIPE_BUF])


def _register(poll: select.epoll, descriptor: int) -> bool:
    """Say whether the kernel tells when there is something to read: of a file it does not, which is always ready."""
    try:
        poll.register(descriptor, select.EPOLLIN)
    except PermissionError:
        return False
    return True


def _watch_outlets(poll: select.epoll, outlets: dict[int, Outlet], writing: set[int]) -> set[int]:
    wanted = {descriptor for descriptor, outlet in outlets.items() if outlet.is_waiting}
    for descriptor in wanted - writing:
        poll.register(descriptor, select.EPOLLOUT)
    for descriptor in writing - wanted:
        poll.unregister(descriptor)
    return wanted
