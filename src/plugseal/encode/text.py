"""Turn the bytes of a data document into text, strictly, and offsets in it into lines and columns.

UTF-8 only: a byte order mark of UTF-8 is skipped (real files have it, and hosts read them), UTF-16 and UTF-32 are
named in the error. Nothing is replaced or ignored.
"""

from __future__ import annotations

from bisect import bisect_right

from plugseal.errors import DataError
from plugseal.limits import MAX_DATA_BYTES
from plugseal.model.location import Span
from plugseal.patterns import lazy

_UTF8_MARK = b"\xef\xbb\xbf"
_WIDE_MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_LINE_END = lazy(r"\r\n|\n|\r")
_HINT = "save the file as UTF-8"


def decode_text(data: bytes, *, max_bytes: int = MAX_DATA_BYTES, allow_mark: bool = True) -> str:
    """Return the text of a document without its byte order mark.

    Args:
        data: the whole file.
        max_bytes: more bytes than this are refused before anything else.
        allow_mark: whether a byte order mark of UTF-8 may lead.

    Raises:
        DataError: too large, not UTF-8, holds a NUL, or has a mark where none is allowed.
    """
    if len(data) > max_bytes:
        raise DataError(f"larger than {max_bytes:,} bytes ({len(data):,})")
    for mark, name in _WIDE_MARKS:
        if data.startswith(mark):
            raise DataError(f"encoded as {name}, not UTF-8", line=1, column=1, hint=_HINT)
    if data.startswith(_UTF8_MARK):
        if not allow_mark:
            raise DataError("begins with a byte order mark", line=1, column=1, hint="save the file without the mark")
        data = data[len(_UTF8_MARK) :]
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_utf8(data, error.start) from None
    at = text.find("\0")
    if at >= 0:
        raise fault_at(text, at, _nul_message(data), hint=_HINT if _is_wide(data) else None)
    return text


def fault_at(text: str, offset: int, message: str, *, hint: str | None = None) -> DataError:
    """Return the error that names the place of `offset` (code points) in `text`."""
    line, column = LineIndex(text[:offset]).place(offset)
    return DataError(message, line=line, column=column, hint=hint)


class LineIndex:
    r"""Know where the lines of a text begin; `\n`, `\r\n` and a lone `\r` end a line."""

    __slots__ = ("_starts",)

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def place(self, offset: int) -> tuple[int, int]:
        """Return the 1-based line and the 1-based column, both in code points, of an offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def span(self, start: int, end: int) -> Span:
        """Return the span from one offset to another, its end exclusive."""
        return Span(*self.place(start), *self.place(end))


def _not_utf8(data: bytes, start: int) -> DataError:
    before = data[:start].decode("utf-8")
    if _is_wide(data):
        return DataError("encoded as UTF-16 or UTF-32, not UTF-8", line=1, column=1, hint=_HINT)
    return fault_at(before, len(before), f"not UTF-8: byte 0x{data[start]:02x}", hint=_HINT)


def _is_wide(data: bytes) -> bool:
    """Guess UTF-16 and UTF-32 without a mark: text that begins with ASCII has its zero bytes at once."""
    return b"\0" in data[:4] and any(data[:4])


def _nul_message(data: bytes) -> str:
    return "encoded as UTF-16 or UTF-32, not UTF-8" if _is_wide(data) else "holds a NUL character"
