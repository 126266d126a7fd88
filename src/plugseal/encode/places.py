"""Where the keys and values of a data document stand, so that a fault or a finding in it has a line and a column.

The readers of each format build a tree of nodes with offsets; spans are computed only for what is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from plugseal.encode.text import LineIndex
from plugseal.model.location import WHOLE_FILE, Span

Pointer: TypeAlias = Sequence["str | int"]
"""The way to a value: keys of tables and 0-based positions in lists, e.g. `("mcpServers", "docs", "args", 0)`."""


class Node:
    """One value of a document: its offsets in code points, those of its key, and its children."""

    __slots__ = ("children", "end", "key_end", "key_start", "start")

    def __init__(self, start: int, end: int = -1, key_start: int = -1, key_end: int = -1) -> None:
        self.start = start
        self.end = end
        self.key_start = key_start
        """-1 for what has no key: the root and the items of a list."""
        self.key_end = key_end
        self.children: dict[str | int, Node] | None = None


class Places:
    """Answer where a key or a value of one document stands."""

    __slots__ = ("_lines", "_root", "_text")

    def __init__(self, text: str, root: Node | None) -> None:
        self._text = text
        self._root = root
        self._lines: LineIndex | None = None

    def value(self, pointer: Pointer) -> Span | None:
        """Return the place of a value, or None where there is none."""
        node = self._find(pointer)
        return None if node is None else self._span(node.start, node.end)

    def offsets(self, pointer: Pointer) -> tuple[int, int] | None:
        """Return the first code point of a value and the one after its last, or None where there is none."""
        node = self._find(pointer)
        return None if node is None or node.end < 0 else (node.start, node.end)

    def key(self, pointer: Pointer) -> Span | None:
        """Return the place of a value's key, or None where the value is missing or has no key."""
        node = self._find(pointer)
        return None if node is None or node.key_start < 0 else self._span(node.key_start, node.key_end)

    def nearest(self, pointer: Pointer) -> Span:
        """Return the place of a value's key, else of the value, else of the nearest parent that is there.

        What a fault about a missing or wrong field points at; `WHOLE_FILE` for the root itself.
        """
        for length in range(len(pointer), 0, -1):
            span = self.key(pointer[:length]) or self.value(pointer[:length])
            if span is not None:
                return span
        return WHOLE_FILE

    def _find(self, pointer: Pointer) -> Node | None:
        node = self._root
        for part in pointer:
            if node is None or node.children is None:
                return None
            node = node.children.get(part)
        return node

    def _span(self, start: int, end: int) -> Span:
        if self._lines is None:
            self._lines = LineIndex(self._text)
        return self._lines.span(start, end)
