"""Where the value of an option stands among words: behind it, glued to it, or behind `=`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from plugseal.lang.folded import HOLE
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_WINDOWS: Final = lazy(
    r"(?:[-/]([A-Za-z?][\w.+-]*)(?:[:=](?!//)(.*))?|(--[A-Za-z][\w-]*|[A-Za-z]\w*)=(.*))\Z", re.DOTALL
)
_ASSIGNMENT: Final = lazy(r"[A-Za-z_]\w*\+?=")


class Valued(NamedTuple):
    """The value of an option."""

    at: int
    """The word that holds it."""
    skip: int
    """Characters of that word before it."""
    text: str
    option: str


def windows_words(words: Sequence[str]) -> tuple[str, ...]:
    """Return words with options as Windows writes them (`/Out:a`, `-out:a`, `binPath=a`) in one spelling: `-out=a`.

    Every word stays as long as it is, and what stands behind an option's name stays where it is.
    """
    return tuple([_windows_word(word) if word[:1] in "-/" or "=" in word else word for word in words])


def _windows_word(word: str) -> str:
    found = _WINDOWS.match(word)
    if found is None:
        return word
    if found[3]:
        return f"{found[3].lower()}={found[4]}"
    name = f"-{found[1].lower()}"
    return name if len(name) == len(word) else f"{name}={found[2] or ''}"


@lru_cache(maxsize=512)
def _letters(options: frozenset[str]) -> frozenset[str]:
    """Return the letters of those options that are one."""
    return frozenset(option[1] for option in options if len(option) == 2 and option[0] == "-" and option[1] != "-")


def option_values(words: Sequence[str], options: frozenset[str], *, glues: bool = True) -> Iterator[Valued]:
    """Yield the values of some options, as `-o v`, `-ov`, `-xo v`, `--out v` and `--out=v`; of `--x:2` the second.

    Args:
        words: behind the program.
        options: whose values are looked for.
        glues: whether a letter may stand among others and before its value; on Windows `-optimize` is no `-o`.
    """
    letters = _letters(options) if glues else frozenset()
    for at, word in enumerate(words):
        if word == "--":
            return
        if word in options or (_is_long(word) and word.lower() in options):
            if at + 1 < len(words):
                yield Valued(at + 1, 0, words[at + 1], word)
            continue
        if word[:2] == "--" and f"{word}:2" in options:
            if at + 2 < len(words):
                yield Valued(at + 2, 0, words[at + 2], word)
            continue
        name, equals, value = word.partition("=")
        if equals and name in options:
            yield Valued(at, len(name) + 1, value, name)
        elif letters and len(word) > 2 and word[0] == "-" and word[1] != "-":
            if word[1] in letters and HOLE not in word[:2]:
                yield Valued(at, 2, word[2:], word[:2])
            elif word[-1] in letters and word[1:].isalnum() and at + 1 < len(words):
                yield Valued(at + 1, 0, words[at + 1], "-" + word[-1])


def _is_long(word: str) -> bool:
    """Say whether an option is no single letter: `-F` and `-f` are two."""
    return len(word) > 2 or word[:1] != "-"


def plain_words(words: Sequence[str], values: frozenset[str]) -> list[tuple[int, str]]:
    """Return the words that are neither options nor their values, each with its place.

    Args:
        words: behind the program.
        values: options whose next word is their value; `--arg:2` besides says that the next two are.
    """
    found: list[tuple[int, str]] = []
    before, is_rest = "", False
    for at, word in enumerate(words):
        if word == "--" and not is_rest:
            is_rest = True
        elif is_rest or (
            not (word.startswith("-") and word != "-")
            and before not in values
            and not (before[:1] == "-" and _ends_with_value(before, values))
            and not (at > 1 and words[at - 2][:2] == "--" and f"{words[at - 2]}:2" in values)
        ):
            found.append((at, word))
        before = word
    return found


def _ends_with_value(word: str, values: frozenset[str]) -> bool:
    """Say whether the last of several letters takes the next word, as in `-Eu root`."""
    return (
        len(word) > 2 and word[0] == "-" and word[1:].isalpha() and "-" + word[-1] in values and word[:2] not in values
    )


def _is_own(word: str, also: frozenset[str], beside: re.Pattern[str] | None) -> bool:
    """Say whether a word is a wrapper's own, whatever stands before it."""
    if (word.startswith("-") and len(word) > 1) or word in also or _ASSIGNMENT.match(word):
        return True
    return beside is not None and beside.match(word) is not None


def behind_own(
    words: Sequence[str],
    values: frozenset[str],
    own: int,
    *,
    also: frozenset[str] = frozenset(),
    beside: re.Pattern[str] | None = None,
    pairs: frozenset[str] = frozenset(),
    is_last: bool = False,
) -> int:
    """Return where the words begin that a wrapper runs: behind its options, their values and its own words.

    Args:
        words: all behind its name.
        values: options whose next word is their value.
        own: how many words of its own it has.
        also: words that are options though they do not look like it.
        beside: fits words that are its own, wherever they stand.
        pairs: options with two values.
        is_last: whether nothing of what follows its last own word is its own.
    """
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            return at + 1 + own
        if word in pairs:
            at += 3
        elif word in values or _ends_with_value(word, values):
            at += 2
        elif _is_own(word, also, beside):
            at += 1
        elif not own:
            break
        elif is_last and HOLE in word and at + 1 < len(words) and words[at + 1] in values:
            at += 1  # What is not known may have been options, since options follow.
        else:
            own, at = own - 1, at + 1
            if is_last and not own:
                break
    return at
