"""The small MCP server for hosts that work on several calls at a time: a call is begun, and answered when it is over.

Nothing is ever waited for here: `look` of the offer drives the calls, and whoever began one answers its `Ask`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from plugseal.errors import PlugsealError
from plugseal.runtime.frames import Frame
from plugseal.runtime.limits import MIB
from plugseal.runtime.mcp_requests import BAD_PARAMS, INVALID, OURS, Request
from plugseal.runtime.mcp_server import McpServer, Offer

_MAX_NEWS_BYTES: Final = MIB
"""What may wait for the client before progress is left out."""
Begin = Callable[[str, dict[str, Any], "Ask"], None]
"""Given the name of an offered tool and its arguments; the call is answered by its `Ask`, later or at once."""


class Ask:
    """One call that was begun and has no answer yet."""

    def __init__(self, server: ParallelMcpServer, request: Request) -> None:
        """Begin.

        Args:
            server: that asks.
            request: of the client.
        """
        self.is_wanted = True
        """False once its client cancelled it or went away: then no answer reaches anybody."""
        self._server = server
        self._request = request
        self._count = 0

    def progress(self, message: str) -> None:
        """Tell the client that the call goes on, if it asked to be told; numbered, since MCP wants a number."""
        self._count += 1
        if self.is_wanted:
            self._server.tell_progress(self._request, self._count, message)

    def answer(self, result: Mapping[str, Any]) -> None:
        """Answer it; a second time does nothing."""
        if self.is_wanted:
            self.is_wanted = False
            self._server.finish(self._request, result)


class ParallelMcpServer(McpServer):
    """One session with a client whose calls go on beside each other."""

    def __init__(
        self, offer: Offer, begin: Begin, *, client: tuple[int, int] = (0, 1), max_line: int = 16 * MIB
    ) -> None:
        """Take over the descriptors, which become non-blocking.

        Args:
            offer: the tools; its `look` must let calls go on, and its `call` is never used.
            begin: begins a call.
            client: descriptors of its input and output.
            max_line: bytes of one message.
        """
        super().__init__(offer, client=client, max_line=max_line)
        self._begin = begin
        self._begun: dict[str | None, tuple[Request, Ask]] = {}

    def serve(self) -> None:
        """Serve until the client goes away; calls that are not over then are wanted no more.

        Raises:
            SupervisorError: a message is too long, or the client does not read.
        """
        try:
            super().serve()
        finally:
            for _, ask in self._begun.values():
                ask.is_wanted = False

    def tell_progress(self, request: Request, count: int, message: str) -> None:
        """Send a notification of progress, if the client asked for it."""
        meta = request.params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        # Progress is news: a client that does not keep up misses some, and a flood of it fills nothing.
        if token is not None and self._to.queued < _MAX_NEWS_BYTES:
            params = {"progressToken": token, "progress": count, "message": message}
            self._notify("notifications/progress", params)

    def finish(self, request: Request, result: Mapping[str, Any]) -> None:
        """Answer a request that was begun."""
        self._begun.pop(request.frame.id, None)
        self._answer(request, dict(result))

    def _ask_call(self, request: Request) -> None:
        if request.frame.id in self._begun:
            self._refuse(request, INVALID, "a call with its ID waits already")
        else:
            super()._ask_call(request)

    def _work(self, request: Request) -> None:
        name = request.params["name"]
        if all(tool["name"] != name for tool in self._offer.tools()):
            self._refuse(request, BAD_PARAMS, f"there is no tool `{name}`")
            return
        ask = Ask(self, request)
        self._begun[request.frame.id] = request, ask
        try:
            self._begin(name, request.params.get("arguments") or {}, ask)
        except PlugsealError as error:
            ask.is_wanted = False
            del self._begun[request.frame.id]
            self._refuse(request, OURS, f"plugseal: {error.message}")

    def _cancel(self, frame: Frame) -> None:
        params = frame.body.get("params")
        number = json.dumps(params.get("requestId")) if isinstance(params, dict) else ""
        if number not in self._begun:
            super()._cancel(frame)
            return
        request, ask = self._begun.pop(number)
        ask.is_wanted = False
        self._put(request, b"")

    def _owed(self) -> int:
        return super()._owed() + len(self._begun)

    def _is_over(self) -> bool:
        return super()._is_over() and (not self._begun or self._is_late() or self._is_deaf())
