"""An explanation as text."""

from __future__ import annotations

from collections.abc import Iterator

from plugseal.model.explanation import Explanation
from plugseal.render.text import BLANK, Line, Piece, backticked, line, wrap_words
from plugseal.shown import shown

_WIDTH = 92
_PARAGRAPH_CHARACTERS = 20_000


def render_explanation(explanation: Explanation) -> Iterator[Line]:
    """Yield what, why and remedy of one identifier."""
    yield line(
        Piece(shown(explanation.id), "title"), f" ({explanation.kind}): ", *backticked(_shown(explanation.title))
    )
    if explanation.facts:
        yield line(Piece("  " + ", ".join(f"{name}: {shown(value)}" for name, value in explanation.facts), "dim"))
    for title, text in (("What", explanation.what), ("Why", explanation.why), ("Remedy", explanation.remedy)):
        if text:
            yield BLANK
            yield line(Piece(title, "title"))
            yield from _paragraphs(text)
    if explanation.references:
        yield BLANK
        yield line(Piece("Read more", "title"))
        for reference in explanation.references:
            yield line("  ", Piece(shown(reference), "path"))


def _paragraphs(text: str) -> Iterator[Line]:
    """Yield the paragraphs of a text, wrapped; lines that begin with spaces are code and stay as they are."""
    for number, paragraph in enumerate(text.strip("\n").split("\n\n")):
        if number:
            yield BLANK
        rows = paragraph.splitlines()
        if any(row.startswith("    ") for row in rows):
            yield from (line("  ", _shown(row)) for row in rows)
        else:
            joined = _shown(" ".join(row.strip() for row in rows))
            yield from (line("  ", *backticked(row)) for row in wrap_words(joined[:1].upper() + joined[1:], _WIDTH))


def _shown(text: str) -> str:
    return shown(text, limit=_PARAGRAPH_CHARACTERS)
