"""The text of one script: its stretches as text, and their places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugseal.lang.facts import Anchor
from plugseal.model.location import Span

if TYPE_CHECKING:
    from plugseal.lang.shell.parse import Node


class Source:
    """Bytes in UTF-8, and where they are."""

    __slots__ = ("_is_ascii", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._is_ascii = data.isascii()

    def text(self, start: int, end: int) -> str:
        """Return the text between two offsets in bytes."""
        return self.data[start:end].decode("utf-8", "replace")

    def of(self, node: Node) -> str:
        """Return the text of a node."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def span(self, node: Node) -> Span:
        """Return where a node stands."""
        (line, start), (end_line, end) = node.start_point, node.end_point
        if not self._is_ascii:
            start = self._column(node.start_byte, start)
            end = self._column(node.end_byte, end)
        return Span(line + 1, start + 1, end_line + 1, end + 1)

    def anchors(self, node: Node, text: str, skip: int = 0) -> tuple[Anchor, ...]:
        """Return the anchors of a text that stands word for word inside a node.

        Args:
            node: that holds it.
            text: as it would be read.
            skip: bytes of the node before the text.
        """
        line, start = node.start_point
        if not self._is_ascii:
            start = self._column(node.start_byte, start)
        found = [Anchor(0, line + 1, start + 1 + skip)]
        at = text.find("\n")
        while at >= 0:
            line += 1
            found.append(Anchor(at + 1, line + 1, 1))
            at = text.find("\n", at + 1)
        return tuple(found)

    def _column(self, offset: int, column: int) -> int:
        return len(self.data[offset - column : offset].decode("utf-8", "replace"))
