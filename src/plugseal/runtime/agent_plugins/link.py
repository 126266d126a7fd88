"""The connection to one activated server, started here or reached by its reviewed URL, and what is heard on it.

A URL and its headers are sent as they were reviewed: nothing in them is expanded (7.2.1), and nothing leaves the
reviewed origin. A line that is no message at all is told and dropped: many a server greets whoever reads, and no such
line can be an answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from typing import Any, Final

from plugseal.errors import PlugsealError, RefusedError, SupervisorError
from plugseal.patterns import lazy
from plugseal.records import NamedTuple
from plugseal.runtime.caller import Asker
from plugseal.runtime.exchange import Exchange
from plugseal.runtime.frames import parse_line
from plugseal.runtime.limits import Limits
from plugseal.runtime.lines import Attend, Lines
from plugseal.runtime.relay import Guard
from plugseal.runtime.supervise import Held, Session

_SLICE_SECONDS: Final = 0.05
_VARIABLE: Final = lazy(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")

OnEvent = Callable[[str], None]


class Bounds(NamedTuple):
    """How much and how long."""

    limits: Limits
    """Of a program's lines."""
    seconds: float
    """How long an answer may take."""


class Link:
    """One connection whose permission is held."""

    def __init__(self, held: Session | Held, asker: Asker, exchange: Exchange | None, on_event: OnEvent) -> None:
        """Take over what was made; nothing is sent yet.

        Args:
            held: the permission.
            asker: over its lines.
            exchange: its lines, where it is a program.
            on_event: told lines that are no messages.
        """
        self.held = held
        self.asker = asker
        self.tools: list[dict[str, Any]] = []
        self.stack = ExitStack()
        """Ends it."""
        self._exchange = exchange
        self._on_event = on_event

    @property
    def is_lost(self) -> bool:
        """Say whether nothing can be asked of it any more."""
        return self.held.refusal is not None or (self._exchange is not None and self._exchange.is_ended)

    def is_last(self, error: PlugsealError) -> bool:
        """Say whether a failed call was the last of this connection: its permission is gone, or the server is."""
        if self.is_lost:
            return True
        if self._exchange is None:
            from plugseal.runtime.remote.streamable import SessionGoneError

            if isinstance(error, SessionGoneError):
                return True
        try:
            self.verify()
        except RefusedError:
            return True
        return False

    def descriptors(self) -> list[int]:
        """Return what becomes readable when it says something, or when its permission changes."""
        if self._exchange is not None:
            return self._exchange.descriptors()[0]
        watch = self.held.watch.descriptor
        return [] if watch is None else [watch]

    def hear(self) -> None:
        """Take what it says unasked, and look at its permission.

        Raises:
            RefusedError: the permission was taken.
            SupervisorError: it ended.
        """
        if self._exchange is None:
            if self.held.watch.changed():
                self.verify()
            return
        for line in self._exchange.take():
            try:
                frames = parse_line(line)
            except RefusedError as error:
                self._on_event(f"a line was refused: {error.message}")
                continue
            for frame in frames:
                self.asker.hear(frame)
        if self._exchange.is_ended:
            raise SupervisorError("the server ended")

    def verify(self) -> None:
        """Refuse to go on once the permission is gone.

        Raises:
            RefusedError: it was taken.
        """
        try:
            self.held.verify()
        except RefusedError as error:
            self.held.refusal = error
            raise


def make_link(
    held: Session | Held, stack: ExitStack, *, guard: Guard, attend: Attend, on_event: OnEvent, bounds: Bounds
) -> Link:
    """Return the connection of a permission; the handshake is still to be done.

    Args:
        held: of a started program, or of a remote server.
        stack: closes what is opened here.
        guard: who looks at messages.
        attend: asked while an answer is waited for.
        on_event: told what a program says on its standard error, and lines that are no messages.
        bounds: of lines and answers.

    Raises:
        RefusedError: its address or a header may not be asked.
    """
    if isinstance(held, Session):
        exchange = Exchange(held, on_event=on_event, limits=bounds.limits)
        near = _Attentive(exchange, attend, on_event)
        return Link(held, Asker(near, guard=guard, seconds=bounds.seconds), exchange, on_event)
    far = _far(held, stack, attend, bounds.seconds)
    return Link(held, Asker(far, guard=guard, seconds=bounds.seconds), None, on_event)


def _far(held: Held, stack: ExitStack, attend: Attend, seconds: float) -> Lines:
    """Return the lines to a remote server; what reaches one is loaded only here."""
    from plugseal.runtime.remote.endpoint import reviewed_endpoint
    from plugseal.runtime.remote.headers import reviewed_headers
    from plugseal.runtime.remote.http import Http
    from plugseal.runtime.remote.patience import Patience
    from plugseal.runtime.remote.sse import EventsAndPosts
    from plugseal.runtime.remote.streamable import StreamableHttp

    component = held.grant.component
    http = Http(
        reviewed_endpoint(component.endpoint or ""),
        headers=reviewed_headers(component.headers, _as_written(component.headers)),
        patience=Patience(held.verify, changed=held.watch.changed, attend=attend),
    )
    far = (EventsAndPosts if component.transport == "sse" else StreamableHttp)(http, seconds=seconds)
    stack.callback(far.close)
    return far


def _as_written(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return variables that stand for themselves: what looks like one in a header is text."""
    return {name: f"${{{name}}}" for _, text in headers for name in _VARIABLE.findall(text)}


class _Attentive:
    """Lines to a program during which somebody else is heard too."""

    def __init__(self, exchange: Exchange, attend: Attend, on_event: OnEvent) -> None:
        self._exchange = exchange
        self._attend = attend
        self._on_event = on_event

    def send(self, body: Mapping[str, object] | bytes) -> None:
        self._exchange.send(body)

    def receive(self, until: float) -> bytes | None:
        while True:
            line = self._exchange.receive(min(until, time.monotonic() + _SLICE_SECONDS))
            if line is not None and not line.lstrip().startswith(b"{"):
                self._on_event("a line was refused: it is no message")
                continue
            if line is not None or time.monotonic() >= until:
                return line
            if not self._attend():
                return None  # as if it had taken too long: the server is told that it is cancelled
