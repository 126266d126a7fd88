"""One plugin of a host: its process, what it told when it was loaded, and which of its tools are denied."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from plugseal.errors import PlugsealError, RefusedError, SupervisorError
from plugseal.model.decision import Reason
from plugseal.runtime import supervise
from plugseal.runtime.coding.connection import Connection, open_connection
from plugseal.runtime.coding.execution import Patience
from plugseal.runtime.coding.load import Definition
from plugseal.runtime.coding.loading import Loading
from plugseal.runtime.coding.reviewed import Denied, hold_tools, verify_identity
from plugseal.runtime.limits import Limits
from plugseal.trust.store import Store

_MAX_NOTED: Final = 80


@dataclass(frozen=True, slots=True)
class Starter:
    """All that a start needs."""

    supervisor: supervise.Supervisor
    store: Store
    on_event: Callable[[str, str], None]
    """Told (plugin, line)."""
    limits: Limits
    patience: Patience

    def start(self, plugin: str) -> Connection:
        """Start a plugin's process behind the gate.

        Raises:
            RefusedError: the gate refuses.
            SupervisorError: it can't be started.
            StateError: the start can't be recorded.
        """
        return open_connection(
            self.supervisor,
            plugin,
            on_event=lambda text: self.on_event(plugin, text),
            limits=self.limits,
            patience=self.patience,
        )


class Opened:
    """A plugin whose process was started, is being loaded, or may be called."""

    def __init__(self, plugin: str, starter: Starter) -> None:
        """Start the process; `step` loads the plugin.

        Args:
            plugin: its ID.
            starter: starts it.

        Raises:
            PlugsealError: as `Starter.start`.
        """
        self.id = plugin
        self.definition: Definition | None = None
        """What it told when it was loaded first; it must tell the same ever after."""
        self.failure: PlugsealError | None = None
        """Why it could not be loaded, until it is started again."""
        self._starter = starter
        self._denied: Denied | None = None
        self.connection = starter.start(plugin)
        self._loading: Loading | None = Loading(self.connection, seconds=starter.patience.start)

    @property
    def is_loading(self) -> bool:
        """Say whether it is being loaded."""
        return self._loading is not None

    @property
    def refusal(self) -> RefusedError | None:
        """Return why the gate ended it, None if it did not."""
        problem = self.connection.problem
        return problem if isinstance(problem, RefusedError) else None

    def denial_of(self, tool: str) -> str:
        """Return why a tool may not be called, since it is not what was reviewed; empty if it is."""
        return "it is not loaded" if self._denied is None else self._denied(tool)

    def deny(self, reason: Reason, tool: str) -> None:
        """Record that a call was denied before it was sent.

        Raises:
            StateError: it can't be recorded.
        """
        self.connection.session.note("denied", reason.value, f"tool {tool[:_MAX_NOTED]}")

    def start_again(self) -> None:
        """Start the process anew if it ended; it is then loaded by `step`.

        Raises:
            PlugsealError: as `Starter.start`.
        """
        if self.is_loading or self.connection.is_open:
            return
        self.failure = None
        self.connection = self._starter.start(self.id)
        self._loading = Loading(self.connection, seconds=self._starter.patience.start)

    def step(self) -> None:
        """Let its calls, or its loading, go on."""
        self.connection.step()
        if self._loading is None:
            return
        try:
            found = self._loading.step()
            if found is None:
                return
            self._take(found)
        except PlugsealError as error:
            self.failure = error
            self.connection.close()
        self._loading = None

    def close(self) -> None:
        """End the process, politely."""
        self._loading = None
        self.connection.close()

    def _take(self, found: Definition) -> None:
        verify_identity(found, self.connection.session.grant.document)
        before = self.definition
        if before is not None and (before.plugin, before.tools) != (found.plugin, found.tools):
            raise SupervisorError("the plugin was started anew and tells other tools than before")
        self._denied = hold_tools(
            found,
            self.connection.session,
            self._starter.store,
            on_event=lambda text: self._starter.on_event(self.id, text),
        )
        self.definition = found
