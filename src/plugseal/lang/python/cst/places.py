"""Where libcst's nodes stand, in the coordinates of `ast`: 1-based lines, 0-based columns in UTF-8 bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from plugseal.patterns import lazy
from plugseal.records import NamedTuple

Node: TypeAlias = Any
"""A node of libcst. Its classes are told apart by name, so that libcst is imported at one place only."""

_LINE_END: Final = lazy(r"\r\n?|\n")


class Point(NamedTuple):
    """One place as `ast` writes it."""

    line: int
    column: int


class Place(NamedTuple):
    """A stretch as `ast` writes it, its end exclusive."""

    start: Point
    end: Point

    @classmethod
    def of(cls, made: Any) -> Place:
        """Return where a finished node of `ast` stands."""
        return cls(Point(made.lineno, made.col_offset), Point(made.end_lineno, made.end_col_offset))

    def fields(self) -> dict[str, int]:
        """Return the keyword arguments that every node of `ast` takes."""
        (line, column), (end_line, end_column) = self
        return {"lineno": line, "col_offset": column, "end_lineno": end_line, "end_col_offset": end_column}


class Places:
    """The places of all nodes of one module."""

    def __init__(self, text: str, ranges: Mapping[Node, Any]) -> None:
        """Take what libcst's `PositionProvider` computed.

        Args:
            text: the source that was parsed.
            ranges: node to libcst's code range, in code points.
        """
        self._ranges = ranges
        # Empty for a line of ASCII, where code points are bytes.
        self._source = _LINE_END.split(text)
        self._lines = ["" if line.isascii() else line for line in self._source]

    def inner(self, node: Node) -> Place:
        """Return where a node stands without the parentheses around it."""
        found = self._ranges[node]
        return Place(self._point(found.start), self._point(found.end))

    def outer(self, node: Node) -> Place:
        """Return where a node stands with all parentheses around it."""
        left, right = _parentheses(node)
        inner = self.inner(node)
        start = self.inner(left[0]).start if left else inner.start
        end = self.inner(right[-1]).end if right else inner.end
        return Place(start, end)

    def bracketed(self, node: Node) -> Place:
        """Return where a node stands with its innermost parentheses: those of tuples and generators are their own."""
        left, right = _parentheses(node)
        return Place(self.inner(left[-1]).start, self.inner(right[0]).end) if left else self.inner(node)

    def source(self, first: Node, last: Node) -> str:
        """Return the text from the start of one node to the end of another, line ends as LF."""
        start, end = self._ranges[first].start, self._ranges[last].end
        lines = self._source[start.line - 1 : end.line]
        lines[-1] = lines[-1][: end.column]
        lines[0] = lines[0][start.column :]
        return "\n".join(lines)

    def _point(self, place: Any) -> Point:
        line = self._lines[place.line - 1] if place.line <= len(self._lines) else ""
        column = place.column
        return Point(place.line, len(line[:column].encode("utf-8", "surrogatepass")) if line else column)


def _parentheses(node: Node) -> tuple[Any, Any]:
    return getattr(node, "lpar", ()), getattr(node, "rpar", ())


def until(place: Place, last: Any) -> Place:
    """Return a place that ends where a finished node of `ast` does."""
    return Place(place.start, Place.of(last).end)
