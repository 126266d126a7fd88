"""The contract over stdio: a plugin that was started behind the gate is a `Supervisor`.

See: `docs/reference/coding-stdio.md`
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack

from plugseal.errors import SupervisorError
from plugseal.runtime import supervise
from plugseal.runtime.coding.contract import (
    CancelRequest,
    CancelResponse,
    Context,
    ExecuteRequest,
    InitializeRequest,
    InitializeResponse,
    ListToolsRequest,
    ListToolsResponse,
    OnProgress,
    ProgressNotification,
    Result,
)
from plugseal.runtime.coding.execution import Patience
from plugseal.runtime.coding.inflight import InFlight
from plugseal.runtime.coding.talk import Talk, result_of
from plugseal.runtime.coding.wire import (
    build_cancel,
    build_initialize,
    parse_cancelled,
    parse_initialized,
    parse_tools,
)
from plugseal.runtime.limits import Limits


def open_connection(
    supervisor: supervise.Supervisor,
    plugin: str,
    *,
    on_event: Callable[[str], None],
    limits: Limits = Limits(),  # noqa: B008  # a constant tuple
    patience: Patience = Patience(),  # noqa: B008  # a constant tuple
) -> Connection:
    """Start a plugin's process behind the gate and return the connection to it; close it.

    Args:
        supervisor: starts it.
        plugin: its ID.
        on_event: told the lines of its standard error, and what is dropped.
        limits: of its lines.
        patience: how long it may take.

    Raises:
        RefusedError: the gate refuses.
        SupervisorError: it can't be started.
    """
    with ExitStack() as stack:
        session = stack.enter_context(supervisor.spawn(plugin))
        talk = Talk(session, stack.pop_all(), on_event=on_event, limits=limits)
    return Connection(talk, session, on_event=on_event, patience=patience)


class Connection(InFlight):
    """A started plugin: a `Supervisor` whose calls may also be begun without waiting, and driven by `step`."""

    def initialize(self, context: Context, request: InitializeRequest) -> InitializeResponse:
        """Begin to talk.

        Raises:
            PlugsealError: it does not answer as it should.
        """
        return parse_initialized(self._ask(context, "initialize", build_initialize(request), self._patience.start))

    def list_tools(self, context: Context, request: ListToolsRequest) -> ListToolsResponse:
        """Return the plugin's tools.

        Raises:
            PlugsealError: it does not answer as it should.
        """
        del request
        return parse_tools(self._ask(context, "listTools", {}, self._patience.start))

    def execute(self, context: Context, request: ExecuteRequest, on_progress: OnProgress) -> Result:
        """Make one call and return its end.

        Raises:
            PlugsealError: the plugin does not answer as it should, or may not run any more.
        """
        execution = self.begin(context, request, on_progress)
        try:
            while not execution.is_over:
                self.wait()
        except BaseException:
            # Its caller goes away in the middle: the plugin is asked to stop, and made to.
            context.cancel()
            execution.on_progress = _unheard
            while not execution.is_over:
                self.wait()
            raise
        return execution.end()

    def cancel(self, context: Context, request: CancelRequest) -> CancelResponse:
        """Ask the plugin to stop a call, and return its answer; the call itself ends by its own result.

        Raises:
            PlugsealError: it does not answer as it should.
        """
        return parse_cancelled(self._ask(context, "cancel", build_cancel(request), self._patience.cancel))

    def _ask(self, context: Context, method: str, params: Mapping[str, object], seconds: float) -> object:
        """Send a request and wait for its answer."""
        number = self.ask(method, params)
        end = time.monotonic() + seconds
        try:
            while (found := self.answer_to(number)) is None:
                if context.is_cancelled:
                    raise SupervisorError(f"`{method}` was cancelled")
                if context.is_late or time.monotonic() >= end:
                    raise SupervisorError(f"it did not answer `{method}` in time")
                self.wait()
        finally:
            self.forget(number)
        return result_of(found)


def _unheard(progress: ProgressNotification) -> None:
    del progress
