"""One plugin's process: a call out, what it asks for meanwhile, and its answer. Nothing here knows what a call means.

Rules
- An answer counts if its number is that of a call that waits; others are dropped and told, and too many end it.
  A line that is no message is something that was printed.
  A call waits inside another only where that one asked for something which led to it.
- What the plugin asks for counts only while a call of its waits that may ask for it; all else is answered by a refusal.
- A call without an answer in time ends the process: what it would still say reaches nobody. Later calls fail at once.
- That a permission was taken is an error of the call, and the process is gone when it is told.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from plugseal.errors import SupervisorError
from plugseal.records import NamedTuple
from plugseal.runtime.amness.messages import parse_message
from plugseal.runtime.exchange import Exchange
from plugseal.runtime.limits import MIB

CALL_SECONDS: Final = 60.0
"""How long a hook, a policy or another small function may take."""
WORK_SECONDS: Final = 600.0
"""How long a tool, a command or a check may take, without the time in which it waits for us."""
_MAX_MESSAGE: Final = 2000
_MAX_DROPPED: Final = 1000
"""Messages of a plugin, over all of its life, that answer nothing."""
_MAX_TOLD_BYTES: Final = MIB
_MAX_HEARD_BYTES: Final = 64 * MIB
"""Other lines, over all of its life: so many are told, and so many end it."""
_MAX_ASKED: Final = 1000
"""Requests of a plugin during one call."""

Asked = Callable[[str, Mapping[str, Any]], object]
"""Answers a request of the plugin: method and parameters in, JSON out. Raises `SupervisorError` to refuse it."""


class Answer(NamedTuple):
    """What came of a call."""

    value: Any = None
    """JSON as the plugin gave it; None for nothing."""
    failed: str = ""
    """Why there is none: what it threw, or how it ended. Hostile text; empty where it answered."""


class Process:
    """Call functions of one loaded plugin."""

    def __init__(self, exchange: Exchange, *, tell: Callable[[str], None]) -> None:
        """Take over the exchange with a started host.

        Args:
            exchange: with the process.
            tell: told what is wrong with its lines.
        """
        self._exchange = exchange
        self._tell = tell
        self._number = 0
        self._ended = ""
        self._waiting: dict[int, Asked | None] = {}
        """Numbers of calls without an answer, with who answers what they ask for."""
        self._answers: dict[int, dict[str, Any]] = {}
        """Answers to calls that wait further out."""
        self._dropped = 0
        self._heard = 0

    @property
    def is_ended(self) -> bool:
        """Say whether no call can succeed any more."""
        return bool(self._ended)

    @property
    def is_busy(self) -> bool:
        """Say whether a call waits for its answer, so that its lines are that call's to read."""
        return bool(self._waiting)

    def call(
        self, method: str, params: Mapping[str, object], *, seconds: float = CALL_SECONDS, asked: Asked | None = None
    ) -> Answer:
        """Call one function and return what it answered.

        Args:
            method: of the host script.
            params: what it gets.
            seconds: how long it may take.
            asked: answers what it asks for meanwhile, and may call it again; None where it may ask for nothing.

        Raises:
            RefusedError: the permission was taken.
        """
        if self._ended:
            return Answer(failed=self._ended)
        self._number += 1
        number = self._number
        self._waiting[number] = asked
        try:
            self._exchange.send({"id": number, "method": method, "params": dict(params)})
            return self._wait(number, seconds)
        except SupervisorError as error:
            return self._end(error.message)
        finally:
            self._waiting.pop(number, None)
            self._answers.pop(number, None)

    def overhear(self, line: bytes) -> bool:
        """Take a line while no call waits, and return whether it was one too many: the process is then ended."""
        if parse_message(line) is None:
            self._hear(line)
        else:
            self._drop()
        return bool(self._ended)

    def _drop(self) -> None:
        self._dropped += 1
        self._tell("an answer of it belongs to no call that waits, and was dropped")
        if self._dropped > _MAX_DROPPED:
            self._end(f"it sent more than {_MAX_DROPPED:,} answers to nothing")

    def _hear(self, line: bytes) -> None:
        """Tell a line that is no message: programs that a plugin starts may print where it answers."""
        self._heard += len(line) + 1
        if self._heard <= _MAX_TOLD_BYTES:
            self._tell(line.decode("utf-8", "backslashreplace")[:_MAX_MESSAGE])
        elif self._heard > _MAX_HEARD_BYTES:
            self._end(f"it printed more than {_MAX_HEARD_BYTES:,} bytes where it answers")

    def _wait(self, number: int, seconds: float) -> Answer:
        until = time.monotonic() + seconds
        requests = 0
        while number not in self._answers:
            line = None if self._ended else self._exchange.receive(until)
            if line is None:
                return self._end(f"it did not answer within {seconds:.0f} s")
            message = parse_message(line)
            if message is None:
                self._hear(line)
            elif _number(message.get("id")) in self._waiting:
                self._answers[message["id"]] = message
            elif "ask" in message:
                requests += 1
                if requests > _MAX_ASKED:
                    return self._end(f"it asked for more than {_MAX_ASKED:,} things during one call")
                began = time.monotonic()
                self._serve(message)
                until += time.monotonic() - began
            else:
                self._drop()
        return _answer(self._answers.pop(number))

    def _serve(self, message: Mapping[str, Any]) -> None:
        number, method, params = message["ask"], message.get("method"), message.get("params")
        reply: dict[str, object] = {"answer": number if isinstance(number, int) else 0}
        asked = self._waiting.get(_number(message.get("of")))
        if asked is None or not isinstance(method, str) or not isinstance(params, dict):
            reply["error"] = "not allowed here"
            self._tell("it asked for something that it may not ask for here")
        else:
            try:
                reply["result"] = asked(method, params)
            except SupervisorError as error:
                reply["error"] = error.message
        if not self._ended:
            self._exchange.send(reply)

    def _end(self, why: str) -> Answer:
        if not self._ended:
            self._ended = why
            self._exchange.session.child.end(at_once=True)
        return Answer(failed=self._ended)


def _number(value: object) -> int:
    """Return the number of a call, 0 for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _answer(message: Mapping[str, Any]) -> Answer:
    error = message.get("error")
    if error is not None:
        return Answer(failed=str(error)[:_MAX_MESSAGE] or "something without a message was thrown")
    return Answer(message.get("result"))
