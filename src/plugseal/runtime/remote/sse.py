"""MCP's older transport: one stream of events brings every message, and says where to POST ours.

The place that it names must be of the reviewed origin.

See: https://modelcontextprotocol.io/specification/2024-11-05/basic/transports
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Final

from plugseal.errors import SupervisorError
from plugseal.runtime.remote.endpoint import Endpoint, next_endpoint
from plugseal.runtime.remote.events import EventStream
from plugseal.runtime.remote.http import Answer, Http
from plugseal.runtime.remote.patience import LateError
from plugseal.runtime.remote.streamable import MAX_MESSAGE_BYTES, status_error

_EVENTS: Final = "text/event-stream"


class EventsAndPosts:
    """Messages over a stream of events and POSTs."""

    def __init__(self, http: Http, *, seconds: float) -> None:
        """Prepare without connecting.

        Args:
            http: to the reviewed endpoint.
            seconds: how long the head of an answer may take.
        """
        self._http = http
        self.seconds = seconds
        """How long the head of an answer may take."""
        self._answer: Answer | None = None
        self._events: EventStream | None = None
        self._place: Endpoint | None = None

    def send(self, body: Mapping[str, object] | bytes) -> None:
        """Send one message; the first one opens the stream.

        Raises:
            RefusedError: the permission was taken, or the server names a place out of its origin.
            SupervisorError: it was not taken.
        """
        self._http.patience.within(self.seconds)
        place = self._opened()
        data = body if isinstance(body, bytes) else json.dumps(body).encode("ascii")
        with self._http.ask("POST", {"Content-Type": "application/json"}, data, at=place) as answer:
            if not 200 <= answer.status < 300:
                raise status_error(answer.status)

    def receive(self, until: float) -> bytes | None:
        """Return the next message, None where none came in time.

        Raises:
            RefusedError: the permission was taken.
            SupervisorError: the stream ended.
        """
        self._http.patience.until(until)
        if self._events is None:
            raise SupervisorError("the server ended without an answer")
        try:
            while (event := self._events.next()) is not None:
                if event.type == "message" and event.data.strip():
                    return event.data.encode()
        except LateError:
            if time.monotonic() >= until:
                return None
            raise
        raise SupervisorError("the server ended without an answer")

    def close(self) -> None:
        """Close the stream."""
        if self._answer is not None:
            self._answer.close()
        self._answer = self._events = self._place = None

    def _opened(self) -> Endpoint:
        if self._place is not None:
            return self._place
        answer = self._http.ask("GET", {"Accept": _EVENTS})
        self._answer = answer
        if answer.status != 200 or answer.kind != _EVENTS:
            self.close()
            raise status_error(answer.status) if answer.status != 200 else SupervisorError("the server has no stream")
        self._events = EventStream(answer.read, max_bytes=MAX_MESSAGE_BYTES)
        event = self._events.next()
        if event is None or event.type != "endpoint":
            raise SupervisorError("the server's stream does not begin with where to send messages")
        self._place = next_endpoint(self._http.endpoint, event.data)
        return self._place
