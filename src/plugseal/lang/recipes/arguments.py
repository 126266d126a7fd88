"""Words with parts that nobody knows, as the shell line that means the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from plugseal.lang.folded import HOLE
from plugseal.patterns import lazy

_SPECIAL: Final = lazy(r"([\"\\$`])")
_BUILT_IN: Final = frozenset("echo printf true false test [ pwd kill :".split())
_PLAIN: Final = lazy(r"[\w@%+=:,./-]+\Z")


def shell_line(words: Iterable[str]) -> str:
    """Return a line for a shell that starts the same words; what is not known is a variable in it."""
    return " ".join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    if HOLE not in word:
        return word if _PLAIN.match(word) else "'" + word.replace("'", "'\\''") + "'"
    parts = [_SPECIAL.sub(r"\\\1", part) for part in word.split(HOLE)]
    return '"' + "${_}".join(parts) + '"'


def is_builtin(program: str) -> bool:
    """Say whether a shell does by itself what is a program where no shell is between."""
    return program in _BUILT_IN


def shown(word: str) -> str | None:
    """Return a word as the object of a fact, None where nothing of it is known."""
    text = word.replace(HOLE, "*")
    return text[:256] if text.strip("*/") else None
