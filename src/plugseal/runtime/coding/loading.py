"""A plugin that is being loaded while a host goes on with others: one question at a time, each with its time."""

from __future__ import annotations

import time
from typing import Final

from plugseal import __version__
from plugseal.errors import PlugsealError, SupervisorError
from plugseal.runtime.coding.connection import Connection
from plugseal.runtime.coding.contract import HostInfo, InitializeRequest
from plugseal.runtime.coding.load import Answered, Asking, Definition, load_steps
from plugseal.runtime.coding.talk import Message, result_of
from plugseal.runtime.coding.wire import build_initialize, parse_initialized, parse_tools

HOST: Final = HostInfo("plugseal", __version__)


class Loading:
    """What `load` does, over a connection that is driven by somebody else."""

    def __init__(self, connection: Connection, *, seconds: float) -> None:
        """Prepare; the first `step` asks.

        Args:
            connection: to the plugin's process.
            seconds: how long each answer may take.
        """
        self._connection = connection
        self._seconds = seconds
        self._steps = load_steps(HOST)
        self._asking: Asking = next(self._steps)
        self._number = ""
        self._ends_at = 0.0

    def step(self) -> Definition | None:
        """Ask what is due and take what was answered; return the plugin once it is loaded.

        Raises:
            SupervisorError: it breaks the contract, or did not answer in time.
            RefusedError: the gate took the permission.
        """
        try:
            while (answer := self._exchange()) is not None:
                self._number = ""
                self._asking = self._steps.send(answer)
        except StopIteration as end:
            plugin, tools = end.value
            return Definition(self._connection, plugin, tools)
        except PlugsealError as error:
            # Wrapped where it belongs: this raises, since a load never goes on after an error.
            self._steps.throw(error)
        return None

    def _exchange(self) -> Answered | None:
        if not self._number:
            method, params = _written(self._asking)
            self._number = self._connection.ask(method, params)
            self._ends_at = time.monotonic() + self._seconds
        message = self._connection.answer_to(self._number)
        if message is not None:
            self._connection.forget(self._number)
            return _parsed(self._asking, message)
        if time.monotonic() >= self._ends_at:
            raise SupervisorError(f"it did not answer `{_written(self._asking)[0]}` in time")
        return None


def _written(asking: Asking) -> tuple[str, dict[str, object]]:
    if isinstance(asking, InitializeRequest):
        return "initialize", build_initialize(asking)
    return "listTools", {}


def _parsed(asking: Asking, message: Message) -> Answered:
    if isinstance(asking, InitializeRequest):
        return parse_initialized(result_of(message))
    return parse_tools(result_of(message))
