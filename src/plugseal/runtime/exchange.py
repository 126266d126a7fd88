"""Lines to a started component and lines back, under its permission: what every protocol over stdio is built on.

The permission is looked at before each line goes out and whenever the record changes. What the program says on its
standard error goes to the user as text that can't harm a screen; it is never an answer. Nothing here knows a protocol.
"""

from __future__ import annotations

import json
import select
import time
from collections.abc import Callable, Mapping
from typing import Final

from plugseal.errors import RefusedError, SupervisorError
from plugseal.runtime.limits import Limits
from plugseal.runtime.lines import Attend, UnwantedError
from plugseal.runtime.streams import Inlet, Outlet
from plugseal.runtime.supervise import Session
from plugseal.shown import shown

_LOOK_SECONDS: Final = 0.05
_MAX_SHOWN: Final = 2000
"""Characters of one line of standard error."""


class Exchange:
    """Talk to one started component by lines."""

    def __init__(
        self,
        session: Session,
        *,
        on_event: Callable[[str], None],
        limits: Limits = Limits(),  # noqa: B008  # a constant tuple
        attend: Attend | None = None,
    ) -> None:
        """Take over the streams of a session.

        Args:
            session: the started component.
            on_event: told the lines of its standard error.
            limits: of its lines.
            attend: asked while an answer is waited for.
        """
        child = session.child
        self.session = session
        self._on_event = on_event
        self._attend = attend
        self._to = Outlet(child.stdin)
        self._from = Inlet(child.stdout, max_line=limits.line_bytes)
        self._errors = Inlet(child.stderr, max_line=limits.line_bytes)
        self._error_bytes = limits.error_bytes
        self._lines: list[bytes] = []

    @property
    def is_ended(self) -> bool:
        """Say whether the program closed its output and every line of it was received."""
        return self._from.is_ended and not self._lines

    @property
    def is_deaf(self) -> bool:
        """Say whether the program was found to have closed its input."""
        return self._to.is_broken

    def send(self, body: Mapping[str, object] | bytes) -> None:
        """Send one line, if it is still permitted.

        Args:
            body: an object that is written as one line of JSON, or the bytes of a line without its end.

        Raises:
            RefusedError: the permission was taken.
            SupervisorError: too much waits for a program that does not read.
        """
        self.verify()
        line = body if isinstance(body, bytes) else json.dumps(body).encode("ascii")
        self._to.write(line + b"\n")

    def receive(self, until: float) -> bytes | None:
        """Return the next line that is not blank, without its end; None where none came in time.

        Args:
            until: a moment of `time.monotonic`.

        Raises:
            RefusedError: the permission was taken meanwhile.
            SupervisorError: the program ended, a line is too long, or nobody wants it any more.
        """
        while not self._lines:
            if self._attend is not None and not self._attend():
                raise UnwantedError()
            left = until - time.monotonic()
            if left <= 0:
                return None
            if self._from.is_ended:
                raise SupervisorError("the program ended without an answer")
            self._wait(min(left, _LOOK_SECONDS))
        return self._lines.pop(0)

    def take(self) -> list[bytes]:
        """Return the lines that are there now and not blank, without their ends; never waits.

        For a host that looks after several programs at once: it waits for all their `descriptors` in one place.

        Raises:
            RefusedError: the permission was taken meanwhile.
            SupervisorError: a line is too long.
        """
        self._wait(0.0)
        lines, self._lines = self._lines, []
        return lines

    def descriptors(self) -> tuple[list[int], list[int]]:
        """Return what to wait for before the next `take`: descriptors to read from, and to write to."""
        reading = [inlet.descriptor for inlet in (self._from, self._errors) if not inlet.is_ended]
        watch = self.session.watch.descriptor
        return reading + ([] if watch is None else [watch]), [self._to.descriptor] if self._to.is_waiting else []

    def verify(self) -> None:
        """Refuse to go on once the permission is gone; the session then ends at once.

        Raises:
            RefusedError: it was taken.
        """
        try:
            self.session.verify()
        except RefusedError as error:
            self.session.refusal = error
            raise

    def _wait(self, seconds: float) -> None:
        inlets = [inlet.descriptor for inlet in (self._from, self._errors) if not inlet.is_ended]
        writing = [self._to.descriptor] if self._to.is_waiting else []
        ready, free, _ = select.select(inlets, writing, [], seconds)
        if free:
            self._to.flush()
        if self.session.watch.changed():
            self.verify()
        if self._errors.descriptor in ready:
            self._tell(self._errors.read())
        if self._from.descriptor in ready:
            self._lines += [line for line in self._from.read() if line.strip()]

    def _tell(self, lines: list[bytes]) -> None:
        for line in lines:
            if self._error_bytes <= 0:
                return
            self._error_bytes -= len(line)
            self._on_event(shown(line.decode("utf-8", "backslashreplace"), limit=_MAX_SHOWN))
