"""The words, texts and signs of AppleScript, in statements; comments are dropped, so that nothing in them counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_TOKEN: Final = lazy(
    r"(?P<blank>[ \t]+|\u00ac[ \t]*(?:--[^\n]*)?(?:\r?\n|\r)|(?:--|\#)[^\n]*|\(\*.*?(?:\*\)|\Z))"
    r"|(?P<text>\"(?:[^\"\\]|\\.)*(?:\"|\\?\Z))"
    r"|(?P<word>[^\W\d]\w*|\|[^|\n]*\|)"
    r"|(?P<number>\d[\w.]*)"
    r"|(?P<end>\r?\n|\r)"
    r"|(?P<sign>.)",
    re.DOTALL,
)
_ESCAPE: Final = lazy(r"\\(.)", re.DOTALL)
_LETTERS: Final = {"n": "\n", "t": "\t", "r": "\r"}
_LONGEST: Final = 400
"""Words of one statement: what looks around in it must not take long."""


class Token(NamedTuple):
    """One word, text, number or sign."""

    kind: str
    """`text`, `word`, `number` or `sign`."""
    text: str
    """A word in lower case, a text as its script means it."""
    offset: int


def statements(script: str) -> Iterator[list[Token]]:
    """Yield the statements of a script: lines, those that `¬` continues made one."""
    found: list[Token] = []
    for match in _TOKEN.finditer(script):
        kind = match.lastgroup or ""
        if kind == "end" or len(found) >= _LONGEST:
            if found:
                yield found
            found = []
        if kind == "text":
            found.append(Token(kind, _meant(match[0]), match.start()))
        elif kind not in ("blank", "end"):
            found.append(Token(kind, match[0].strip("|").lower() if kind == "word" else match[0], match.start()))
    if found:
        yield found


def _meant(quoted: str) -> str:
    """Return the text that stands between quotes."""
    inner = quoted[1:-1] if len(quoted) > 1 and quoted.endswith('"') else quoted[1:]
    return _ESCAPE.sub(lambda found: _LETTERS.get(found[1], found[1]), inner) if "\\" in inner else inner
