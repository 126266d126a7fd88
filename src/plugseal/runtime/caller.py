"""A small MCP client: one request after another, under the same permission and the same pins as a client's own.

It works over whatever carries messages (`Lines`): a started component, or a remote server. It declares no ability of a
client's, so a server has nothing to ask; a ping is answered, anything else is told that there is no such method.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from plugseal.errors import RefusedError, SupervisorError
from plugseal.model.decision import Reason
from plugseal.runtime.exchange import Exchange
from plugseal.runtime.frames import Frame, parse_line
from plugseal.runtime.limits import Limits
from plugseal.runtime.lines import Attend, Lines
from plugseal.runtime.relay import Guard
from plugseal.runtime.supervise import Session

VERSION: Final = "2025-11-25"
VERSIONS: Final = frozenset({"2024-11-05", "2025-03-26", "2025-06-18", VERSION})
MAX_PAGES: Final = 1000
_NO_METHOD: Final = {"code": -32601, "message": "no such method"}


class Asker:
    """Ask a server, one request after another."""

    def __init__(self, lines: Lines, *, guard: Guard, seconds: float) -> None:
        """Prepare.

        Args:
            lines: to the server.
            guard: who looks at messages.
            seconds: how long an answer may take.
        """
        self._lines = lines
        self._guard = guard
        self._seconds = seconds
        self._number = 0
        self.abilities: Mapping[str, Any] = {}
        """What the server says it has: `tools`, `resources`, `prompts`, …"""

    def begin(self) -> None:
        """Shake hands, and read the whole list of tools, which the pins hold it to.

        Raises:
            SupervisorError: the server does not answer.
            RefusedError: the permission was taken.
        """
        self.shake_hands()
        self.list_all("tools/list", "tools")

    def shake_hands(self) -> None:
        """Agree on a version of the protocol.

        Raises:
            SupervisorError: the server does not answer, or speaks no version that is known here.
            RefusedError: the permission was taken.
        """
        info = {"name": "plugseal", "version": "1"}
        answer = self.ask("initialize", {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": info})
        result = answer.get("result")
        version = result.get("protocolVersion") if isinstance(result, dict) else None
        if not isinstance(result, dict) or not isinstance(version, str) or version not in VERSIONS:
            raise SupervisorError("the server speaks no version of the protocol that is known here")
        abilities = result.get("capabilities")
        self.abilities = abilities if isinstance(abilities, dict) else {}
        self._lines.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def list_all(self, method: str, key: str) -> list[dict[str, Any]]:
        """Return all rows of a list, page by page.

        Args:
            method: e.g. `tools/list`.
            key: of the rows in an answer.

        Raises:
            SupervisorError: the server does not answer, or has too many pages.
            RefusedError: the permission was taken.
        """
        cursor: object = None
        rows: list[dict[str, Any]] = []
        for _ in range(MAX_PAGES):
            result = self.ask(method, {} if cursor is None else {"cursor": cursor}).get("result") or {}
            found = result.get(key) if isinstance(result, dict) else None
            rows += [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []
            cursor = result.get("nextCursor") if isinstance(result, dict) else None
            if cursor is None:
                return rows
        raise SupervisorError(f"its list of tools has more than {MAX_PAGES:,} pages")

    def ask(self, method: str, params: Mapping[str, object], *, seconds: float | None = None) -> dict[str, Any]:
        """Send a request and return the whole answer.

        Args:
            method: of the protocol.
            params: of the request.
            seconds: how long the answer may take; by default as for all.

        Raises:
            SupervisorError: the server does not answer.
            RefusedError: the permission was taken, or the pins deny it.
        """
        self._number += 1
        body = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": dict(params)}
        frame = Frame(str(self._number), method, body)
        denied = self._guard.on_request(frame)
        if denied is not None:
            raise RefusedError(Reason.TOOL_DRIFTED.value, denied)  # what to type is among it
        self._lines.send(body)
        allowed = self._seconds if seconds is None else seconds
        end = time.monotonic() + allowed
        while True:
            line = self._lines.receive(end)
            if line is None:
                self._cancel(method)
                raise SupervisorError(f"the server did not answer within {allowed:.0f} s")
            for found in parse_line(line):
                if found.is_response and found.id == str(self._number):
                    self._guard.on_response(found, method)
                    return found.body
                self.hear(found)

    def _cancel(self, method: str) -> None:
        if method != "initialize":  # which may not be cancelled
            with suppress(SupervisorError):
                self._lines.send(_cancelled(self._number))

    def hear(self, found: Frame) -> None:
        """Take a message that answers nothing: a host hears what comes between requests too."""
        if not found.is_request:
            self._guard.on_notification(found)
            return
        answer: dict[str, object] = {"result": {}} if found.method == "ping" else {"error": _NO_METHOD}
        self._lines.send({"jsonrpc": "2.0", "id": found.body["id"], **answer})


class Caller(Asker):
    """Ask a started server."""

    def __init__(
        self,
        session: Session,
        *,
        guard: Guard,
        on_event: Callable[[str], None],
        limits: Limits,
        seconds: float,
        attend: Attend | None = None,
    ) -> None:
        """Prepare.

        Args:
            session: the started component.
            guard: who looks at messages.
            on_event: told the server's own errors.
            limits: of its lines.
            seconds: how long an answer may take.
            attend: asked while an answer is waited for.
        """
        lines = Exchange(session, on_event=on_event, limits=limits, attend=attend)
        super().__init__(lines, guard=guard, seconds=seconds)


def _cancelled(number: int) -> dict[str, object]:
    params = {"requestId": number, "reason": "it took too long"}
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
