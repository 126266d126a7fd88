"""Server-sent events, read as they come: `data` of each event with its type, and where a broken stream goes on.

See: https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from plugseal.errors import SupervisorError
from plugseal.records import NamedTuple

_CHUNK: Final = 65536
_FEED: Final = ord("\n")
_MARK: Final = b"\xef\xbb\xbf"
_MAX_RETRY_MILLISECONDS: Final = 60_000


class ServerEvent(NamedTuple):
    """One event."""

    type: str
    """`message` where the stream says nothing else."""
    data: str


class EventStream:
    """Events of one body."""

    def __init__(self, read: Callable[[int], bytes], *, max_bytes: int) -> None:
        """Prepare.

        Args:
            read: returns some bytes of the body, none at its end.
            max_bytes: of one event.
        """
        self._read = read
        self._max_bytes = max_bytes
        self._held = bytearray()
        self._looked = 0
        """Bytes of it in which no line ends."""
        self._skips_feed = False
        """Whether a line ended in a carriage return, which a line feed may still belong to."""
        self._is_ended = False
        self._is_first = True
        self.last_id: str | None = None
        """The ID of the latest event that had one."""
        self.retry_seconds: float | None = None
        """How long to wait before asking for the rest, as the server says."""

    def next(self) -> ServerEvent | None:
        """Return the next event that has data, None at the end of the stream.

        Raises:
            SupervisorError: an event is too large or no UTF-8, or the connection broke.
        """
        kind, size = "", 0
        data: list[str] = []
        while (line := self._line()) is not None:
            size += len(line)
            if size > self._max_bytes:
                raise SupervisorError(f"an event has more than {self._max_bytes:,} bytes")
            if not line:
                if data:
                    return ServerEvent(kind or "message", "\n".join(data))
                kind, size = "", 0
                continue
            name, value = _field(line)
            if name == "data":
                data.append(value)
            elif name == "event":
                kind = value
            else:
                self._take(name, value)
        return None

    def _take(self, name: str, value: str) -> None:
        if name == "id" and "\0" not in value:
            self.last_id = value
        elif name == "retry" and value.isascii() and value.isdigit():
            self.retry_seconds = min(int(value[:9]), _MAX_RETRY_MILLISECONDS) / 1000

    def _line(self) -> bytes | None:
        """Return the next line without its end; a line that has none is no line."""
        while True:
            line = self._cut()
            if line is not None:
                is_first, self._is_first = self._is_first, False
                return line.removeprefix(_MARK) if is_first else line
            if self._is_ended:
                return None
            if len(self._held) > self._max_bytes:
                raise SupervisorError(f"an event has more than {self._max_bytes:,} bytes")
            part = self._read(_CHUNK)
            self._held += part
            self._is_ended = not part

    def _cut(self) -> bytes | None:
        """Take the first line off what is held, if its end is there: CR LF, LF or CR."""
        if self._skips_feed and self._held:
            self._skips_feed = False
            if self._held[0] == _FEED:
                del self._held[0]
        ends = [at for end in (b"\n", b"\r") if (at := self._held.find(end, self._looked)) >= 0]
        if not ends:
            self._looked = len(self._held)
            return None
        at = min(ends)
        line = bytes(self._held[:at])
        self._skips_feed = self._held[at] != _FEED
        del self._held[: at + 1]
        self._looked = 0
        return line


def _field(line: bytes) -> tuple[str, str]:
    try:
        name, _, value = line.decode("utf-8").partition(":")
    except UnicodeDecodeError as error:
        raise SupervisorError("an event is not UTF-8") from error
    return name, value.removeprefix(" ")
