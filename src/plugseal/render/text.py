"""Text as lines of styled pieces: the same characters with and without colour.

A line is a tuple of pieces; a piece is text and the name of a style (`STYLES`). Whoever writes it decides about
colour (`cli/output.py`), so nothing here knows a terminal, and plain output never needs rich. All text in a piece is
already safe to show: a plugin's words come through `shown()` before they become a piece.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from plugseal.records import NamedTuple
from plugseal.shown import display_width

STYLES: Final = frozenset({"", "title", "high", "medium", "low", "info", "path", "literal", "command", "good", "dim"})
"""Every style name; `cli/output.py` gives each a look."""


class Piece(NamedTuple):
    """A stretch of text in one style."""

    text: str
    style: str = ""


Line: TypeAlias = "tuple[Piece, ...]"

BLANK: Final[Line] = ()
GAP: Final = "  "
"""Between two columns of a table, and before its first."""


def line(*parts: str | Piece) -> Line:
    """Build a line out of plain strings and pieces, leaving out what is empty."""
    return tuple(Piece(part) if isinstance(part, str) else part for part in parts if part != "")


def plain(text_line: Line) -> str:
    """Return the characters of a line."""
    return "".join(piece.text for piece in text_line)


def count(number: int, one: str, many: str = "") -> str:
    """Say a number with its noun: `1 file`, `1,204 files`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def pad(text: str, columns: int) -> str:
    """Fill a safe text with spaces up to a width in columns."""
    return text + " " * (columns - display_width(text))


def cut_at_backticks(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the stretches of a sentence, and whether each is a literal; a backtick without another stays as it is."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        parts[-2:] = [f"{parts[-2]}`{parts[-1]}"]
    yield from ((part, number % 2 == 1) for number, part in enumerate(parts) if part or number % 2)


def backticked(text: str) -> Iterator[Piece]:
    """Yield the pieces of a message of ours whose literals stand in backticks."""
    for part, is_literal in cut_at_backticks(text):
        yield Piece(f"`{part}`", "literal") if is_literal else Piece(part)


def render_table(rows: Sequence[Sequence[Piece]], *, width: int, first: int = 1_000_000) -> Iterator[Line]:
    """Yield the rows of a table, columns aligned by what they take on a screen.

    The last column may wrap between its comma-separated words, aligned under itself; nothing else wraps.

    Args:
        rows: pieces, as many in each row.
        width: columns to stay within where wrapping can do it.
        first: columns that the first cell may take; a row with a longer one has its last cell on a line of its own.
    """
    if not rows:
        return
    middle = range(1, len(rows[0]) - 1)
    short = [display_width(row[0].text) for row in rows]
    widths = [max((columns for columns in short if columns <= first), default=0)]
    widths += [max(display_width(row[column].text) for row in rows) for column in middle]
    indent = len(GAP) + sum(columns + len(GAP) for columns in widths)
    for row, columns_of_first in zip(rows, short, strict=True):
        head = [Piece(GAP)]
        for piece, columns in zip(row[:-1], widths, strict=True):
            head += [piece, Piece(" " * (columns - display_width(piece.text)) + GAP)]
        if columns_of_first > first:
            yield _without_end_spaces(head)
            head = [Piece(" " * indent)]
        for number, part in enumerate(wrap_list(row[-1].text, width=max(width - indent, 24))):
            start = head if number == 0 else [Piece(" " * indent)]
            yield _without_end_spaces([*start, row[-1]._replace(text=part)])


def _without_end_spaces(pieces: Sequence[Piece]) -> Line:
    kept = [piece for piece in pieces if piece.text]
    while kept and not kept[-1].text.strip(" "):
        kept.pop()
    return tuple(kept)


def wrap_list(text: str, *, width: int) -> list[str]:
    """Break a comma-separated list into lines of at most `width` columns where it can be."""
    if display_width(text) <= width:
        return [text]
    lines: list[str] = []
    current = ""
    for word in text.split(", "):
        longer = f"{current}, {word}" if current else word
        if current and display_width(longer) + 1 > width:
            lines.append(current + ",")
            current = word
        else:
            current = longer
    return [*lines, current]


def wrap_words(text: str, columns: int) -> list[str]:
    """Break a text of ours between words; what stands in backticks stays whole, so that it can be copied."""
    from textwrap import wrap

    parts = text.split("`")
    parts[1::2] = [part.replace(" ", "\0") for part in parts[1::2]]
    rows = wrap("`".join(parts), columns, break_long_words=False, break_on_hyphens=False)
    return [row.replace("\0", " ") for row in rows]


def join_plain(lines: Iterable[Line]) -> str:
    """Return lines as one text, each line ended by a newline."""
    return "".join(plain(text_line) + "\n" for text_line in lines)
