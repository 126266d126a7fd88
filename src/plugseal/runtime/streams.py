"""Lines in and bytes out without waiting: one thread serves everybody, so nobody may hold it up."""

from __future__ import annotations

import errno
import os
from collections import deque
from typing import Final

from plugseal.errors import SupervisorError

_CHUNK: Final = 64 * 1024
"""As much as a pipe holds; for more the memory would be mapped anew at each read."""
_READER_GONE: Final = (errno.EPIPE, errno.ECONNRESET)
MAX_QUEUED_BYTES: Final = 64 * 1024 * 1024
"""What waits for somebody who does not read; more ends the run."""


class Inlet:
    """A descriptor from which lines come."""

    def __init__(self, descriptor: int, *, max_line: int) -> None:
        """Take a descriptor, which becomes non-blocking.

        Args:
            descriptor: to read from.
            max_line: bytes that one line may have.
        """
        os.set_blocking(descriptor, False)
        self.descriptor = descriptor
        self.is_ended = False
        self._max_line = max_line
        self._parts: list[bytes] = []
        self._held = 0

    def read(self) -> list[bytes]:
        """Return the lines that are complete now, without their ends; what has none at the end of all is the last.

        Raises:
            SupervisorError: a line is too long.
        """
        try:
            data = os.read(self.descriptor, _CHUNK)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        if not data:
            self.is_ended = True
            rest = self._take()
            return [rest] if rest else []
        if data.find(b"\n") == len(data) - 1 and not self._parts:
            # One whole line, as nearly always.
            self._check(len(data) - 1)
            return [data[:-1]]
        *lines, rest = data.split(b"\n")
        found = []
        for line in lines:
            found.append(self._take() + line if self._parts else line)
            self._check(len(found[-1]))
        if rest:
            self._parts.append(rest)
            self._held += len(rest)
            self._check(self._held)
        return found

    def _take(self) -> bytes:
        whole = b"".join(self._parts)
        self._parts.clear()
        self._held = 0
        return whole

    def _check(self, length: int) -> None:
        if length > self._max_line:
            raise SupervisorError(f"a line is longer than {self._max_line:,} bytes")


class Outlet:
    """A descriptor to which bytes go, in order, as fast as it takes them."""

    def __init__(self, descriptor: int) -> None:
        """Take a descriptor, which becomes non-blocking."""
        os.set_blocking(descriptor, False)
        self.descriptor = descriptor
        self.is_broken = False
        self.failure = ""
        """Why nothing can be written, where it is not that nobody reads any more."""
        self._waiting: deque[bytes | memoryview] = deque()
        self._queued = 0

    @property
    def queued(self) -> int:
        """Return how many bytes wait."""
        return self._queued

    @property
    def is_waiting(self) -> bool:
        """Say whether bytes wait for the descriptor."""
        return bool(self._waiting) and not self.is_broken

    def write(self, data: bytes) -> None:
        """Write bytes, or keep them until the descriptor takes them.

        Raises:
            SupervisorError: too much waits already.
        """
        if self.is_broken:
            return
        rest = data if self._waiting else self._write_now(data)
        if not rest:
            return
        self._queued += len(rest)
        if self._queued > MAX_QUEUED_BYTES:
            raise SupervisorError(f"more than {MAX_QUEUED_BYTES:,} bytes wait for a reader who does not read")
        self._waiting.append(rest)

    def _write_now(self, data: bytes | memoryview) -> bytes | memoryview:
        """Write what the descriptor takes now, and return the rest: a view, since a large one goes in small steps."""
        try:
            count = os.write(self.descriptor, data)
            return b"" if count == len(data) else memoryview(data)[count:]
        except BlockingIOError:
            return data
        except OSError as error:
            self.is_broken = True
            if error.errno not in _READER_GONE:
                self.failure = (error.strerror or str(error)).lower()
            return b""

    def flush(self) -> None:
        """Write what the descriptor takes now."""
        while self._waiting:
            data = self._waiting[0]
            rest = self._write_now(data)
            if self.is_broken:
                return
            self._queued -= len(data) - len(rest)
            if rest:
                self._waiting[0] = rest
                return
            self._waiting.popleft()
