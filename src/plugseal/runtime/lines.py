"""What every MCP client of ours talks over: messages out, messages in, whatever carries them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


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
