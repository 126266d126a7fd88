"""MCP's streamable HTTP: each message is a POST, its answer JSON or a stream of events, under one session.

A stream that breaks before the answer is asked for again from where it broke, where the server gave it an ID. Streams
that a server would open by itself are not asked for: nothing here subscribes to anything.

See: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from plugseal.errors import PlugsealError, SupervisorError
from plugseal.patterns import lazy
from plugseal.runtime.limits import MIB
from plugseal.runtime.remote.events import EventStream
from plugseal.runtime.remote.http import Answer, BrokenOffError, Http
from plugseal.runtime.remote.patience import LateError

MAX_MESSAGE_BYTES: Final = 16 * MIB
MAX_RESUMES: Final = 8
_JSON: Final = "application/json"
_EVENTS: Final = "text/event-stream"
_SESSION: Final = lazy(r"[\x21-\x7e]{1,1024}")
_VERSION: Final = lazy(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_CLOSE_SECONDS: Final = 2.0
_RETRY_SECONDS: Final = 1.0
_AUTHENTICATION: Final = frozenset({401, 403, 407})


class SessionGoneError(SupervisorError):
    """Report that a server forgot the session: a new one must begin."""


class StreamableHttp:
    """Messages over streamable HTTP."""

    def __init__(self, http: Http, *, seconds: float) -> None:
        """Prepare without connecting.

        Args:
            http: to the reviewed endpoint.
            seconds: how long the head of an answer may take.
        """
        self._http = http
        self.seconds = seconds
        """How long the head of an answer may take."""
        self._session: str | None = None
        self._version: str | None = None
        self._begins = False
        """Whether the answer that is waited for is that of the handshake."""
        self._lines: deque[bytes] = deque()
        self._answer: Answer | None = None
        self._events: EventStream | None = None
        self._resumes = 0

    def send(self, body: Mapping[str, object] | bytes) -> None:
        """Send one message, and take the head of its answer.

        Raises:
            RefusedError: the permission was taken, or a redirect leaves the origin.
            SessionGoneError: the server forgot the session.
            SupervisorError: there is no answer, or none that belongs to the protocol.
        """
        data = body if isinstance(body, bytes) else json.dumps(body).encode("ascii")
        message = json.loads(data)
        is_request = "method" in message and "id" in message
        if is_request:
            self._drop()
            self._resumes = 0
            self._begins = message["method"] == "initialize"
        self._http.patience.within(self.seconds)
        headers = {"Content-Type": _JSON, "Accept": f"{_JSON}, {_EVENTS}", **self._about()}
        answer = self._http.ask("POST", headers, data)
        try:
            self._take_head(answer, is_request=is_request)
        except BaseException:
            answer.close()
            raise

    def receive(self, until: float) -> bytes | None:
        """Return the next message, None where none came in time.

        Raises:
            RefusedError: the permission was taken.
            SupervisorError: no more will come.
        """
        self._http.patience.until(until)
        try:
            while not self._lines:
                self._read_event()
        except LateError:
            if time.monotonic() >= until:
                return None
            raise
        return self._lines.popleft()

    def close(self) -> None:
        """End the session; a server that does not care is not waited for."""
        self._drop()
        if self._session is None:
            return
        self._http.patience.within(_CLOSE_SECONDS)
        with suppress(PlugsealError):
            self._http.ask("DELETE", self._about()).close()
        self._session = None

    def _about(self) -> dict[str, str]:
        found = {} if self._session is None else {"Mcp-Session-Id": self._session}
        return found if self._version is None else {**found, "MCP-Protocol-Version": self._version}

    def _take_head(self, answer: Answer, *, is_request: bool) -> None:
        self._verify_status(answer)
        if not is_request:
            answer.close()
            return
        if self._begins:
            self._take_session(answer)
        if answer.kind == _EVENTS:
            self._answer, self._events = answer, EventStream(answer.read, max_bytes=MAX_MESSAGE_BYTES)
        elif answer.kind == _JSON and answer.status == 200:
            with answer:
                self._add(answer.read_all(MAX_MESSAGE_BYTES))
        else:
            raise SupervisorError("the server's answer is neither JSON nor a stream of events")

    def _verify_status(self, answer: Answer) -> None:
        if 200 <= answer.status < 300:
            return
        if answer.status == 404 and self._session is not None:
            self._session = self._version = None
            raise SessionGoneError("the server ended the session")
        raise status_error(answer.status)

    def _take_session(self, answer: Answer) -> None:
        session = answer.header("Mcp-Session-Id")
        if session is not None and _SESSION.fullmatch(session) is None:
            raise SupervisorError("the server's session has an ID that no header can hold")
        self._session = session

    def _add(self, data: bytes) -> None:
        if self._begins:
            self._version = _agreed(data) or self._version
        self._lines.append(data)

    def _read_event(self) -> None:
        if self._events is None:
            raise SupervisorError("the server ended without an answer")
        event = self._next_event()
        if event is not None:
            self._add(event)

    def _next_event(self) -> bytes | None:
        """Return the data of the next message; None where the stream goes on elsewhere now."""
        if self._events is None:
            raise SupervisorError("the server ended without an answer")
        try:
            event = self._events.next()
        except BrokenOffError:
            event = None
        if event is None:
            self._resume(self._events)
            return None
        # An empty one begins a stream: it has nothing but an ID to go on from.
        return event.data.encode() if event.type == "message" and event.data.strip() else None

    def _resume(self, broken: EventStream) -> None:
        """Ask for what comes after the last event that had an ID."""
        last, pause = broken.last_id, broken.retry_seconds
        self._drop()
        self._resumes += 1
        if not last or not last.isprintable() or not last.isascii() or self._resumes > MAX_RESUMES:
            raise SupervisorError("the server ended without an answer")
        self._http.patience.pause(_RETRY_SECONDS if pause is None else pause)
        answer = self._http.ask("GET", {"Accept": _EVENTS, "Last-Event-ID": last, **self._about()})
        if answer.status != 200 or answer.kind != _EVENTS:
            answer.close()
            raise SupervisorError("the server ended without an answer")
        self._answer, self._events = answer, EventStream(answer.read, max_bytes=MAX_MESSAGE_BYTES)
        self._events.last_id, self._events.retry_seconds = last, pause

    def _drop(self) -> None:
        if self._answer is not None:
            self._answer.close()
        self._answer = self._events = None
        self._lines.clear()


def status_error(status: int) -> SupervisorError:
    """Return what is said of a status that is no answer; never what the server said beside it."""
    if status in _AUTHENTICATION:
        return SupervisorError(
            f"the server does not let us in (HTTP {status})",
            hint="set the variables that were reviewed for it; it is asked for no other authentication",
        )
    return SupervisorError(f"the server answers with HTTP {status}")


def _agreed(data: bytes) -> str | None:
    """Return the protocol version that the answer to the handshake names."""
    try:
        version = json.loads(data)["result"]["protocolVersion"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return version if isinstance(version, str) and _VERSION.fullmatch(version) else None
