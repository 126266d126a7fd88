"""The MCP servers of one start: connected when first needed, asked under their authority, gone when it is.

Rules
- A bundle that is not active is denied here again, whatever a registry said when it was built.
- Before a connection, before each operation and before anything cached is shown, the whole authority is looked at:
  workspace, source, copy, receipt, generation. During an operation the record is watched: a transition ends it at once.
- What drifted is dropped: the connection with everything below it, and what was cached of it.
- Every failure says how to begin again, and nothing of an address, a header, an argument or a variable.

One thread: `heed` ends what idles under an authority that is gone; a host calls it when a descriptor is readable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from plugseal.errors import PlugsealError, RefusedError, StateError, SupervisorError, UsageError
from plugseal.model.decision import Reason
from plugseal.runtime.caller import Asker
from plugseal.runtime.codewhale.authority import AGAIN, refused
from plugseal.runtime.codewhale.host import Host
from plugseal.runtime.codewhale.link import Around, Link, open_link
from plugseal.runtime.codewhale.names import server_id
from plugseal.runtime.codewhale.quiet import Hush
from plugseal.runtime.codewhale.registry import Registry
from plugseal.runtime.codewhale.server import Server, reviewed_server
from plugseal.runtime.lines import Attend
from plugseal.runtime.remote.streamable import SessionGoneError

MANIFEST: Final = "plugin.toml"
LISTS: Final[Mapping[str, tuple[str, str, str]]] = {
    "tools": ("tools/list", "tools", "tools"),
    "resources": ("resources/list", "resources", "resources"),
    "templates": ("resources/templates/list", "resourceTemplates", "resources"),
    "prompts": ("prompts/list", "prompts", "prompts"),
}
"""Kind to (method, key of the rows, ability that a server must say it has)."""
_TOLD: Final = frozenset({Reason.VARIABLE_MISSING.value, Reason.TOOL_DRIFTED.value})
"""Reasons whose own words name nothing but variables and tools."""
Row = dict[str, Any]
_T = TypeVar("_T")


class Pool:
    """Servers of one registry."""

    def __init__(
        self, registry: Registry, host: Host, *, on_event: Callable[[str], None], authorities: str | None = None
    ) -> None:
        """Take the servers of bundles whose authority holds now; nothing is connected.

        Args:
            registry: of this start.
            host: of this start.
            on_event: told what is left out, and what the pins find.
            authorities: certificates in PEM that alone are believed of remote servers; None for the system's.
        """
        self._host = host
        self._registry = registry
        self._on_event = on_event
        self._around = Around(on_event, self._is_wanted, authorities)
        self.attend: Attend | None = None
        """Asked while a server is waited for; False gives the operation up."""
        self._servers: dict[str, Server] = {}
        self._hushes: dict[str, Hush] = {}
        self._links: dict[str, Link] = {}
        self._cached: dict[tuple[str, str], list[Row]] = {}
        self._told: dict[str, str] = {}
        """The latest failure of each server, which is not told again as long as it lasts."""
        for entry in registry.active():
            if entry.authority is None or entry.admission is None:
                continue
            try:
                # Once more, for whoever hands a registry of before to a pool of now.
                admission = host.verify(entry.authority, "to add the servers")
            except RefusedError as error:
                on_event(error.message)
                continue
            for component in admission.document.components:
                if component.kind == "server" and component.file == MANIFEST and component.transport:
                    self._add(reviewed_server(component, entry.authority))

    def servers(self) -> tuple[Server, ...]:
        """Return the servers whose authority holds now, by ID."""
        return tuple(server for _, server in sorted(self._servers.items()) if self._holds(server))

    def rows(self, kind: str) -> dict[str, list[Row]]:
        """Return what the servers have of a kind, by server; one that fails is left out and said.

        Args:
            kind: `tools`, `resources`, `templates` or `prompts`.
        """
        found: dict[str, list[Row]] = {}
        for name in sorted(self._servers):
            try:
                found[name] = self.rows_of(name, kind)
            except PlugsealError as error:
                self._tell_once(name, error)
            else:
                self._told.pop(name, None)
        return found

    def rows_of(self, server: str, kind: str) -> list[Row]:
        """Return what one server has of a kind, from the cache where it was asked for before.

        Raises:
            UsageError: there is no such server.
            RefusedError: its authority does not hold any more, or the gate refuses.
            SupervisorError: it can't be started or reached, or does not answer.
        """
        one = self._find(server)
        method, key, ability = LISTS[kind]
        cached = self._cached.get((one.id, kind))
        if cached is not None:
            self._verify(one, f"to show the {kind} of the server `{one.id}`")
            return cached

        def ask(asker: Asker) -> list[Row]:
            has = kind == "tools" or ability in asker.abilities
            return asker.list_all(method, key) if has else []

        rows = self._operate(one, f"to ask for the {kind} of the server `{one.id}`", ask)
        if kind == "tools":
            rows = [row for row in rows if one.shows(row.get("name"))]
        self._cached[(one.id, kind)] = rows
        return rows

    def call_tool(self, server: str, tool: str, arguments: Mapping[str, object]) -> Row:
        """Return the whole answer to one call.

        Raises:
            PlugsealError: as `rows_of`; a `RefusedError` too where the tool is hidden or not what was approved.
        """
        one = self._find(server)
        if not one.shows(tool):
            operation = f"to call a tool of the server `{one.id}`"
            raise refused(one.authority.bundle, operation, Reason.POLICY_DENIES, "its reviewed filters hide that tool")
        return self._ask(one, "tools/call", {"name": tool, "arguments": dict(arguments)})

    def read_resource(self, server: str, uri: str) -> Row:
        """Return the whole answer to one reading.

        Raises:
            PlugsealError: as `rows_of`.
        """
        return self._ask(self._find(server), "resources/read", {"uri": uri})

    def get_prompt(self, server: str, name: str, arguments: Mapping[str, str]) -> Row:
        """Return the whole answer to one prompt.

        Raises:
            PlugsealError: as `rows_of`.
        """
        self.rows_of(server, "prompts")
        return self._ask(self._find(server), "prompts/get", {"name": name, "arguments": dict(arguments)})

    def descriptors(self) -> tuple[int, ...]:
        """Return what becomes readable when a record changes: then call `heed`."""
        return tuple(link.descriptor for link in self._links.values() if link.descriptor is not None)

    def heed(self) -> bool:
        """End the connections whose permission is gone, and say whether there were any."""
        gone = [(name, why) for name, link in self._links.items() if (why := link.check()) is not None]
        for name, why in gone:
            self._drop(self._servers[name], why)
            self._on_event(f"server {name} was ended: {why.reason}")
        return bool(gone)

    def connect_required(self) -> None:
        """Connect the servers that a bundle says it can't do without.

        Raises:
            PlugsealError: as `rows_of`, for the first that fails.
        """
        for server in self.servers():
            if server.is_required:
                self.rows_of(server.id, "tools")

    def close(self) -> None:
        """End every connection, with everything below it."""
        for name in list(self._links):
            self._drop(self._servers[name], None)

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _tell_once(self, name: str, error: PlugsealError) -> None:
        if self._told.get(name) != error.code:
            self._told[name] = error.code
            self._on_event(error.message)

    def _is_wanted(self) -> bool:
        return self.attend is None or self.attend()

    def _add(self, server: Server) -> None:
        if server.is_enabled:
            self._servers[server.id] = server
            self._hushes[server.id] = Hush(server.component, self._host.variables)

    def _find(self, name: str) -> Server:
        found = self._servers.get(name)
        if found is None:
            why = self._registry.refusal(lambda bundle: server_id(bundle, ""), name, f"to ask the server `{name}`")
            if why is not None:
                raise why
            hint = "see those that are there with `plugseal codewhale mcp list`"
            raise UsageError(f"no active bundle has a server `{name}`", hint=hint)
        return found

    def _ask(self, server: Server, method: str, params: Mapping[str, object]) -> Row:
        def ask(asker: Asker) -> Row:
            return asker.ask(method, params, seconds=server.execute_seconds)

        answer = self._operate(server, f"to ask the server `{server.id}` ({method})", ask, label=server.label)
        return self._hushes[server.id].quiet_answer(answer)

    def _operate(self, server: Server, operation: str, act: Callable[[Asker], _T], *, label: str = "") -> _T:
        """Do one thing with a server, under everything that must hold for it."""
        self._verify(server, operation, label=label)
        try:
            try:
                return act(self._linked(server).asker)
            except SessionGoneError:
                # The server forgot the session before it looked at the request: nothing was done yet.
                self._drop(server, None)
                return act(self._linked(server).asker)
        except RefusedError as error:
            if error.reason != Reason.TOOL_DRIFTED.value:
                self._drop(server, error)
            told = self._hushes[server.id].quiet(error.message) if error.reason in _TOLD else ""
            raise refused(server.authority.bundle, operation, Reason(error.reason), told) from None
        except (SupervisorError, StateError) as error:
            self._drop(server, None)
            raise self._failed(server, operation, error) from None

    def _linked(self, server: Server) -> Link:
        link = self._links.get(server.id)
        if link is None:
            link = open_link(server, self._host, self._around)
            self._links[server.id] = link
            # The pins hold a server to the tools that it showed: they are asked for first, whoever asks what.
            rows = link.asker.list_all("tools/list", "tools") if "tools" in link.asker.abilities else []
            self._cached[(server.id, "tools")] = [row for row in rows if server.shows(row.get("name"))]
        return link

    def _failed(self, server: Server, operation: str, error: PlugsealError) -> SupervisorError:
        told = self._hushes[server.id].quiet(error.message)
        bundle = server.authority.bundle
        return SupervisorError(f"failed {operation} of bundle `{bundle}`: {told}", hint=AGAIN.replace("{name}", bundle))

    def _verify(self, server: Server, operation: str, *, label: str = "") -> None:
        try:
            self._host.verify(server.authority, operation, label=label)
        except RefusedError as error:
            self._drop(server, error)
            raise

    def _holds(self, server: Server) -> bool:
        try:
            self._verify(server, f"to show the server `{server.id}`")
        except RefusedError:
            return False
        return True

    def _drop(self, server: Server, why: RefusedError | None) -> None:
        """End a connection and forget what is cached of its server."""
        for kind in LISTS:
            self._cached.pop((server.id, kind), None)
        link = self._links.pop(server.id, None)
        if link is not None:
            link.close(why)
