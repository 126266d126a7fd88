"""One started plugin: the handshake, one call at a time, and the documented goodbye.

Rules
- One line for each request. What was there before a request was sent, or has another ID, answers nothing: it is dropped
  and told, and a plugin that says too much of it is ended.
- A line that is no message, or that two parsers could read differently, ends the session: what follows it can't be
  believed to answer what was asked.
- A call that gets no answer within its time ends the session, so that a late answer has nobody to reach.
- Nothing is sent without the permission; its loss ends everything at once.
"""

from __future__ import annotations

import json
import os
import select
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final

from plugseal.errors import RefusedError, SupervisorError
from plugseal.runtime.amber.envelope import Envelope, MalformedError, failed, parse_result
from plugseal.runtime.amber.manifest import PROTOCOL_VERSION
from plugseal.runtime.exchange import Exchange
from plugseal.runtime.frames import parse_line
from plugseal.runtime.limits import MIB, Limits
from plugseal.runtime.supervise import Session
from plugseal.shown import shown

LINE_SECONDS: Final = 60.0
"""How long a plugin may take to answer with a line, in calls and in the handshake."""
SHUTDOWN_SECONDS: Final = 1.0
"""How long it may take to end by itself after it was told to."""
MAX_LINE_BYTES: Final = 4 * MIB
"""One line of a plugin: far above what a result may hold, so that one that is too large is cut and not killed."""
MAX_STRAY_LINES: Final = 10_000
"""Lines that answer nothing, since the last one that did; a plugin that says more is ended."""
_LOOK_SECONDS: Final = 0.1
_SHUTDOWN: Final = json.dumps({"method": "shutdown"}).encode() + b"\n"

Event = Callable[[str], None]
Attend = Callable[[], bool]


class PluginFailedError(SupervisorError):
    """Say what a plugin did wrong: its session is over, and none of plugseal's own failures is meant."""


class IncompatibleError(PluginFailedError):
    """Say why a plugin does not speak as documented: it is unregistered."""


class AmberSession:
    """A plugin that runs."""

    def __init__(self, session: Session, *, on_event: Event) -> None:
        """Take over a started component.

        Args:
            session: the component.
            on_event: told what the plugin says beside its answers.
        """
        limits = Limits(line_bytes=MAX_LINE_BYTES)
        self.session = session
        self._exchange = Exchange(session, on_event=on_event, limits=limits)
        self._on_event = on_event
        self._number = 0
        self._strays = 0

    @property
    def descriptors(self) -> list[int]:
        """Return what becomes readable when something is to be looked at."""
        return self._exchange.descriptors()[0]

    def greet(self, settings: Mapping[str, object], workspace: str, *, attend: Attend | None = None) -> None:
        """Shake hands.

        Args:
            settings: defaults and overrides together.
            workspace: its canonical path.
            attend: asked now and then whether the call for which this is done is still wanted.

        Raises:
            IncompatibleError: it speaks another protocol, says that it can't work, or answers otherwise.
            PluginFailedError: it does not answer.
            RefusedError: the permission was taken.
        """
        params = {"protocol_version": PROTOCOL_VERSION, "settings": dict(settings), "workspace": workspace}
        try:
            answer = self._ask("initialize", params, LINE_SECONDS, attend)
        except MalformedError as error:
            raise IncompatibleError(f"its handshake breaks the protocol: {error}") from error
        result = answer.get("result")
        if not isinstance(result, dict):
            raise IncompatibleError("it answered the handshake with an error")
        version = result.get("protocol_version")
        if isinstance(version, bool) or version != PROTOCOL_VERSION or not isinstance(version, int):
            told = shown(json.dumps(version), limit=40)
            raise IncompatibleError(f"it speaks protocol version {told}, this host speaks {PROTOCOL_VERSION}")
        if result.get("ok") is not True:
            raise IncompatibleError("it rejected the handshake")

    def call(
        self, tool: str, arguments: Mapping[str, Any], *, seconds: float = LINE_SECONDS, attend: Attend | None = None
    ) -> Envelope:
        """Return a tool's result.

        Args:
            tool: as the plugin calls it.
            arguments: confined.
            seconds: how long it may take to answer with a line.
            attend: asked now and then whether the call is still wanted.

        Raises:
            PluginFailedError: there is no answer, or none that can be believed: the session is over.
            RefusedError: the permission was taken: the session is over.
        """
        try:
            answer = self._ask("tool.call", {"name": tool, "args": dict(arguments)}, seconds, attend)
        except MalformedError as error:
            raise PluginFailedError(f"the plugin broke the protocol and was ended: {error}") from error
        try:
            return parse_result(answer)
        except MalformedError as error:
            return failed(PluginFailedError(f"the plugin's answer is malformed: {error}"))

    def look(self, *, verify: bool = False) -> None:
        """Take what came between calls: nothing of it is ever an answer.

        Args:
            verify: whether the permission is looked at in any case.

        Raises:
            PluginFailedError: it ended, or says too much.
            RefusedError: the permission was taken.
        """
        if verify:
            self._exchange.verify()
        with _told():
            for line in self._exchange.take():
                self._drop(line)
        self.session.child.heed()
        if self._exchange.is_ended or self.session.child.code is not None:
            raise PluginFailedError("the plugin ended by itself")

    def say_goodbye(self) -> None:
        """Tell the plugin to end; it is a notification, and carries nothing that a revoked plugin may not know."""
        _, writing = self._exchange.descriptors()
        with suppress(OSError):
            # Never into the middle of a line that it did not take yet.
            if self.session.child.stdin >= 0 and not writing:
                os.write(self.session.child.stdin, _SHUTDOWN)

    def wait_for_end(self, until: float) -> None:
        """Wait until the plugin ended, and take the choice from one that did not."""
        child = self.session.child
        while child.code is None and child.gone is None and (left := until - time.monotonic()) > 0:
            select.select([child.status], [], [], left)
            child.heed()
        if child.code is None and child.gone is None:
            child.end(at_once=True)

    def _ask(self, method: str, params: Mapping[str, object], seconds: float, attend: Attend | None) -> dict[str, Any]:
        with _told():
            return self._answer(method, params, seconds, attend)

    def _answer(
        self, method: str, params: Mapping[str, object], seconds: float, attend: Attend | None
    ) -> dict[str, Any]:
        for stale in self._exchange.take():
            self._drop(stale)
        self._number += 1
        self._exchange.send({"id": self._number, "method": method, "params": params})
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            line = self._exchange.receive(min(end, now + _LOOK_SECONDS))
            if line is not None and (answer := self._parse(line)) is not None:
                self._strays = 0
                return answer
            if line is None and attend is not None and not attend():
                raise PluginFailedError("the call was cancelled, and the plugin ended")
        raise PluginFailedError(f"the plugin sent no line within {seconds:g} s and was ended")

    def _parse(self, line: bytes) -> dict[str, Any] | None:
        """Return the answer to the newest request, None for anything else that is a message.

        Raises:
            MalformedError: it is no message, or one that can be read in two ways.
        """
        try:
            (frame,) = parse_line(line)
        except RefusedError as error:
            text = shown(line.decode("utf-8", "backslashreplace"), limit=80)
            raise MalformedError(f"{error.message}: {text}") from error
        if frame.is_response and frame.id == str(self._number):
            if "result" not in frame.body and "error" not in frame.body:
                raise MalformedError("an answer without a result")
            return frame.body
        self._drop(line)
        return None

    def _drop(self, line: bytes) -> None:
        self._strays += 1
        if self._strays == 1:
            text = shown(line.decode("utf-8", "backslashreplace"), limit=80)
            self._on_event(f"a line that answers nothing was dropped: {text}")
        if self._strays > MAX_STRAY_LINES:
            raise PluginFailedError(f"the plugin sent more than {MAX_STRAY_LINES:,} lines that answer nothing")


@contextmanager
def _told() -> Iterator[None]:
    """Tell what went wrong with the lines of a plugin as its own failure."""
    try:
        yield
    except PluginFailedError:
        raise
    except SupervisorError as error:
        raise PluginFailedError(error.message) from error
