"""One call in flight, and the results that a transport or a host gives in a plugin's stead.

A call ends once, by a result or by an error; what comes later does not exist. Whoever waits for it sees `is_over`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from plugseal.errors import PlugsealError
from plugseal.records import NamedTuple
from plugseal.runtime.coding.contract import Content, ContentType, Context, ExecuteRequest, OnProgress, Outcome, Result
from plugseal.runtime.coding.contract import OutcomeStatus as Status

FAILED: Final = "plugin_failed"
"""The plugin answered with an error, or not at all."""
CANCELLED: Final = "plugin_cancelled"
"""Its caller did not want it any more, and it did not stop when it was asked to, or had not begun."""
TIMED_OUT: Final = "plugin_timeout"
"""Its time was over, and it did not stop when it was asked to."""
REFUSED: Final = "plugin_refused"
"""The gate refused, or took the permission."""


class Patience(NamedTuple):
    """How long a plugin may take, in seconds."""

    start: float = 30.0
    """For `initialize`, and for `listTools`."""
    silence: float = 60.0
    """Between two signs of one call; its progress is one."""
    cancel: float = 2.0
    """From `cancel` to the end of the call."""


@dataclass(slots=True)
class Execution:
    """One call that was sent to a plugin."""

    context: Context
    request: ExecuteRequest
    on_progress: OnProgress
    heard: float
    """When the plugin last said something of it, a moment of `time.monotonic`."""
    stops_by: float | None = None
    """When it will be killed: set once it was asked to stop."""
    was_late: bool = False
    """Whether it was asked to stop because its time was over."""
    fault: str = ""
    """The first thing that was wrong with its progress."""
    result: Result | None = None
    error: PlugsealError | None = None

    @property
    def is_over(self) -> bool:
        """Say whether it ended."""
        return self.result is not None or self.error is not None

    def end(self) -> Result:
        """Return the result of a call that is over.

        Raises:
            PlugsealError: it ended by an error.
        """
        if self.error is not None:
            raise self.error
        if self.result is None:
            raise AssertionError("the call is not over")
        return self.result

    def stopped(self) -> Result:
        """Return the result of a call that was asked to stop and did not."""
        if self.was_late:
            return build_end(self.request.call_id, Status.TIMEOUT, TIMED_OUT, "it took too long and was ended")
        return build_end(self.request.call_id, Status.CANCELLED, CANCELLED, "it was cancelled and was ended")


def build_end(call_id: str, status: Status, code: str, text: str) -> Result:
    """Return a result in our own name; the text is for a model."""
    return Result(call_id, Outcome(status.value, code), (Content(ContentType.TEXT.value, text),))
