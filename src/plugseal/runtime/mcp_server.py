"""A small MCP server over lines: offers the tools of a host of ours to any MCP client, in every protocol version.

One thread, one call at a time; whoever works on a call for long asks `attend` now and then, which answers what can be
answered meanwhile and says whether the call is still wanted. A message that two parsers could read differently is
refused (`frames`). The handshake versions are agreed by `initialize`; a request of the stateless version carries its
own. This part knows no plugin, starts nothing and opens nothing: descriptors, tools and calls are given to it.

See: https://modelcontextprotocol.io/specification
"""

from __future__ import annotations

import json
import select
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from plugseal.errors import PlugsealError, RefusedError
from plugseal.records import NamedTuple
from plugseal.runtime.answers import error_answer, id_of
from plugseal.runtime.ending import Ending, has_reader
from plugseal.runtime.frames import Frame, parse_line
from plugseal.runtime.limits import MIB
from plugseal.runtime.mcp_requests import (
    BAD_PARAMS,
    HANDSHAKE,
    INVALID,
    META,
    NO_METHOD,
    OURS,
    PARSE,
    VERSIONS,
    Batch,
    Request,
    check_meta,
)
from plugseal.runtime.streams import Inlet, Outlet

MAX_WAITING: Final = 256
"""Calls that wait for the one before them; more are refused."""
LEAVING_SECONDS: Final = 0.75
"""How long calls go on after the client went away: clients wait two seconds before they use force, and what was started
may take one of them to end."""
_TICK: Final = 0.25
_FLUSH_SECONDS: Final = 0.5
_BATCHES: Final = "2025-03-26"

Tool = Mapping[str, Any]
"""As `tools/list` shows it: `name`, `description`, `inputSchema`, and what else the protocol knows."""


class Offer(NamedTuple):
    """What is offered."""

    tools: Callable[[], Iterable[Tool]]
    """All tools as they are now."""
    call: Callable[[str, dict[str, Any]], Mapping[str, Any]]
    """From the name of an offered tool and its arguments to a result (`content`, `isError`). An error of ours that it
    raises becomes an error answer."""
    name: str = "plugseal"
    version: str = "1"
    instructions: str = ""
    watched: Callable[[], Iterable[int]] = tuple
    """Descriptors that are worth a look when they become readable."""
    look: Callable[[], bool] | None = None
    """Called between messages, at least a few times a second; True says that the tools are others now."""


def serve(offer: Offer, *, client: tuple[int, int] = (0, 1), max_line: int = 16 * MIB) -> None:
    """Serve one client until it goes away; for offers whose calls are short.

    Args:
        offer: the tools.
        client: descriptors of its input and output.
        max_line: bytes of one message.
    """
    McpServer(offer, client=client, max_line=max_line).serve()


class McpServer:
    """One session with a client."""

    def __init__(self, offer: Offer, *, client: tuple[int, int] = (0, 1), max_line: int = 16 * MIB) -> None:
        """Take over the descriptors, which become non-blocking.

        Args:
            offer: the tools.
            client: descriptors of its input and output.
            max_line: bytes of one message.
        """
        self._offer = offer
        self._from = Inlet(client[0], max_line=max_line)
        self._to = Outlet(client[1])
        self._version = HANDSHAKE[-1]
        self._is_greeted = False
        self._waiting: deque[Request] = deque()
        self._current: Request | None = None
        self._is_cancelled = False
        self._ending = Ending(client[0], client[1], leaving=LEAVING_SECONDS)

    def serve(self) -> None:
        """Serve until the client goes away.

        Raises:
            SupervisorError: a message is too long, or the client does not read.
        """
        while not self._is_over():
            self._turn(0.0 if self._waiting else _TICK)
            if self._waiting:
                self._work(self._waiting.popleft())
        end = time.monotonic() + _FLUSH_SECONDS
        while self._to.is_waiting and time.monotonic() < end:
            select.select([], [self._to.descriptor], [], _TICK)
            self._to.flush()

    def attend(self) -> bool:
        """Answer what came during a call, and say whether the call is still wanted.

        Raises:
            SupervisorError: a message is too long, or the client does not read.
        """
        self._turn(0.0)
        return not self._is_cancelled and not self._is_late() and not self._is_deaf()

    def progress(self, progress: float, *, total: float | None = None, message: str = "") -> None:
        """Tell the client how far the call is, if it asked to be told."""
        meta = {} if self._current is None else self._current.params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        if token is None:
            return
        params = {"progressToken": token, "progress": progress, "total": total, "message": message or None}
        self._notify("notifications/progress", {key: value for key, value in params.items() if value is not None})

    def _is_over(self) -> bool:
        if self._is_deaf() or self._is_late():
            return True
        return self._from.is_ended and not self._waiting

    def _is_late(self) -> bool:
        if self._ending.at is not None:
            owed = self._owed()
            # What a call does is not seen here: as long as one goes on, something moves.
            self._ending.look(owed=owed, moved=owed > 0)
        return self._ending.is_over

    def _owed(self) -> int:
        """Return how many calls have no answer yet, and whether what is answered waits to be written."""
        return len(self._waiting) + (self._current is not None) + self._to.is_waiting

    def _is_deaf(self) -> bool:
        """Say whether nobody will ever read what is written."""
        return self._to.is_broken or not has_reader(self._to.descriptor)

    def _turn(self, seconds: float) -> None:
        reading = [] if self._from.is_ended else [self._from.descriptor]
        writing = [self._to.descriptor] if self._to.is_waiting else []
        ready, free, _ = select.select([*reading, *self._offer.watched()], writing, [], seconds)
        if free:
            self._to.flush()
        if reading and reading[0] in ready:
            lines = self._from.read()
            self._ending.heard(lines)
            for line in lines:
                if line.strip():
                    self._take(line)
            if self._from.is_ended:
                self._ending.begin()
            # What is answered here is answered at once: only what came with the greeting came before that.
            self._ending.is_settled = self._ending.is_settled or bool(lines)
        # During a call its own worker looks: what ends a plugin must not happen below the hands that hold it.
        is_changed = self._current is None and self._offer.look is not None and self._offer.look()
        if is_changed and self._is_greeted:
            self._notify("notifications/tools/list_changed", None)

    def _take(self, line: bytes) -> None:
        try:
            frames = parse_line(line, batches=self._version == _BATCHES and self._is_greeted)
        except RefusedError as error:
            number = id_of(line)
            self._to.write(error_answer(number, PARSE if number is None else INVALID, error.message))
            return
        asks = sum(frame.is_request for frame in frames)
        batch = Batch(asks) if line.lstrip().startswith(b"[") and asks else None
        for frame in frames:
            if frame.is_request:
                self._ask(Request(frame, batch))
            elif frame.method == "notifications/cancelled":
                self._cancel(frame)

    def _ask(self, request: Request) -> None:
        """Answer a request at once, or let a call wait for its turn."""
        if request.frame.body.get("jsonrpc") != "2.0":
            self._refuse(request, INVALID, "its `jsonrpc` is not `2.0`")
        elif request.is_stateless and (problem := check_meta(request.params["_meta"])) is not None:
            self._refuse(request, *problem)
        elif request.frame.method == "tools/call":
            self._ask_call(request)
        else:
            self._answer_now(request, request.frame.method or "")

    def _ask_call(self, request: Request) -> None:
        name, arguments = request.params.get("name"), request.params.get("arguments", {})
        waiting = {one.frame.id for one in (*self._waiting, *filter(None, [self._current]))}
        if not isinstance(name, str) or not isinstance(arguments, dict | None):
            self._refuse(request, BAD_PARAMS, "a call needs a `name`, and `arguments` that are an object")
        elif request.frame.id in waiting:
            self._refuse(request, INVALID, "a call with its ID waits already")
        elif len(self._waiting) >= MAX_WAITING:
            self._refuse(request, OURS, f"more than {MAX_WAITING} calls wait")
        else:
            self._waiting.append(request)

    def _answer_now(self, request: Request, method: str) -> None:
        if method == "initialize" and not request.is_stateless:
            self._answer(request, self._greet(request))
        elif method == "ping":
            self._answer(request, {})
        elif method == "tools/list" and request.params.get("cursor") is not None:
            self._refuse(request, BAD_PARAMS, "there is one page of tools, and no cursor")
        elif method == "tools/list":
            self._answer(request, {"tools": [dict(tool) for tool in self._offer.tools()]}, is_cacheable=True)
        elif method == "server/discover" and request.is_stateless:
            self._answer(request, self._about({"supportedVersions": list(VERSIONS)}, changes=False), is_cacheable=True)
        else:
            self._refuse(request, NO_METHOD, f"there is no method `{method}`")

    def _greet(self, request: Request) -> dict[str, Any]:
        asked = request.params.get("protocolVersion")
        self._version = asked if isinstance(asked, str) and asked in HANDSHAKE else HANDSHAKE[-1]
        self._is_greeted = True
        info = {"name": self._offer.name, "version": self._offer.version}
        about = {"protocolVersion": self._version, "serverInfo": info}
        return self._about(about, changes=self._offer.look is not None)

    def _about(self, about: dict[str, Any], *, changes: bool) -> dict[str, Any]:
        about["capabilities"] = {"tools": {"listChanged": True} if changes else {}}
        if self._offer.instructions:
            about["instructions"] = self._offer.instructions
        return about

    def _work(self, request: Request) -> None:
        self._current, self._is_cancelled = request, False
        try:
            self._call(request)
        except PlugsealError as error:
            if not self._is_cancelled:
                self._refuse(request, OURS, f"plugseal: {error.message}")
        finally:
            self._current = None

    def _call(self, request: Request) -> None:
        name = request.params["name"]
        if all(tool["name"] != name for tool in self._offer.tools()):
            self._refuse(request, BAD_PARAMS, f"there is no tool `{name}`")
            return
        result = self._offer.call(name, request.params.get("arguments") or {})
        if not self._is_cancelled:
            self._answer(request, dict(result))

    def _cancel(self, frame: Frame) -> None:
        """Forget a call that the client does not want any more; it gets no answer."""
        params = frame.body.get("params")
        number = json.dumps(params.get("requestId")) if isinstance(params, dict) else ""
        if self._current is not None and self._current.frame.id == number:
            self._is_cancelled = True
            self._put(self._current, b"")
        for request in [one for one in self._waiting if one.frame.id == number]:
            self._waiting.remove(request)
            self._put(request, b"")

    def _answer(self, request: Request, result: dict[str, Any], *, is_cacheable: bool = False) -> None:
        if request.is_stateless:
            result["resultType"] = "complete"
            meta = result.get("_meta")
            result["_meta"] = {
                # A plugin's own server may put anything there.
                **(meta if isinstance(meta, dict) else {}),
                f"{META}serverInfo": {"name": self._offer.name, "version": self._offer.version},
            }
            if is_cacheable:
                result.update(ttlMs=0, cacheScope="private")
        text = json.dumps(result)
        self._put(request, f'{{"jsonrpc":"2.0","id":{request.frame.id},"result":{text}}}\n'.encode())

    def _refuse(self, request: Request, code: int, message: str, data: object = None) -> None:
        if data is None:
            self._put(request, error_answer(request.frame.id, code, message))
            return
        error = json.dumps({"code": code, "message": message, "data": data})
        self._put(request, f'{{"jsonrpc":"2.0","id":{request.frame.id},"error":{error}}}\n'.encode())

    def _put(self, request: Request, answer: bytes) -> None:
        """Write an answer, or keep it until all of its batch are there; an empty one is none."""
        ready = answer if request.batch is None else request.batch.add(answer)
        if ready:
            self._to.write(ready)

    def _notify(self, method: str, params: Mapping[str, Any] | None) -> None:
        body = {"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": params})
        self._to.write(json.dumps(body).encode() + b"\n")
