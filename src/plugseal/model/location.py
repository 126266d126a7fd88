"""Places in files."""

from __future__ import annotations

from plugseal.records import NamedTuple


class Span(NamedTuple):
    """A stretch of a file; `line == 0` means the whole file."""

    line: int
    """1-based; 0 for a fact about the whole file."""
    column: int
    """1-based, in code points of the decoded line; 0 where `line` is 0."""
    end_line: int
    end_column: int
    """1-based and exclusive: the column after the last code point."""


WHOLE_FILE = Span(0, 0, 0, 0)
