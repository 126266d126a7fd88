"""Decode a prose file and know where its lines begin.

Law: the text of a file is its bytes decoded by its byte order mark, else as UTF-8; nothing is replaced or dropped.
"""

from __future__ import annotations

import codecs
from bisect import bisect_right
from itertools import accumulate
from typing import Final

from plugseal.model.location import Span
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_OTHER_ENDS: Final = lazy(r"\r\n?")


def decode_prose(data: bytes) -> tuple[str, str]:
    """Return (text with LF line ends, empty), or (empty, why it can't be read)."""
    coding = "utf-8"
    for mark, name in _MARKS:
        if data.startswith(mark):
            data, coding = data[len(mark) :], name
            break
    try:
        text = data.decode(coding)
    except UnicodeDecodeError as error:
        return "", f"not {coding.upper()}: byte {error.start:,}"
    if "\0" in text:
        return "", "holds a NUL character"
    return (_OTHER_ENDS.sub("\n", text) if "\r" in text else text), ""


class Piece(NamedTuple):
    """A stretch of one line of the file."""

    line: int
    column: int
    """1-based, in code points."""
    text: str


class Stretch:
    """Pieces of consecutive lines as one text, with a line end between each two, and where all of it stands."""

    __slots__ = ("_offsets", "pieces", "text")

    def __init__(self, pieces: tuple[Piece, ...]) -> None:
        self.pieces = pieces
        self.text = pieces[0].text if len(pieces) == 1 else "\n".join(piece.text for piece in pieces)
        self._offsets: list[int] | None = None

    def span(self, start: int, end: int) -> Span:
        """Return where a part of the text stands in the file; the end is exclusive."""
        return Span(*self.place(start), *self.place(end))

    def place(self, offset: int) -> tuple[int, int]:
        """Return the 1-based line and column of an offset."""
        if self._offsets is None:
            self._offsets = [0, *accumulate(len(piece.text) + 1 for piece in self.pieces[:-1])]
        at = bisect_right(self._offsets, offset) - 1
        piece = self.pieces[at]
        return piece.line, piece.column + offset - self._offsets[at]
