"""Where a node stands, in code points: `ast` counts columns in bytes of UTF-8."""

from __future__ import annotations

import ast
import re
from typing import Final

from plugseal.model.location import Span

_LINE_END: Final = re.compile(r"\r\n|\r|\n")


class Places:
    """The spans of one text's nodes."""

    __slots__ = ("_bytes", "_is_ascii", "text", "within")

    def __init__(self, text: str) -> None:
        self.text = text
        self._is_ascii = text.isascii()
        self._bytes: list[bytes | None] | None = None
        self.within: Span | None = None
        """Set for code inside a string: everything takes the place of the string."""

    def span(self, node: ast.expr | ast.stmt | ast.alias) -> Span:
        """Return the span of a node."""
        if self.within is not None:
            return self.within
        line, end_line = node.lineno, node.end_lineno or node.lineno
        column, end_column = node.col_offset, node.end_col_offset or node.col_offset
        if self._is_ascii:
            return Span(line, column + 1, end_line, end_column + 1)
        return Span(line, self._column(line, column), end_line, self._column(end_line, end_column))

    def _column(self, line: int, offset: int) -> int:
        if self._bytes is None:
            lines = _LINE_END.split(self.text)
            self._bytes = [None if one.isascii() else one.encode("utf-8", "surrogatepass") for one in lines]
        known = self._bytes[line - 1] if line <= len(self._bytes) else None
        if known is None:
            return offset + 1
        return len(known[:offset].decode("utf-8", "ignore")) + 1
