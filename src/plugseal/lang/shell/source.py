"""The text of one script: its stretches as text, and their places."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from plugseal.lang.facts import Anchor
from plugseal.model.location import Span

if TYPE_CHECKING:
    from plugseal.lang.shell.parse import Node


class Source:
    """Bytes in UTF-8, and where they are."""

    __slots__ = ("_is_ascii", "_lines", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._is_ascii = data.isascii()
        self._lines: list[int] = []
        """Where each line begins; made when it is first asked for."""

    def text(self, start: int, end: int) -> str:
        """Return the text between two offsets in bytes."""
        return self.data[start:end].decode("utf-8", "replace")

    def of(self, node: Node) -> str:
        """Return the text of a node."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def span(self, node: Node) -> Span:
        """Return where a node stands."""
        return self.between(node.start_byte, node.end_byte)

    def between(self, start: int, end: int) -> Span:
        """Return the place of the bytes between two offsets."""
        line, column = self.place(start)
        lines = self._lines
        if line >= len(lines) or end <= lines[line]:
            if self._is_ascii:
                return Span(line, column, line, column + end - start)
            return Span(line, column, line, self._column(lines[line - 1], end))
        return Span(line, column, *self.place(end))

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, both from 1."""
        if not self._lines:
            self._lines = _line_starts(self.data)
        line = bisect_right(self._lines, offset)
        start = self._lines[line - 1]
        return line, offset - start + 1 if self._is_ascii else self._column(start, offset)

    def anchors(self, start: int, text: str) -> tuple[Anchor, ...]:
        """Return the anchors of a text that stands in the script word for word.

        Args:
            start: where it begins, in bytes.
            text: as it would be read.
        """
        line, column = self.place(start)
        found = [Anchor(0, line, column)]
        at = text.find("\n")
        while at >= 0:
            line += 1
            found.append(Anchor(at + 1, line, 1))
            at = text.find("\n", at + 1)
        return tuple(found)

    def _column(self, start: int, offset: int) -> int:
        return len(self.data[start:offset].decode("utf-8", "replace")) + 1


def _line_starts(data: bytes) -> list[int]:
    found, at = [0], data.find(b"\n")
    while at >= 0:
        found.append(at + 1)
        at = data.find(b"\n", at + 1)
    return found
