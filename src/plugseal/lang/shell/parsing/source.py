"""The text of one script: its stretches as text, and their places."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from plugseal.lang.facts import Anchor
from plugseal.model.location import Span

if TYPE_CHECKING:
    from plugseal.lang.shell.parsing.parse import Node

_QUOTED: Final = frozenset(("raw_string", "string", "ansi_c_string", "translated_string"))
_new: Final = tuple.__new__
"""Makes a named tuple of what is known to fit it, in a third of the time that its own name takes."""


class Source:
    """Bytes in UTF-8, and where they are."""

    __slots__ = ("_is_ascii", "_lines", "data", "marks")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._is_ascii = data.isascii()
        self.marks = data.decode("latin-1")
        """Each byte as one character, so that offsets are the same: what is in ASCII can be looked for in it."""
        self._lines: list[int] = []
        """Where each line begins; made when it is first asked for."""

    def text(self, start: int, end: int) -> str:
        """Return the text between two offsets in bytes."""
        if self._is_ascii:
            return self.marks[start:end]
        return self.data[start:end].decode("utf-8", "replace")

    def of(self, node: Node) -> str:
        """Return the text of a node."""
        return self.text(node.start_byte, node.end_byte)

    def unquoted(self, node: Node) -> str:
        """Return the text of a word with a letter for each quoted part: in quotes a brace is a brace."""
        text = self.of(node)
        if "'" not in text and '"' not in text:
            return text
        parts, at = [], node.start_byte
        for child in node.named_children:
            if child.type in _QUOTED:
                parts += [self.text(at, child.start_byte), "x"]
                at = child.end_byte
        return "".join((*parts, self.text(at, node.end_byte)))

    def span(self, node: Node) -> Span:
        """Return where a node stands."""
        return self.between(node.start_byte, node.end_byte)

    def between(self, start: int, end: int) -> Span:
        """Return the place of the bytes between two offsets."""
        lines = self._lines or self._find_lines()
        line = bisect_right(lines, start)
        begin = lines[line - 1]
        if self._is_ascii and (line >= len(lines) or end <= lines[line]):
            return _new(Span, (line, start - begin + 1, line, end - begin + 1))
        column = start - begin + 1 if self._is_ascii else self._column(begin, start)
        if line >= len(lines) or end <= lines[line]:
            return Span(line, column, line, self._column(begin, end))
        return Span(line, column, *self.place(end))

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, both from 1."""
        lines = self._lines or self._find_lines()
        line = bisect_right(lines, offset)
        start = lines[line - 1]
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

    def _find_lines(self) -> list[int]:
        sizes = map(len, self.data.split(b"\n"))
        self._lines = [0, *accumulate(map((1).__add__, sizes))][:-1]
        return self._lines

    def _column(self, start: int, offset: int) -> int:
        return len(self.data[start:offset].decode("utf-8", "replace")) + 1
