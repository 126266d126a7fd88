"""The source lines of a finding with carets, the way rustc and ruff draw them.

A span within one line gets carets under it; a span over several lines gets a bar beside them. Everything is placed by
what it takes on a screen, so that wide characters, tabs and escapes keep carets where they belong.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.model.finding import Finding
from plugseal.render.text import Line, Piece, line
from plugseal.shown import shown, shown_line

MAX_SOURCE_COLUMNS: Final = 120
"""A longer source line is cut around the place that matters."""


def render_snippet(finding: Finding) -> Iterator[Line]:
    """Yield the source lines of a finding between two empty margins; nothing where there is no source."""
    if not finding.source or finding.span.line == 0:
        return
    span = finding.span
    lines_there = span.end_line - span.line + 1
    last = span.line + min(len(finding.source), max(lines_there, 1)) - 1
    margin = _Margin(digits_of(finding))
    style = finding.severity.value
    note = shown(finding.note)
    yield margin.bare()
    if last == span.line and lines_there <= 1:
        yield from _single(finding, margin, Piece(note, style))
    else:
        yield from _several(finding, margin, last, Piece(note, style))
    yield margin.bare()


def digits_of(finding: Finding) -> int:
    """Return how many columns the line numbers of a finding's block take, two at least."""
    last = finding.span.line + max(len(finding.source) - 1, 0)
    return max(len(str(last)), 2)


class _Margin:
    """The column of line numbers left of the source."""

    def __init__(self, digits: int) -> None:
        self.digits = digits

    def bare(self) -> Line:
        return line(Piece(" " * self.digits + " |", "dim"))

    def numbered(self, number: int, *rest: Piece) -> Line:
        space = " " if any(piece.text for piece in rest) else ""
        return line(Piece(f"{number:>{self.digits}} |", "dim"), space, *rest)

    def below(self, *rest: Piece) -> Line:
        return line(Piece(" " * self.digits + " |", "dim"), " ", *rest)


def _single(finding: Finding, margin: _Margin, note: Piece) -> Iterator[Line]:
    span = finding.span
    source = shown_line(finding.source[0], MAX_SOURCE_COLUMNS, focus=span.column)
    first, after = _marked(finding)
    start = source.column(first)
    end = max(source.column(after), start + 1)
    yield margin.numbered(span.line, Piece(source.text))
    tail = (Piece(" "), note) if note.text else ()
    yield margin.below(Piece(" " * (start - 1)), Piece("^" * (end - start), note.style), *tail)


def _marked(finding: Finding) -> tuple[int, int]:
    """Return the columns to mark; an empty span at the start of a line means the line."""
    span, text = finding.span, finding.source[0]
    if span.column == span.end_column == 1 and text.strip():
        return len(text) - len(text.lstrip()) + 1, len(text.rstrip()) + 1
    return span.column, span.end_column


def _several(finding: Finding, margin: _Margin, last: int, note: Piece) -> Iterator[Line]:
    r"""Draw a bar from the first line of the span to its end, or to the last line there is.

    `/` opens the bar where the span begins with its line's first word, else a `___^` below the first line does.
    """
    span, bar = finding.span, Piece("| ", note.style)
    lead = finding.source[0][: max(span.column - 1, 0)]
    for number in range(span.line, last + 1):
        source = shown_line(finding.source[number - span.line], MAX_SOURCE_COLUMNS)
        if number > span.line:
            yield margin.numbered(number, bar, Piece(source.text))
        elif not lead.strip():
            yield margin.numbered(number, Piece("/ ", note.style), Piece(source.text))
        else:
            yield margin.numbered(number, Piece("  "), Piece(source.text))
            yield margin.below(Piece(" " + "_" * source.column(span.column) + "^", note.style))
    tail = (Piece(" "), note) if note.text else ()
    if last < span.end_line:
        colon = ":" if note.text else ""
        yield margin.below(Piece(f"|_ … to line {span.end_line}{colon}", note.style), *tail)
        return
    final = shown_line(finding.source[last - span.line], MAX_SOURCE_COLUMNS)
    yield margin.below(Piece("|" + "_" * max(final.column(span.end_column) - 1, 0) + "^", note.style), *tail)
