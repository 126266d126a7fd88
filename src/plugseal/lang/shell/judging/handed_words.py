"""The words that `xargs` adds to a command: what a pipe is known to hand it, `echo a | xargs cat`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.programs.options import option_values
from plugseal.lang.shell.words.marks import RESOLVED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plugseal.lang.programs import Started
    from plugseal.lang.shell.parsing.scanning import Word

_ADDING: Final = frozenset(("xargs", "gxargs"))
_PLACES: Final = frozenset(("-I", "-i", "--replace"))
_MAX_TEXT: Final = 4_096
_MAX_WORDS: Final = 16


def adds_words(started: Sequence[Started]) -> bool:
    """Say whether a command gets words of what it reads."""
    return len(started) > 1 and any(one.name in _ADDING for one in started[:-1])


def with_handed(started: Sequence[Started], words: Sequence[Word], text: str) -> Iterator[list[Word]]:
    """Yield the words with which a program is started, by `xargs`, for what it reads.

    Args:
        started: what the command starts; the last one gets the words.
        words: of the command.
        text: what is read; nothing is yielded where it is not known.
    """
    last = started[-1]
    own = list(words[last.at : last.at + len(last.words)])
    if not own or not text.strip() or HOLE in text or len(text) > _MAX_TEXT:
        return
    outer = next(one for one in started if one.name in _ADDING)
    options = outer.words[1 : last.at - outer.at]
    place = next((valued.text for valued in option_values(options, _PLACES)), "")
    if place:
        for line in text.splitlines()[:_MAX_WORDS]:
            yield [_placed(word, place, line.strip()) for word in own]
        return
    behind = own[-1]
    yield [*own, *(behind._replace(text=part, flags=RESOLVED) for part in text.split()[:_MAX_WORDS])]


def _placed(word: Word, place: str, line: str) -> Word:
    if place not in word.text:
        return word
    return word._replace(text=word.text.replace(place, line), flags=word.flags | RESOLVED)
