"""Where in a manifest a value stands that a component was described with.

Systems give each component one place; a finding wants the word itself. The word is looked for as its format may spell
it, from the component's own line on. It is for showing only: where it can't be found, the component's place serves.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from plugseal.model.location import Span


def find_word(lines: list[str], near: Span, word: str) -> Span:
    """Return the place of a word in a manifest.

    Args:
        lines: the manifest's lines.
        near: the component's place; the search starts at its line.
        word: the value as parsed.
    """
    if not word:
        return near
    spellings = list(_spellings(word))
    for start in (max(0, near.line - 1), 0):
        for number in range(start, len(lines)):
            for spelling in spellings:
                column = lines[number].find(spelling)
                if column >= 0:
                    return Span(number + 1, column + 1, number + 1, column + len(spelling) + 1)
    return near


def _spellings(word: str) -> Iterator[str]:
    """Yield a value as JSON, TOML and YAML may write it, the surest first."""
    yield json.dumps(word, ensure_ascii=False)
    yield json.dumps(word)
    yield "'" + word.replace("'", "''") + "'"
    yield "'" + word + "'"
    if len(word) > 2 and "\n" not in word:
        yield word
