"""Words that need no grammar: how they are told from the rest, and what braces make of one."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from plugseal.patterns import lazy

BRACE: Final = lazy(r"\{(?=[^{}]*\})([^{}]*,[^{}]*)\}")


WORD: Final = lazy(
    rb"""(?:\s|\\\r?\n)*(?:
        (?P<plain>[^\s'"$`\\{}<>()|&;]+)
      | '(?P<single>[^']*)'
      | "(?P<double>[^"$`\\]*)"
      | (?P<quoted>[^\s'"$`\\{}<>()|&;]*"(?:[^"$`\\]|\$(?:[A-Za-z_]\w*|[0-9@*#?!$-])(?![\w}])|\$\{[A-Za-z_]\w*\})*")
      | \$(?P<bare>[A-Za-z_]\w*|[0-9@*#?!$-])
      | \$\{(?P<braced>[A-Za-z_]\w*)\}
    )(?=\s|\Z)(?:\s|\\\r?\n)*""",
    re.X,
)
"""A word that needs no grammar; anything else is left to the syntax tree."""
GLUED: Final = lazy(rb"[^\s\\]\\\r?\n[^\s\\]")
MARKS: Final = {
    "single": (1, 1),
    "double": (1, 1),
    "quoted": (0, 0),
    "bare": (1, 0),
    "braced": (2, 1),
}
"""Bytes of each kind of word before and behind its text."""


class Word(NamedTuple):
    """One word of a command, and where it stands, in bytes."""

    text: str
    flags: int
    start: int
    end: int


def braces(text: str) -> list[str]:
    """Return what brace expansion makes of a word, within bounds."""
    found = [text]
    for _ in range(4):
        made = []
        for one in found:
            match = BRACE.search(one)
            if match is None:
                made.append(one)
            else:
                made.extend(one[: match.start()] + part + one[match.end() :] for part in match[1].split(",")[:16])
        if made == found or len(made) > 64:
            break
        found = made
    return found
