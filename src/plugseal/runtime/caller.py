"""A small MCP client over a started component: one call by hand, under the same permission and the same pins."""

from __future__ import annotations

import json
import select
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from plugseal.errors import RefusedError, SupervisorError
from plugseal.model.decision import Reason
from plugseal.runtime.frames import Frame, parse_line
from plugseal.runtime.relay import Guard
from plugseal.runtime.streams import Inlet, Outlet
from plugseal.runtime.supervise import Session
from plugseal.shown import shown

VERSION: Final = "2025-11-25"
MAX_PAGES: Final = 1000
_LOOK_SECONDS: Final = 0.05


class Caller:
    """Ask a started server, one request after another."""

    def __init__(
        self, session: Session, *, guard: Guard, on_event: Callable[[str], None], max_line: int, seconds: float
    ) -> None:
        """Prepare.

        Args:
            session: the started component.
            guard: who looks at messages.
            on_event: told the server's own errors.
            max_line: bytes that one line may have.
            seconds: how long an answer may take.
        """
        child = session.child
        self._session = session
        self._guard = guard
        self._on_event = on_event
        self._seconds = seconds
        self._to = Outlet(child.stdin)
        self._from = Inlet(child.stdout, max_line=max_line)
        self._errors = Inlet(child.stderr, max_line=max_line)
        self._lines: list[bytes] = []
        self._number = 0

    def begin(self) -> None:
        """Shake hands, and read the whole list of tools, which the pins hold it to.

        Raises:
            SupervisorError: the server does not answer.
            RefusedError: the permission was taken.
        """
        info = {"name": "plugseal", "version": "1"}
        self.ask("initialize", {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": info})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        cursor: object = None
        for _ in range(MAX_PAGES):
            answer = self.ask("tools/list", {} if cursor is None else {"cursor": cursor})
            cursor = (answer.get("result") or {}).get("nextCursor")
            if cursor is None:
                return
        raise SupervisorError(f"its list of tools has more than {MAX_PAGES:,} pages")

    def ask(self, method: str, params: Mapping[str, object]) -> dict[str, Any]:
        """Send a request and return the whole answer.

        Raises:
            SupervisorError: the server does not answer.
            RefusedError: the permission was taken, or the pins deny it.
        """
        self._number += 1
        body = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": dict(params)}
        frame = Frame(str(self._number), method, body)
        denied = self._guard.on_request(frame)
        if denied is not None:
            raise RefusedError(Reason.TOOL_DRIFTED.value, denied, hint=Reason.TOOL_DRIFTED.hint)
        self._session.verify()
        self._send(body)
        end = time.monotonic() + self._seconds
        while True:
            for found in self._frames(end):
                if found.is_response and found.id == str(self._number):
                    self._guard.on_response(found, method)
                    return found.body
                self._guard.on_notification(found)

    def _frames(self, end: float) -> tuple[Frame, ...]:
        while not self._lines:
            if time.monotonic() > end:
                raise SupervisorError(f"the server did not answer within {self._seconds:.0f} s")
            if self._from.is_ended:
                raise SupervisorError("the server ended without an answer")
            self._wait()
        return parse_line(self._lines.pop(0))

    def _wait(self) -> None:
        inlets = [inlet for inlet in (self._from, self._errors) if not inlet.is_ended]
        writing = [self._to.descriptor] if self._to.is_waiting else []
        ready, free, _ = select.select([inlet.descriptor for inlet in inlets], writing, [], _LOOK_SECONDS)
        if free:
            self._to.flush()
        if self._session.watch.changed():
            self._session.verify()
        if self._errors.descriptor in ready:
            for line in self._errors.read():
                self._on_event(shown(line.decode("utf-8", "backslashreplace"), limit=2000))
        if self._from.descriptor in ready:
            self._lines += [line for line in self._from.read() if line.strip()]

    def _send(self, body: Mapping[str, object]) -> None:
        self._to.write(json.dumps(body).encode("ascii") + b"\n")
