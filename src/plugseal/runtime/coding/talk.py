"""Messages to and from one started plugin: numbered requests out, answers and progress in, in their order.

A line that two parsers could read differently, or that is no message of the contract, never comes out of here: it is a
`Spoiled` that names the request it answers where that can be told. Nothing here knows what a call is.

See: `docs/reference/coding-stdio.md`
"""

from __future__ import annotations

import select
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from typing import Any, Final

from plugseal.errors import PlugsealError, RefusedError, SupervisorError
from plugseal.records import NamedTuple
from plugseal.runtime import supervise
from plugseal.runtime.answers import error_answer, id_of_answer
from plugseal.runtime.coding.exact import parse_exact, render_exact
from plugseal.runtime.exchange import Exchange
from plugseal.runtime.frames import parse_line
from plugseal.runtime.limits import Limits
from plugseal.shown import shown

_EOF_SECONDS: Final = 0.5
"""How long a plugin may take to end by itself once nothing more comes."""
_NO_METHOD: Final = -32601
_MAX_SHOWN: Final = 2000
"""Characters of the text of an error."""


class Answer(NamedTuple):
    """An answer to a request."""

    id: str
    body: Mapping[str, Any]  # Any: JSON
    """Has `result` or `error`."""


class Progress(NamedTuple):
    """A notification of progress."""

    params: object


class Spoiled(NamedTuple):
    """A line that was refused."""

    id: str | None
    """Of the request that it answers, where that can be told."""
    why: str


Message = Answer | Progress | Spoiled


class Talk:
    """Talk to one started plugin without waiting for it."""

    def __init__(
        self,
        session: supervise.Session,
        stack: ExitStack,
        *,
        on_event: Callable[[str], None],
        limits: Limits,
    ) -> None:
        """Take over a session.

        Args:
            session: the started component.
            stack: closed when it ends.
            on_event: told the lines of its standard error.
            limits: of its lines.
        """
        self._session = session
        self._stack = stack
        self._exchange = Exchange(session, on_event=on_event, limits=limits)
        self._max_bytes = limits.line_bytes
        self._number = 0
        self._lines: deque[bytes] = deque()
        self.is_open = True

    def send(self, method: str, params: Mapping[str, object]) -> str:
        """Send a request, and return its ID.

        Raises:
            RefusedError: the permission was taken.
            SupervisorError: the program reads no more, or not what waits already; or the parameters are no JSON, or too
                long.
        """
        self._number += 1
        try:
            body = render_exact({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        except ValueError as error:
            raise SupervisorError(f"the request can't be written: {error}") from error
        if len(body) > self._max_bytes:
            raise SupervisorError(f"the request is longer than {self._max_bytes:,} bytes")
        self._exchange.send(body.encode("ascii"))
        if self._exchange.is_deaf:
            raise SupervisorError("the process reads no more")
        return str(self._number)

    def take(self) -> None:
        """Take what the program said by now; bounded, so that no flood keeps a host from others.

        Raises:
            RefusedError: the permission was taken.
            SupervisorError: the program ended and all that it said was received, or it broke a bound.
        """
        child = self._session.child
        child.heed()
        # Asked before the lines are taken: what it said before it ended still counts.
        is_ended = child.code is not None or child.gone is not None
        self._lines.extend(self._exchange.take())
        if child.problem:
            raise SupervisorError(child.problem)
        if not self._lines and (is_ended or self._exchange.is_ended):
            self.close()
            code = "" if child.code is None else f" with {child.code}"
            raise SupervisorError(f"the process ended{code}")

    def receive(self) -> Message | None:
        """Return the next message of those that were taken, None where there is none."""
        return self._message(self._lines.popleft()) if self._lines else None

    def descriptors(self) -> tuple[list[int], list[int]]:
        """Return what to wait for: descriptors to read from, and to write to."""
        if not self.is_open:
            return [], []
        reading, writing = self._exchange.descriptors()
        return [*reading, self._session.child.status], writing

    def close(self, *, at_once: bool = False) -> None:
        """End the process and everything below it; a second time does nothing.

        Args:
            at_once: without letting it end by itself.
        """
        if not self.is_open:
            return
        self.is_open = False
        child = self._session.child
        if not at_once:
            child.close_stdin()
            end = time.monotonic() + _EOF_SECONDS
            while child.code is None and child.gone is None and (left := end - time.monotonic()) > 0:
                select.select([child.status], [], [], left)
                child.heed()
        child.end(at_once=at_once)
        self._stack.close()

    def _message(self, line: bytes) -> Message:
        try:
            (frame,) = parse_line(line)
            if frame.body.get("jsonrpc") != "2.0":
                raise RefusedError("", "a message was refused: its `jsonrpc` is not `2.0`")
            body: Mapping[str, Any] = parse_exact(line)  # type: ignore[assignment]  # a frame is an object
        except RefusedError as error:
            return Spoiled(id_of_answer(line), error.message)
        if frame.method == "progress" and frame.id is None:
            return Progress(body.get("params"))
        if frame.is_response and frame.id is not None:
            return Answer(frame.id, body)
        if frame.is_request:
            with suppress(PlugsealError):
                self._exchange.send(error_answer(frame.id, _NO_METHOD, "a plugin asks for nothing").rstrip())
        return Spoiled(None, "a message that has no meaning here")


def result_of(message: Message) -> object:
    """Return the result in an answer.

    Raises:
        SupervisorError: it is an error, or nothing that can be read.
    """
    if not isinstance(message, Answer):
        raise SupervisorError(message.why if isinstance(message, Spoiled) else "it is no answer")
    if "error" in message.body:
        raise error_of(message.body["error"])
    return message.body.get("result")


def error_of(error: object) -> SupervisorError:
    """Return the error in an answer as ours, its text safe to show."""
    text = error.get("message") if isinstance(error, dict) else None
    return SupervisorError(shown(text, limit=_MAX_SHOWN) if isinstance(text, str) and text else "it answered an error")
