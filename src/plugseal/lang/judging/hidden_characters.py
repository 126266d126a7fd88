"""Characters in a source text that show nothing, or reorder what is shown."""

from __future__ import annotations

from typing import Final

from plugseal.patterns import lazy

_UNSEEN: Final = lazy("[\u202a-\u202e\u2066-\u2069\u200b\u2060-\u2064\U000e0000-\U000e007f]+")
_WORD_BREAK: Final = lazy("[\u0e00-\u17ff\u2e80-\U0001efff]\u200b[\u0e00-\u17ff\u2e80-\U0001efff]")
"""One break between letters of scripts that write words without spaces: Khmer, Thai, Lao, Chinese."""


def hidden_characters(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) offsets of runs of characters that show nothing, or reorder what is shown."""
    if text.isascii():
        return []
    return [
        match.span() for match in _UNSEEN.finditer(text) if _WORD_BREAK.match(text, max(match.start() - 1, 0)) is None
    ]
