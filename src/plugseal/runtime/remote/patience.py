"""How long to wait for a remote server, and what is looked at meanwhile: a deadline and a permission.

Nothing that talks to a remote server waits without this: whatever takes the permission away ends the wait at once.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from plugseal.errors import SupervisorError
from plugseal.runtime.lines import Attend, UnwantedError

_LOOK_SECONDS: Final = 0.05


class LateError(SupervisorError):
    """Report that a server did not do its part in time."""


class Patience:
    """Wait for descriptors under a permission and until a moment."""

    def __init__(
        self,
        verify: Callable[[], None],
        *,
        changed: Callable[[], bool],
        silence: float = 120.0,
        attend: Attend | None = None,
    ) -> None:
        """Prepare.

        Args:
            verify: raises `RefusedError` when the permission is gone.
            changed: says, without waiting, whether it may be.
            silence: seconds that a server may say nothing.
            attend: asked while an answer is waited for.
        """
        self._attend = attend
        self.verify = verify
        self._changed = changed
        self._silence = silence
        self._until = 0.0

    def until(self, moment: float) -> None:
        """Set the end of all waiting, as `time.monotonic` counts."""
        self._until = moment

    def within(self, seconds: float) -> None:
        """Set the end of all waiting from now on."""
        self._until = time.monotonic() + seconds

    @contextmanager
    def at_most(self, seconds: float) -> Iterator[None]:
        """Bound a part of the waiting further; what it did not use is left to the rest."""
        before, self._until = self._until, min(self._until, time.monotonic() + seconds)
        try:
            yield
        finally:
            self._until = before

    def wait(self, descriptor: int, *, writing: bool = False) -> None:
        """Return once a descriptor is ready.

        Raises:
            LateError: it is not in time.
            RefusedError: the permission was taken.
        """
        end = min(self._until, time.monotonic() + self._silence)
        while True:
            left = end - time.monotonic()
            if left <= 0:
                raise LateError("the server did not answer in time")
            poll = select.poll()
            poll.register(descriptor, select.POLLOUT if writing else select.POLLIN)
            is_ready = poll.poll(min(left, _LOOK_SECONDS) * 1000)
            self._look()
            if is_ready:
                return

    def check(self) -> None:
        """Look without waiting: a server that always has more to say does not get round it.

        Raises:
            LateError: it is too late.
            RefusedError: the permission was taken.
        """
        if time.monotonic() >= self._until:
            raise LateError("the server did not answer in time")
        self._look()

    def pause(self, seconds: float) -> None:
        """Let time pass, as much as is left.

        Raises:
            LateError: nothing is left.
            RefusedError: the permission was taken.
        """
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            if now >= self._until:
                raise LateError("the server did not answer in time")
            select.poll().poll(min(end - now, _LOOK_SECONDS) * 1000)
            self._look()

    def _look(self) -> None:
        if self._changed():
            self.verify()
        if self._attend is not None and not self._attend():
            raise UnwantedError()
