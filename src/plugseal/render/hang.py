"""Break what is longer than the screen, so that a plugin's words never stand where one of our lines begins.

A terminal goes on in its first column with what does not fit: a long name could so bring a line of its own choice to
the beginning of a row. Here it goes on further in than it began, behind a mark. What is copied (tokens, commands of
ours) is never broken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, TypeAlias

from plugseal.patterns import lazy
from plugseal.render.text import Line, Piece, plain
from plugseal.shown import display_width

MARK: Final = "| "
"""Before what goes on."""
_FURTHER: Final = 4
_LEAST: Final = 24
"""Columns that text has at least, however far in it stands."""
_NEAR: Final = 20
"""Characters before the end of a row among which a blank is looked for, so that words stay whole."""
_Cell: TypeAlias = "tuple[str, Piece]"
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
    cells = [(character, piece) for piece in one for character in piece.text]
    start, end = 0, _end(cells, 0, width)
    yield _row(cells[:end])
    while end < len(cells):
        start, end = end, _end(cells, end, width - len(margin.text))
        yield (margin, *_row(cells[start:end]))


def _end(cells: Sequence[_Cell], start: int, columns: int) -> int:
    """Return where a row ends that begins somewhere: behind its last blank, where one is near its end."""
    end = start
    while end < len(cells) and (columns := columns - display_width(cells[end][0])) >= 0:
        end += 1
    if end < len(cells):
        near = range(end - 1, max(start, end - _NEAR) - 1, -1)
        return next((at + 1 for at in near if cells[at][0] == " "), max(end, start + 1))
    return end


def _row(cells: Iterable[_Cell]) -> Line:
    runs = groupby(cells, key=lambda cell: id(cell[1]))
    whole = [list(run) for _, run in runs]
    return tuple(run[0][1]._replace(text="".join(character for character, _ in run)) for run in whole)
