"""Break what is longer than the screen, so that a plugin's words never stand where one of our lines begins.

A terminal goes on in its first column with what does not fit: a long name could so bring a line of its own choice to
the beginning of a row. Here it goes on further in than it began, behind a mark. What is copied (tokens, commands of
ours) is never broken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.patterns import lazy
from plugseal.render.text import Line, Piece, plain
from plugseal.shown import display_width

MARK: Final = "| "
"""Before what goes on."""
_FURTHER: Final = 4
_LEAST: Final = 24
"""Columns that text has at least, however far in it stands."""
_COPIED: Final = lazy(r"[0-9a-f]{64}(?:\.[0-9a-f]{64})?", re.ASCII)


def hang(lines: Iterable[Line], width: int) -> Iterator[Line]:
    """Yield lines of which none is wider than the screen but those that are copied.

    Args:
        lines: as they would be printed.
        width: columns of the screen.
    """
    for one in lines:
        if display_width(plain(one)) <= width or any(_is_copied(piece) for piece in one):
            yield one
        else:
            yield from _broken(one, width)


def _is_copied(piece: Piece) -> bool:
    return piece.style == "command" or _COPIED.fullmatch(piece.text) is not None


def _broken(one: Line, width: int) -> Iterator[Line]:
    text = plain(one)
    indent = len(text) - len(text.lstrip(" "))
    margin = Piece(" " * min(indent + _FURTHER, max(width - _LEAST, 0)) + MARK, "dim")
    row: list[Piece] = []
    used = 0
    for piece in one:
        start = 0
        for at, character in enumerate(piece.text):
            columns = display_width(character)
            if used + columns > width:
                yield (*row, piece._replace(text=piece.text[start:at]))
                row, start, used = [margin], at, len(margin.text)
            used += columns
        row.append(piece._replace(text=piece.text[start:]))
    yield tuple(row)
