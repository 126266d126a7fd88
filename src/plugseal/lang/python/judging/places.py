"""Where a node stands, in code points: `ast` counts columns in bytes of UTF-8."""

from __future__ import annotations

import ast
from typing import Final

from plugseal.model.location import Span
from plugseal.patterns import lazy

_LINE_END: Final = lazy(rb"\r\n|\r|\n")


class Places:
    """The spans of one text's nodes."""

    __slots__ = ("_bytes", "is_ascii", "text", "within")

    def __init__(self, text: str) -> None:
        self.text = text
        self.is_ascii = text.isascii()
        self._bytes: list[bytes] | None = None
        self.within: Span | None = None
        """Set for code inside a string: everything takes the place of the string."""

    def span(self, node: ast.expr | ast.stmt | ast.alias) -> Span:
        """Return the span of a node."""
        if self.within is not None:
            return self.within
        line, end_line = node.lineno, node.end_lineno or node.lineno
        column, end_column = node.col_offset, node.end_col_offset or node.col_offset
        if self.is_ascii:
            return Span(line, column + 1, end_line, end_column + 1)
        return Span(line, self._column(line, column), end_line, self._column(end_line, end_column))

    def source(self, node: ast.expr) -> str:
        """Return a node's own source; empty for code inside a string, whose nodes have no place of their own."""
        if self.within is not None:
            return ""
        lines = self._encoded()
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        if last >= len(lines):
            return ""
        cut = lines[first : last + 1]
        cut[-1] = cut[-1][: node.end_col_offset]
        cut[0] = cut[0][node.col_offset :]
        return b"\n".join(cut).decode("utf-8", "ignore")

    def _encoded(self) -> list[bytes]:
        if self._bytes is None:
            data = self.text.encode("utf-8", "surrogatepass")
            self._bytes = _LINE_END.split(data) if b"\r" in data else data.split(b"\n")
        return self._bytes

    def _column(self, line: int, offset: int) -> int:
        lines = self._encoded()
        known = lines[line - 1] if line <= len(lines) else b""
        if known.isascii():
            return offset + 1
        return len(known[:offset].decode("utf-8", "ignore")) + 1
