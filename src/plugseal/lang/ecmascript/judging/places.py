"""Where a node stands, in code points and lines as people count them.

The tree counts bytes, and only LF ends a line of it.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from plugseal.lang.facts import Anchor
from plugseal.model.location import Span
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.parsing.parse import Node

_LINE_END: Final = lazy(rb"\r\n|\n|\r")


class Places:
    """The spans of one file's nodes."""

    __slots__ = ("_data", "_is_plain", "_starts")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._starts: list[int] | None = None
        self._is_plain = data.isascii() and b"\r" not in data

    def span(self, node: Node) -> Span:
        """Return the span of a node."""
        if self._is_plain:
            (row, column), (end_row, end_column) = node.start_point, node.end_point
            return Span(row + 1, column + 1, end_row + 1, end_column + 1)
        return self.between(node.start_byte, node.end_byte)

    def between(self, start: int, end: int) -> Span:
        """Return the span between two offsets in bytes."""
        return Span(*self._place(start), *self._place(end))

    def _place(self, offset: int) -> tuple[int, int]:
        if self._starts is None:
            self._starts = _line_starts(self._data)
        line = bisect_right(self._starts, offset)
        return line, len(self._data[self._starts[line - 1] : offset].decode("utf-8", "replace")) + 1

    def anchors(self, node: Node, text: str) -> tuple[Anchor, ...]:
        """Return where the text of a literal stands, if each of its characters stands there as it is."""
        start, end = node.start_byte + 1, node.end_byte - 1
        written = self._data[start:end].decode("utf-8", "replace")
        if written != text or "\r" in text:
            return ()
        line, column = self._place(start)
        found = [Anchor(0, line, column)]
        at = text.find("\n")
        while at >= 0:
            line += 1
            found.append(Anchor(at + 1, line, 1))
            at = text.find("\n", at + 1)
        return tuple(found)


def _line_starts(data: bytes) -> list[int]:
    if b"\r" in data:
        return [0, *(match.end() for match in _LINE_END.finditer(data))]
    return [0, *accumulate(len(line) + 1 for line in data.split(b"\n")[:-1])]
