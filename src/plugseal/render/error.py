"""An error as a reader meets it: what, where, details, and after a blank line what to type."""

from __future__ import annotations

from collections.abc import Iterator

from plugseal.errors import PlugsealError
from plugseal.render.text import BLANK, Line, Piece, backticked, line
from plugseal.shown import shown, shown_path

_MESSAGE_CHARACTERS = 1000


def render_error(error: PlugsealError) -> Iterator[Line]:
    """Yield the lines of an error of ours."""
    yield line(Piece("error", "high"), ": ", *backticked(shown(error.message, limit=_MESSAGE_CHARACTERS)))
    if error.place:
        yield line(Piece("  --> ", "dim"), Piece(shown_path(error.place), "path"))
    for detail in error.details:
        yield line(Piece("   = ", "dim"), *backticked(shown(detail, limit=_MESSAGE_CHARACTERS)))
    if error.hint:
        yield BLANK
        yield line(Piece("hint", "literal"), ": ", *backticked(shown(error.hint, limit=_MESSAGE_CHARACTERS)))
