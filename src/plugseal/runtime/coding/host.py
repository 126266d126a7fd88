"""A host for Coding's plugins: many processes behind the gate, many calls in flight, one thread.

A call passes five doors: its tool is registered, and is what was reviewed; its arguments fit; the product authorized
it, since the contract does not tell what a tool accesses; the execution modes let it start; the gate permits it.
Whatever happens, each call gets exactly one result. `step` drives everything, and nothing happens between two steps.
A process that ended is started anew by the next call of one of its tools, through the whole gate.
"""

from __future__ import annotations

import copy
import select
from collections.abc import Callable, Sequence
from types import TracebackType

from plugseal.errors import PlugsealError, RefusedError, SupervisorError
from plugseal.model.decision import Reason
from plugseal.runtime import supervise
from plugseal.runtime.coding.calls import NOT_AUTHORIZED, TOOL_DRIFTED, Authorize, Call, authorize_nothing
from plugseal.runtime.coding.checks import Hearing
from plugseal.runtime.coding.contract import (
    Context,
    ExecuteRequest,
    OnProgress,
    OutcomeStatus,
    ProgressNotification,
    Result,
)
from plugseal.runtime.coding.execution import Patience, build_end
from plugseal.runtime.coding.inflight import TICK
from plugseal.runtime.coding.load import ARGUMENTS_INVALID, Definition
from plugseal.runtime.coding.opened import Starter
from plugseal.runtime.coding.plugins import Plugins
from plugseal.runtime.coding.registry import Held, Registry
from plugseal.runtime.coding.schedule import find_ready
from plugseal.runtime.limits import Limits
from plugseal.shown import shown
from plugseal.trust.store import Store


class Host:
    """Load plugins and call their tools; use it as a context manager, or close it."""

    def __init__(
        self,
        supervisor: supervise.Supervisor,
        store: Store,
        *,
        authorize: Authorize = authorize_nothing,
        on_event: Callable[[str, str], None] | None = None,
        limits: Limits = Limits(),  # noqa: B008  # a constant tuple
        patience: Patience = Patience(),  # noqa: B008  # a constant tuple
    ) -> None:
        """Prepare without starting anything.

        Args:
            supervisor: starts processes behind the gate.
            store: what was trusted; tools are pinned in it.
            authorize: asked before each call.
            on_event: told (plugin, line) of what a process says on its standard error, and of what is dropped.
            limits: of each process's lines.
            patience: how long plugins may take.
        """
        self._plugins = Plugins(Starter(supervisor, store, on_event or _untold, limits, patience))
        self._authorize = authorize
        self._waiting: list[Call] = []
        self._active: list[Call] = []
        self._number = 0

    def __enter__(self) -> Host:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    @property
    def tools(self) -> Registry:
        """Return all registered tools by their names."""
        return self._plugins.tools

    @property
    def is_busy(self) -> bool:
        """Say whether any call has no result yet."""
        return bool(self._waiting or self._active)

    def open(self, plugin: str, *, replace: bool = False) -> Definition:
        """Start a plugin, load it, and register all its tools.

        Args:
            plugin: its ID.
            replace: whether its tools may take names that others hold.

        Raises:
            UsageError: it is no plugin of Coding's, or is open already.
            RefusedError: the gate refuses.
            SupervisorError: it can't be started, breaks the contract, or one of its names is held by another.
            StateError: what is recorded can't be believed.
        """
        error = self.open_all([plugin], replace=replace)[plugin]
        if error is not None:
            raise error
        return self._plugins.definition_of(plugin)

    def open_all(self, plugins: Sequence[str], *, replace: bool = False) -> dict[str, PlugsealError | None]:
        """Start several plugins at the same time, and register their tools in the order in which they are given.

        Args:
            plugins: their IDs.
            replace: whether tools may take names that others hold.

        Returns:
            for each ID why it is not open, None where it is.
        """
        found = {plugin: self._plugins.start(plugin) for plugin in plugins}
        started = [plugin for plugin, error in found.items() if error is None]
        try:
            while self._plugins.is_loading:
                self.step(TICK)
            for plugin in started:
                found[plugin] = self._plugins.register(plugin, replace=replace)
        except BaseException:
            for plugin in started:
                self._plugins.drop(plugin)
            raise
        return found

    def refusal_of(self, plugin: str) -> RefusedError | None:
        """Return why an open plugin's process was ended by the gate, None if it was not."""
        return self._plugins[plugin].refusal

    def denial_of(self, tool: str) -> str:
        """Return why a registered tool may not be called, since it is not what was reviewed; empty if it is."""
        return self._plugins[self.tools[tool].plugin].denial_of(tool)

    def submit(
        self,
        tool: str,
        arguments: object,
        *,
        on_progress: OnProgress | None = None,
        context: Context | None = None,
    ) -> Call:
        """Ask for a call and return it; it goes on with each `step`, and is over once it has a result.

        Args:
            tool: the name of a registered tool.
            arguments: a JSON object; it is copied.
            on_progress: told progress that is right, during `step`.
            context: what the caller may still want of it.

        Raises:
            SupervisorError: there is no such tool.
            RefusedError: the policy that might authorize it can't be believed.
            StateError: a denial can't be recorded.
        """
        held = self.tools.get(tool)
        if held is None:
            raise SupervisorError(f"there is no tool `{shown(tool)}`", hint="see them with `plugseal coding list`")
        code, why = self._check(held, arguments)
        self._number += 1
        number = f"call-{self._number}"
        given = copy.deepcopy(arguments) if isinstance(arguments, dict) and not why else {}
        hearing = Hearing(number, on_progress or _unheard)
        call = Call(number, held.plugin, held.tool, given, context or Context(), hearing)
        if why:
            call.end(build_end(call.id, OutcomeStatus.FAILED, code, why))
        else:
            self._waiting.append(call)
        return call

    def call(self, tool: str, arguments: object, *, on_progress: OnProgress | None = None) -> Result:
        """Make one call and return its result; other calls go on meanwhile.

        Raises:
            SupervisorError: there is no such tool.
        """
        return self.wait(self.submit(tool, arguments, on_progress=on_progress))

    def wait(self, call: Call) -> Result:
        """Drive everything until a call is over, and return its result; an exception on the way cancels it first."""
        try:
            while call.result is None:
                self.step(TICK)
        except BaseException:
            call.cancel()
            call.hearing.end()
            while call.result is None:
                self.step(TICK)
            raise
        return call.result

    def step(self, seconds: float = 0.0) -> None:
        """Start what may start, wait for at most so long until something happens, and take what plugins said.

        Args:
            seconds: at most `TICK` where cancelled contexts shall be seen soon.
        """
        self._begin_ready()
        reading, writing = self.descriptors()
        is_over = any(call.execution is not None and call.execution.is_over for call in self._active)
        select.select(reading, writing, [], 0.0 if is_over else seconds)
        self._plugins.step()
        self._collect()
        self._begin_ready()

    def descriptors(self) -> tuple[list[int], list[int]]:
        """Return what to wait for before the next step: descriptors to read from, and to write to."""
        return self._plugins.descriptors()

    def close(self) -> None:
        """End all processes, politely; every call that has no result gets one."""
        for call in [*self._waiting, *(one for one in self._active if one.execution is None)]:
            call.cancel()
            call.end_unbegun()
        self._waiting.clear()
        self._plugins.close()
        self._collect()

    def _check(self, held: Held, arguments: object) -> tuple[str, str]:
        """Return the code and the reason by which a call is not even sent, empty if it may be."""
        name = held.tool.name
        denied = self._plugins[held.plugin].denial_of(name)
        if denied:
            return TOOL_DRIFTED, denied
        fault = held.tool.check(arguments)
        if fault or not isinstance(arguments, dict):
            return ARGUMENTS_INVALID, fault
        if not self._authorize(held.plugin, name, arguments):
            self._plugins[held.plugin].deny(Reason.NOT_AUTHORIZED, name)
            told = f"tool `{shown(name)}` does not say what it accesses, so the product must authorize each call"
            return NOT_AUTHORIZED, told
        return "", ""

    def _begin_ready(self) -> None:
        for call in [one for one in self._waiting if one.is_unwanted]:
            self._waiting.remove(call)
            call.end_unbegun()
        ready = find_ready([call.wish for call in self._waiting], [call.wish for call in self._active])
        for call in [self._waiting[index] for index in ready]:
            self._waiting.remove(call)
            self._begin(call)

    def _begin(self, call: Call) -> None:
        """Send a call; where its process must be started first, it goes on once that is loaded."""
        opened = self._plugins[call.plugin]
        try:
            opened.start_again()
        except PlugsealError as error:
            call.end_by(error)
            return
        self._active.append(call)
        self._send(call)

    def _send(self, call: Call) -> None:
        opened = self._plugins[call.plugin]
        if opened.failure is not None:
            call.end_by(opened.failure)
        elif call.is_unwanted:
            call.end_unbegun()
        elif not opened.is_loading:
            request = ExecuteRequest(call.id, call.tool.name, call.arguments)
            call.execution = opened.connection.begin(call.context, request, call.hearing.hear)

    def _collect(self) -> None:
        for call in self._active:
            if call.execution is None and call.result is None:
                self._send(call)
            else:
                call.collect()
        self._active = [call for call in self._active if call.result is None]


def _untold(plugin: str, text: str) -> None:
    del plugin, text


def _unheard(progress: ProgressNotification) -> None:
    del progress
