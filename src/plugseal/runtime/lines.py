"""What every MCP client of ours talks over: messages out, messages in, whatever carries them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from plugseal.errors import SupervisorError

Attend = Callable[[], bool]
"""Called now and then while an answer is waited for; False says that nobody wants it any more."""


class UnwantedError(SupervisorError):
    """Report that whoever asked does not want the answer any more."""

    def __init__(self) -> None:
        super().__init__("the answer is not wanted any more")


class Lines(Protocol):
    """Messages to one server and from it."""

    def send(self, body: Mapping[str, object] | bytes) -> None:
        """Send one message, if it is still permitted.

        Raises:
            RefusedError: the permission was taken.
            SupervisorError: it can't be sent.
        """
        ...

    def receive(self, until: float) -> bytes | None:
        """Return the next message, None where none came in time.

        Args:
            until: a moment of `time.monotonic`.

        Raises:
            RefusedError: the permission was taken.
            SupervisorError: no more will come.
        """
        ...
