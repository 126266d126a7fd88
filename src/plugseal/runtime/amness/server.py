"""Serve a harness over lines of JSON on standard input and output, for as long as it keeps them open.

Rules
- A request is an object with `id` (a number or text), `method` and `params`; its answer has the same `id` and `result`
  or `error`. Requests are answered one after the other.
- A line that two parsers could read differently is refused. So is everything that is no request.
- `say` and what is told are lines with `event`. `ask` is a request of ours, with `request`; the harness answers it with
  `response` and the same number, and may make requests of its own before. Without an answer the command that asked goes
  on with an error.
- While nothing is asked, permissions are watched all the same: a plugin whose permission was taken is ended and told.
"""

from __future__ import annotations

import json
import os
import select
from collections.abc import Callable, Mapping
from typing import Any, Final

from plugseal.errors import PlugsealError, SupervisorError, UsageError
from plugseal.runtime.amness.answers import METHODS, Params
from plugseal.runtime.amness.host import Host
from plugseal.runtime.amness.messages import parse_message
from plugseal.runtime.limits import MIB
from plugseal.runtime.streams import Inlet

_LINE_BYTES: Final = 16 * MIB
_LOOK_SECONDS: Final = 1.0
_MAX_DEPTH: Final = 16


class Wire:
    """The two streams of a harness."""

    def __init__(self, reading: int, writing: int) -> None:
        """Take the descriptors of both."""
        self._from = Inlet(reading, max_line=_LINE_BYTES)
        self._to = writing
        self._lines: list[bytes] = []

    @property
    def descriptor(self) -> int:
        """Return what to wait for."""
        return self._from.descriptor

    @property
    def is_ended(self) -> bool:
        """Say whether the harness closed its side and every line of it was taken."""
        return self._from.is_ended and not self._lines

    def send(self, body: Mapping[str, object]) -> None:
        """Write one line, and wait until the harness took it.

        Raises:
            SupervisorError: it is gone.
        """
        data = json.dumps(body).encode("ascii") + b"\n"
        try:
            while data:
                try:
                    data = data[os.write(self._to, data) :]
                except BlockingIOError:
                    select.select([], [self._to], [])  # Both ends may be one file that does not wait.
        except OSError as error:
            raise SupervisorError("the harness went away") from error

    def next_line(self) -> bytes | None:
        """Return a line that is there, None where there is none now."""
        if not self._lines and not self._from.is_ended:
            self._lines += [line for line in self._from.read() if line.strip()]
        return self._lines.pop(0) if self._lines else None


class Server:
    """Answer a harness; it is the chat of the plugins too."""

    def __init__(self, wire: Wire, methods: Mapping[str, Callable[[Params], object]]) -> None:
        """Prepare.

        Args:
            wire: to the harness.
            methods: those that need more than a host, by name.
        """
        self._wire = wire
        self._methods = methods
        self._host: Host | None = None
        self._asked = 0
        self._depth = 0
        """Questions of ours that wait for an answer."""

    def say(self, plugin: str, text: str) -> None:
        """Tell the harness what a command says."""
        self._wire.send({"event": "say", "plugin": plugin, "text": text})

    def ask(self, plugin: str, text: str) -> object:
        """Hand a message for the agent to the harness, and return what it answers.

        Raises:
            SupervisorError: it answers with an error, or goes away.
        """
        self._asked += 1
        number = self._asked
        self._depth += 1
        try:
            if self._depth > _MAX_DEPTH:
                raise SupervisorError(f"more than {_MAX_DEPTH} questions wait for each other")
            self._wire.send({"request": number, "method": "ask", "params": {"plugin": plugin, "text": text}})
            return self._response(number)
        finally:
            self._depth -= 1

    def _response(self, number: int) -> object:
        """Return the harness's answer to a request of ours; meanwhile its own are answered."""
        while True:
            message = self._read()
            if message is None:
                raise SupervisorError("the harness went away")
            if "response" not in message:
                # The agent that was asked calls for what plugins say to its own steps.
                self._wire.send(self._answer(message))
            elif message["response"] == number:
                if message.get("error") is not None:
                    raise SupervisorError(str(message["error"])[:2000])
                return message.get("result")

    def tell(self, text: str) -> None:
        """Tell the harness something beside its answers."""
        self._wire.send({"event": "told", "text": text})

    def run(self, host: Host) -> None:
        """Answer requests until the harness closes its side.

        Raises:
            SupervisorError: the harness went away, or sent a line that is too long.
        """
        self._host = host
        while True:
            message = self._read()
            if message is None:
                return
            self._wire.send(self._answer(message))

    def _read(self) -> dict[str, Any] | None:
        """Return the next message, None at the end; what is none is answered by an error at once."""
        while True:
            line = self._wire.next_line()
            if line is not None:
                message = parse_message(line)
                if message is not None:
                    return message
                self._wire.send({"id": None, "error": {"code": "usage", "message": "the line is no message"}})
            elif self._wire.is_ended:
                return None
            else:
                self._wait()

    def _wait(self) -> None:
        loader = None if self._host is None else self._host.loader
        descriptors = [] if loader is None else loader.descriptors()
        select.select([self._wire.descriptor, *descriptors], [], [], _LOOK_SECONDS)
        for plugin, why in [] if loader is None else loader.look():
            self._wire.send({"event": "ended", "plugin": plugin.name, "text": why})

    def _answer(self, message: Mapping[str, Any]) -> dict[str, object]:
        number, method = message.get("id"), message.get("method")
        params = message.get("params", {})
        try:
            if not isinstance(number, str | int) or isinstance(number, bool) or not isinstance(method, str):
                raise UsageError("a request has an `id` and a `method`")
            if not isinstance(params, dict):
                raise UsageError("`params` is no object")
            return {"id": number, "result": self._perform(method, params)}
        except PlugsealError as error:
            return {"id": number if isinstance(number, str | int) else None, "error": build_error(error)}

    def _perform(self, method: str, params: Params) -> object:
        if method in self._methods:
            return self._methods[method](params)
        if self._host is None or method not in METHODS:
            raise UsageError(f"there is no method `{method[:40]}`")
        return METHODS[method](self._host, params)


def build_error(error: PlugsealError) -> dict[str, object]:
    """Return an error as a harness gets it; `reason` is the gate's, where it refused."""
    found: dict[str, object] = {"code": error.code, "message": error.message}
    reason = getattr(error, "reason", "")
    if reason:
        found["reason"] = reason
    if error.hint:
        found["hint"] = error.hint
    return found
