"""One plugin of a host: its process, what it told when it was loaded, and which of its tools are denied."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from plugseal import __version__
from plugseal.errors import SupervisorError
from plugseal.model.decision import Reason
from plugseal.runtime import supervise
from plugseal.runtime.coding.connection import Connection, open_connection
from plugseal.runtime.coding.contract import HostInfo
from plugseal.runtime.coding.execution import Patience
from plugseal.runtime.coding.load import Definition, load
from plugseal.runtime.coding.reviewed import Denied, hold_tools, verify_identity
from plugseal.runtime.limits import Limits
from plugseal.trust.store import Store

_MAX_NOTED: Final = 80
HOST: Final = HostInfo("plugseal", __version__)


@dataclass(frozen=True, slots=True)
class Starter:
    """Starts plugins, each with all that a start needs."""

    supervisor: supervise.Supervisor
    store: Store
    on_event: Callable[[str, str], None]
    """Told (plugin, line)."""
    limits: Limits
    patience: Patience

    def start(self, plugin: str) -> Opened:
        """Start a plugin, load it, and hold it to what was reviewed.

        Raises:
            RefusedError: the gate refuses.
            SupervisorError: it can't be started, breaks the contract, or says that it is another.
            StateError: what is pinned can't be believed.
        """

        def tell(text: str) -> None:
            self.on_event(plugin, text)

        connection = open_connection(self.supervisor, plugin, on_event=tell, limits=self.limits, patience=self.patience)
        try:
            definition = load(connection, HOST)
            verify_identity(definition, connection.session.grant.document)
            denied = hold_tools(definition, connection.session, self.store, on_event=tell)
        except BaseException:
            connection.close()
            raise
        return Opened(plugin, definition, connection, denied)


@dataclass(slots=True)
class Opened:
    """A plugin whose process was started."""

    id: str
    definition: Definition
    connection: Connection
    denied: Denied

    def deny(self, reason: Reason, tool: str) -> None:
        """Record that a call was denied before it was sent.

        Raises:
            StateError: it can't be recorded.
        """
        self.connection.session.note("denied", reason.value, f"tool {tool[:_MAX_NOTED]}")

    def start_again(self, starter: Starter) -> None:
        """Start the process anew if it ended; it must tell the same as the first time.

        Raises:
            RefusedError: the gate refuses.
            SupervisorError: it can't be started, or is another now.
            StateError: what is pinned can't be believed.
        """
        if self.connection.is_open:
            return
        again = starter.start(self.id)
        before, now = self.definition, again.definition
        if (before.plugin, before.tools) != (now.plugin, now.tools):
            again.connection.close()
            raise SupervisorError("the plugin was started anew and tells other tools than before")
        self.definition, self.connection, self.denied = now, again.connection, again.denied
