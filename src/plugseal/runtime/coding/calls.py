"""One call of a host, from the moment it is asked for to its one result, and who authorizes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from plugseal.errors import PlugsealError, RefusedError
from plugseal.runtime.coding.checks import Hearing
from plugseal.runtime.coding.contract import Context, OutcomeStatus, Result
from plugseal.runtime.coding.execution import CANCELLED, FAILED, REFUSED, TIMED_OUT, Execution, build_end
from plugseal.runtime.coding.load import Tool, failed
from plugseal.runtime.coding.schedule import Wish
from plugseal.shown import shown

NOT_AUTHORIZED: Final = "not_authorized"
"""The call was not sent: the product did not authorize it."""
TOOL_DRIFTED: Final = "tool_drifted"
"""The call was not sent: the tool is not what was reviewed, or pinned."""

Authorize = Callable[[str, str, Mapping[str, Any]], bool]
"""From a plugin's ID, a tool's name and the arguments to whether this one call is authorized."""


def authorize_nothing(plugin: str, tool: str, arguments: Mapping[str, Any]) -> bool:
    """Authorize no call: what holds where the product says nothing."""
    del plugin, tool, arguments
    return False


@dataclass(eq=False, slots=True)
class Call:
    """One call of one tool."""

    id: str
    plugin: str
    """ID of the plugin."""
    tool: Tool
    arguments: Mapping[str, Any]  # Any: JSON
    context: Context
    hearing: Hearing
    execution: Execution | None = None
    """None while it waits for its turn."""
    result: Result | None = None
    """Its end."""
    error: PlugsealError | None = None
    """Why it ended, where that was no result of the plugin's."""

    @property
    def wish(self) -> Wish:
        """Return what its turn depends on."""
        return Wish(self.plugin, self.tool.mode)

    @property
    def is_unwanted(self) -> bool:
        """Say whether nobody wants it to begin any more."""
        return self.context.is_cancelled or self.context.is_late

    def cancel(self) -> None:
        """Ask that it ends: that becomes `cancel`, and a kill if it does not help."""
        self.context.cancel()

    def end(self, result: Result) -> None:
        """Give it its result; what comes later does not exist."""
        self.hearing.end()
        self.result = result

    def end_unbegun(self) -> None:
        """End it before it began."""
        if self.context.is_cancelled:
            self.end(build_end(self.id, OutcomeStatus.CANCELLED, CANCELLED, "it was cancelled before it began"))
        else:
            self.end(build_end(self.id, OutcomeStatus.TIMEOUT, TIMED_OUT, "its time was over before it began"))

    def end_by(self, error: PlugsealError) -> None:
        """End it because something did not do its part."""
        self.error = error
        code = REFUSED if isinstance(error, RefusedError) else FAILED
        told = failed(f"execute plugin tool `{shown(self.tool.name)}`", error).message
        self.end(build_end(self.id, OutcomeStatus.FAILED, code, told))

    def collect(self) -> None:
        """Take the end of its execution, if there is one."""
        if self.execution is None or not self.execution.is_over:
            return
        try:
            self.end(self.hearing.judge(self.execution.end()))
        except PlugsealError as error:
            self.end_by(error)
