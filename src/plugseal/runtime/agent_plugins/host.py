"""All activated servers of the mounted plugins in one host: their tools under their own names, each behind the gate.

A tool's name must be one server's alone. Where two offer it the whole run fails at dispatch, before any call: nobody
could tell which of them a model means. A server that is refused or does not answer keeps no other from its work.
Each server's permission is looked at between calls too; one that loses it is ended with everything below it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, Final, NamedTuple

from plugseal.errors import PlugsealError, RefusedError, SupervisorError
from plugseal.runtime.agent_plugins.envelope import NAME as PLUGIN_TOOL
from plugseal.runtime.caller import Asker
from plugseal.runtime.exchange import Exchange
from plugseal.runtime.frames import parse_line
from plugseal.runtime.limits import Limits
from plugseal.runtime.relay import Guard
from plugseal.runtime.supervise import Session
from plugseal.shown import shown

MAX_TOOLS: Final = 4096
"""Of one server."""
MAX_SERVERS: Final = 64
"""Of one host; each is a process with what it starts."""
_SLICE_SECONDS: Final = 0.05

Spawn = Callable[[], AbstractContextManager[Session]]
Wanted = Callable[[], bool]


class Start(NamedTuple):
    """One server that is to be started."""

    server: str
    plugin: str
    spawn: Spawn
    """Asks the gate; raises its refusal."""


class _Running:
    """One started server."""

    def __init__(self, stack: ExitStack, session: Session, exchange: Exchange, lines: _Attentive, asker: Asker) -> None:
        self.stack = stack
        self.session = session
        self.exchange = exchange
        self.lines = lines
        self.asker = asker
        self.tools: list[dict[str, Any]] = []


class Host:
    """Start servers, offer their tools, and end them."""

    def __init__(
        self,
        guard: Callable[[Session], Guard],
        *,
        on_event: Callable[[str], None],
        limits: Limits,
        seconds: float,
    ) -> None:
        """Prepare.

        Args:
            guard: from a session to who looks at its messages.
            on_event: told what servers say on their standard error, and which of them end.
            limits: of their lines.
            seconds: how long an answer may take.
        """
        self._guard = guard
        self._on_event = on_event
        self._limits = limits
        self._seconds = seconds
        self._running: dict[str, _Running] = {}
        self._owners: dict[str, str] = {}
        self._is_changed = False
        """Whether a server was lost since somebody asked."""
        self.refused: dict[str, PlugsealError] = {}
        """By server: why it does not run."""

    @contextmanager
    def dispatch(self, starts: Iterable[Start]) -> Iterator[Host]:
        """Start servers, and end them all at the end of the block.

        Args:
            starts: which.

        Raises:
            SupervisorError: two of them offer a tool of the same name, or there are too many.
        """
        wanted = list(starts)
        if len(wanted) > MAX_SERVERS:
            raise SupervisorError(
                f"{len(wanted)} servers are activated, {MAX_SERVERS} can run", hint="select plugins with `--plugins`"
            )
        try:
            for start in wanted:
                try:
                    self._running[start.server] = self._start(start)
                except PlugsealError as error:
                    self.refused[start.server] = error
                    self._on_event(f"{start.server} of {start.plugin} does not start: {error.message}")
            self._owners = self._unique()
            yield self
        finally:
            for server in list(self._running):
                self._end(server)

    @property
    def servers(self) -> tuple[str, ...]:
        """Return the names of the servers that run."""
        return tuple(self._running)

    def tools(self) -> list[dict[str, Any]]:
        """Return the tools of all servers that run, as each describes its own."""
        return [tool for running in self._running.values() for tool in running.tools]

    def owner_of(self, tool: str) -> str | None:
        """Return the server that offers a tool, None where none that runs does."""
        owner = self._owners.get(tool)
        return owner if owner in self._running else None

    def call(self, tool: str, arguments: Mapping[str, object], *, wanted: Wanted | None = None) -> dict[str, Any]:
        """Return the server's whole answer to one call.

        Args:
            tool: its name.
            arguments: of the call.
            wanted: asked now and then, says whether the call is still wanted.

        Raises:
            RefusedError: the permission is gone, or the tool is not what was approved.
            SupervisorError: nobody offers it, or the server does not answer.
        """
        owner = self.owner_of(tool)
        if owner is None:
            raise self.refused.get(self._owners.get(tool, "")) or SupervisorError(
                f"no server that runs offers `{shown(tool)}`"
            )
        running = self._running[owner]
        running.lines.wanted = lambda: self._attend(owner, wanted)
        try:
            return running.asker.ask("tools/call", {"name": tool, "arguments": dict(arguments)})
        except PlugsealError as error:
            if running.session.refusal is not None or running.exchange.is_ended:
                self._lose(owner, error)
            raise
        finally:
            running.lines.wanted = None

    def watched(self) -> list[int]:
        """Return the descriptors that become readable when a server says something or its permission changes."""
        return [number for running in self._running.values() for number in running.exchange.descriptors()[0]]

    def look(self) -> bool:
        """Hear what servers say unasked, end those whose permission is gone, and say whether any was lost."""
        self._look_at(self._running)
        is_changed, self._is_changed = self._is_changed, False
        return is_changed

    def _attend(self, busy: str, wanted: Wanted | None) -> bool:
        """Look at all servers but the one that works on a call, and say whether the call is still wanted."""
        self._look_at(server for server in self._running if server != busy)
        return wanted is None or wanted()

    def _look_at(self, servers: Iterable[str]) -> None:
        for server in list(servers):
            try:
                self._hear(server, self._running[server])
            except PlugsealError as error:
                self._lose(server, error)

    def _start(self, start: Start) -> _Running:
        with ExitStack() as stack:
            session = stack.enter_context(start.spawn())
            try:
                guard = self._guard(session)
                tell = self._prefixed(start.server)
                exchange = Exchange(session, on_event=tell, limits=self._limits)
                lines = _Attentive(exchange, tell)
                asker = Asker(lines, guard=guard, seconds=self._seconds)
                running = _Running(stack, session, exchange, lines, asker)
                running.asker.shake_hands()
                running.tools = self._usable(start.server, running.asker.list_all("tools/list", "tools"))
            except RefusedError as error:
                session.refusal = session.refusal or error
                raise
            running.stack = stack.pop_all()
            return running

    def _usable(self, server: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return tools that can be called; one without a name is nobody's to call."""
        if len(rows) > MAX_TOOLS:
            raise SupervisorError(f"{server} offers more than {MAX_TOOLS:,} tools")
        return [row for row in rows if isinstance(row.get("name"), str) and row["name"]]

    def _unique(self) -> dict[str, str]:
        owners = {PLUGIN_TOOL: "the host itself"}
        for server, name in ((server, tool["name"]) for server, one in self._running.items() for tool in one.tools):
            if name in owners:
                raise SupervisorError(
                    f"duplicate MCP tool name: {shown(name)}",
                    details=(f"offered by {owners[name]}", f"offered by {server}"),
                    hint="select one of the plugins with `--plugins`, or have one of the tools renamed",
                )
            owners[name] = server
        return owners

    def _hear(self, server: str, running: _Running) -> None:
        for line in running.exchange.take():
            try:
                frames = parse_line(line)
            except RefusedError as error:
                self._on_event(f"{server}: a line was refused: {error.message}")
                continue
            for frame in frames:
                running.asker.hear(frame)
        if running.exchange.is_ended:
            raise SupervisorError("the server ended")

    def _lose(self, server: str, error: PlugsealError) -> None:
        self.refused[server] = error
        self._is_changed = True
        self._end(server)
        self._on_event(f"{server} ended: {error.message}")

    def _end(self, server: str) -> None:
        self._running.pop(server).stack.close()

    def _prefixed(self, server: str) -> Callable[[str], None]:
        return lambda text: self._on_event(f"{server}: {text}")


class _Attentive:
    """Lines to a server during which somebody else is heard too; a line that is no message at all is told and dropped.

    Many a server greets whoever reads; no such line can be an answer.
    """

    def __init__(self, exchange: Exchange, on_event: Callable[[str], None]) -> None:
        self._exchange = exchange
        self._on_event = on_event
        self.wanted: Wanted | None = None

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
            if self.wanted is not None and not self.wanted():
                return None  # as if it had taken too long: the server is told that it is cancelled
