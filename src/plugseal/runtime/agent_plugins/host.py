"""All activated servers of the mounted plugins in one host: their tools under their own names, each behind the gate.

A tool's name must be one server's alone. Where two offer it the whole run fails at dispatch, before any call: nobody
could tell which of them a model means. A server that is refused or does not answer keeps no other from its work.
Each server's permission is looked at between calls too; one that loses it is ended with everything below it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, Final

from plugseal.errors import PlugsealError, RefusedError, SupervisorError
from plugseal.records import NamedTuple
from plugseal.runtime.agent_plugins.envelope import NAME as PLUGIN_TOOL
from plugseal.runtime.agent_plugins.link import Bounds, Link, OnEvent, make_link
from plugseal.runtime.limits import Limits
from plugseal.runtime.lines import Attend
from plugseal.runtime.relay import Guard
from plugseal.runtime.supervise import Held, Session
from plugseal.shown import shown

MAX_TOOLS: Final = 4096
"""Of one server."""
START_SECONDS: Final = 30.0
"""A client that starts the host waits for all of its servers."""
MAX_SERVERS: Final = 64
"""Of one host; each is a process with what it starts."""


class Start(NamedTuple):
    """One server that is to be started or reached."""

    server: str
    plugin: str
    open: Callable[[], AbstractContextManager[Session | Held]]
    """Asks the gate; raises its refusal."""


class Host:
    """Start servers, offer their tools, and end them."""

    def __init__(
        self,
        guard: Callable[[Session | Held], Guard],
        *,
        on_event: OnEvent,
        limits: Limits,
        seconds: float,
        start_seconds: float = START_SECONDS,
    ) -> None:
        """Prepare.

        Args:
            guard: from a permission to who looks at its messages.
            on_event: told what servers say on their standard error, and which of them end.
            limits: of their lines.
            seconds: how long the answer to a call may take.
            start_seconds: how long each answer of a start may take.
        """
        self._seconds = seconds
        self._guard = guard
        self._on_event = on_event
        self._bounds = Bounds(limits, start_seconds)
        self._links: dict[str, Link] = {}
        self._owners: dict[str, str] = {}
        self._is_changed = False
        """Whether a server was lost since somebody asked."""
        self._busy = ""
        """The server that works on a call."""
        self._wanted: Attend | None = None
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
            # All are started before the first is asked: they come up side by side.
            for step in (self._open, self._greet):
                for start in wanted:
                    self._take(step, start)
            self._owners = self._unique()
            yield self
        finally:
            for server in list(self._links):
                self._end(server)

    @property
    def servers(self) -> tuple[str, ...]:
        """Return the names of the servers that run."""
        return tuple(self._links)

    def tools(self) -> list[dict[str, Any]]:
        """Return the tools of all servers that run, as each describes its own."""
        return [tool for link in self._links.values() for tool in link.tools]

    def owner_of(self, tool: str) -> str | None:
        """Return the server that offers a tool, None where none that runs does."""
        owner = self._owners.get(tool)
        return owner if owner in self._links else None

    def call(self, tool: str, arguments: Mapping[str, object], *, wanted: Attend | None = None) -> dict[str, Any]:
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
        self._busy, self._wanted = owner, wanted
        try:
            params = {"name": tool, "arguments": dict(arguments)}
            return self._links[owner].asker.ask("tools/call", params, seconds=self._seconds)
        except PlugsealError as error:
            if self._links[owner].is_last(error):
                self._lose(owner, error)
            raise
        finally:
            self._busy, self._wanted = "", None

    def watched(self) -> list[int]:
        """Return the descriptors that become readable when a server says something or its permission changes."""
        return [number for link in self._links.values() for number in link.descriptors()]

    def look(self) -> bool:
        """Hear what servers say unasked, end those whose permission is gone, and say whether any was lost."""
        self._look_at(self._links)
        is_changed, self._is_changed = self._is_changed, False
        return is_changed

    def _attend(self) -> bool:
        """Look at all servers but the one that works on a call, and say whether the call is still wanted."""
        self._look_at(server for server in self._links if server != self._busy)
        return self._wanted is None or self._wanted()

    def _look_at(self, servers: Iterable[str]) -> None:
        for server in list(servers):
            try:
                self._links[server].hear()
            except PlugsealError as error:
                self._lose(server, error)

    def _take(self, step: Callable[[Start], None], start: Start) -> None:
        """Take one step with a server that is not given up, and give it up if that fails."""
        if start.server in self.refused:
            return
        try:
            step(start)
        except PlugsealError as error:
            self.refused[start.server] = error
            if start.server in self._links:
                self._end(start.server)
            self._on_event(f"{start.server} of {start.plugin} does not start: {error.message}")
        finally:
            self._busy = ""

    def _open(self, start: Start) -> None:
        with ExitStack() as stack:
            held = stack.enter_context(start.open())
            tell = self._prefixed(start.server)
            guard = self._guard(held)
            link = make_link(held, stack, guard=guard, attend=self._attend, on_event=tell, bounds=self._bounds)
            link.stack = stack.pop_all()
            self._links[start.server] = link

    def _greet(self, start: Start) -> None:
        link, self._busy = self._links[start.server], start.server
        try:
            link.asker.shake_hands()
            link.tools = _usable(start.server, link.asker.list_all("tools/list", "tools"))
        except RefusedError as error:
            link.held.refusal = link.held.refusal or error
            raise

    def _unique(self) -> dict[str, str]:
        owners = {PLUGIN_TOOL: "the host itself"}
        for server, name in ((server, tool["name"]) for server, link in self._links.items() for tool in link.tools):
            if name in owners:
                raise SupervisorError(
                    f"duplicate MCP tool name: {shown(name)}",
                    details=(f"offered by {owners[name]}", f"offered by {server}"),
                    hint="select one of the plugins with `--plugins`, or have one of the tools renamed",
                )
            owners[name] = server
        return owners

    def _lose(self, server: str, error: PlugsealError) -> None:
        self.refused[server] = error
        self._is_changed = True
        self._end(server)
        self._on_event(f"{server} ended: {error.message}")

    def _end(self, server: str) -> None:
        self._links.pop(server).stack.close()

    def _prefixed(self, server: str) -> OnEvent:
        return lambda text: self._on_event(f"{server}: {text}")


def _usable(server: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return tools that can be called; one without a name is nobody's to call."""
    if len(rows) > MAX_TOOLS:
        raise SupervisorError(f"{server} offers more than {MAX_TOOLS:,} tools")
    return [row for row in rows if isinstance(row.get("name"), str) and row["name"]]
