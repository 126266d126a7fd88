"""The parent's ends of a worker's two pipes: whole messages, or an error before a deadline; never a hang."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

_HAS_POLL: Final = hasattr(select, "poll")
_MOST_AT_ONCE: Final = 1 << 20


class PipeClosedError(Exception):
    """The worker closed its end: it ended, in whatever way."""


class PipeTimeoutError(Exception):
    """The worker neither took the request nor answered in time."""


class Pipe:
    """Two descriptors and a deadline."""

    def __init__(self, requests: int, replies: int, *, kill: Callable[[], None]) -> None:
        """Take over both descriptors.

        Args:
            requests: descriptor to write to.
            replies: descriptor to read from.
            kill: ends the other side at once; used where descriptors can't be polled.
        """
        self._requests = requests
        self._replies = replies
        self._kill = kill
        self._deadline = 0.0
        self._is_late = False
        if _HAS_POLL:
            os.set_blocking(requests, False)
            os.set_blocking(replies, False)

    @contextmanager
    def watch(self, seconds: float) -> Iterator[None]:
        """Give all that is sent and received inside `seconds` of wall time together."""
        self._deadline = time.monotonic() + seconds
        if _HAS_POLL:
            yield
            return
        from threading import Timer

        timer = Timer(seconds, self._ring)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def send(self, *parts: bytes) -> None:
        """Write all bytes.

        Raises:
            PipeClosedError: nobody reads any more.
            PipeTimeoutError: the time is over.
        """
        for part in parts:
            view = memoryview(part)
            while view:
                self._await(self._requests, is_write=True)
                try:
                    view = view[os.write(self._requests, view[:_MOST_AT_ONCE]) :]
                except BlockingIOError:
                    continue
                except OSError as error:
                    raise self._closed() from error

    def receive(self, length: int) -> bytes:
        """Return exactly `length` bytes.

        Raises:
            PipeClosedError: the other side ended before.
            PipeTimeoutError: the time is over.
        """
        data = bytearray()
        while len(data) < length:
            self._await(self._replies, is_write=False)
            try:
                chunk = os.read(self._replies, min(length - len(data), _MOST_AT_ONCE))
            except BlockingIOError:
                continue
            if not chunk:
                raise self._closed()
            data += chunk
        return bytes(data)

    def close(self) -> None:
        """Close both ends; further calls do nothing."""
        for descriptor in (self._requests, self._replies):
            if descriptor >= 0:
                os.close(descriptor)
        self._requests = self._replies = -1

    def _await(self, descriptor: int, *, is_write: bool) -> None:
        if not _HAS_POLL:
            return
        left = self._deadline - time.monotonic()
        poll = select.poll()
        poll.register(descriptor, select.POLLOUT if is_write else select.POLLIN)
        if left <= 0 or not poll.poll(left * 1000):
            raise PipeTimeoutError

    def _ring(self) -> None:
        self._is_late = True
        self._kill()

    def _closed(self) -> Exception:
        return PipeTimeoutError() if self._is_late else PipeClosedError()
