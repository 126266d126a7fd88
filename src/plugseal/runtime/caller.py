"""A small MCP client over a started component: one call by hand, under the same permission and the same pins."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from plugseal.errors import RefusedError, SupervisorError
from plugseal.model.decision import Reason
from plugseal.runtime.exchange import Exchange
from plugseal.runtime.frames import Frame, parse_line
from plugseal.runtime.limits import Limits
from plugseal.runtime.relay import Guard
from plugseal.runtime.supervise import Session

VERSION: Final = "2025-11-25"
MAX_PAGES: Final = 1000


class Caller:
    """Ask a started server, one request after another."""

    def __init__(
        self, session: Session, *, guard: Guard, on_event: Callable[[str], None], limits: Limits, seconds: float
    ) -> None:
        """Prepare.

        Args:
            session: the started component.
            guard: who looks at messages.
            on_event: told the server's own errors.
            limits: of its lines.
            seconds: how long an answer may take.
        """
        self._exchange = Exchange(session, on_event=on_event, limits=limits)
        self._guard = guard
        self._seconds = seconds
        self._number = 0

    def begin(self) -> None:
        """Shake hands, and read the whole list of tools, which the pins hold it to.

        Raises:
            SupervisorError: the server does not answer.
            RefusedError: the permission was taken.
        """
        info = {"name": "plugseal", "version": "1"}
        self.ask("initialize", {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": info})
        self._exchange.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
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
        self._exchange.send(body)
        end = time.monotonic() + self._seconds
        while True:
            line = self._exchange.receive(end)
            if line is None:
                raise SupervisorError(f"the server did not answer within {self._seconds:.0f} s")
            for found in parse_line(line):
                if found.is_response and found.id == str(self._number):
                    self._guard.on_response(found, method)
                    return found.body
                self._guard.on_notification(found)
