"""Words that need no grammar: how they are told from the rest, and what braces make of one."""

from __future__ import annotations

import re
from typing import Final

from plugseal.lang.folded import HOLE
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_BRACE: Final = lazy(r"\{(?=[^{}]*\})([^{}]*,[^{}]*)\}")
_RANGE: Final = lazy(r"\{(-?[0-9]{1,9}|[A-Za-z])\.\.(-?[0-9]{1,9}|[A-Za-z])(?:\.\.-?([0-9]{1,9}))?\}")
"""All from one number or letter to another one: `{1..9}`, `{a..e..2}`."""
_MAX_PARTS: Final = 16


_BARE: Final = r"""[^\s'"$`\\{}<>()|&;]"""
_VARIABLE: Final = r"""\$(?:[A-Za-z_]\w*|[0-9@*#?!$-])"""
_SAFE: Final = r"""[^"$`\\]*"""
_TOKEN: Final = (
    rf"""(?:{_BARE}+|'[^']*'|{_BARE}*"{_SAFE}(?:(?:{_VARIABLE}(?![\w}}])|\$\{{[A-Za-z_]\w*\}}){_SAFE})*"|{_VARIABLE}"""
    r"""|\$\{[A-Za-z_]\w*\})(?=\s|\Z)"""
)
"""One way alone to take each word: two ways would be tried for every word of a command that ends otherwise."""
WORD: Final = lazy(_TOKEN, re.ASCII)
"""A word that needs no grammar: plain, quoted, or the name of a variable."""
WORDS: Final = lazy(rf"(?:(?:\s|\\\r?\n)*{_TOKEN})*(?:\s|\\\r?\n)*\Z", re.ASCII)
"""A command of nothing but such words; any other is left to the syntax tree."""
PLAIN: Final = lazy(r"[A-Za-z0-9_:.+-]+(?:[ \t\r\n][\t\n\r !#%*+,\-./0-9:=?@A-Z\[\]^_a-z~]*)?\Z")
"""Words without anything that a shell or this reader takes for more than itself."""
GLUED: Final = lazy(rb"[^\s\\]\\\r?\n[^\s\\]")


class Word(NamedTuple):
    """One word of a command, and where it stands, in bytes."""

    text: str
    flags: int
    start: int
    end: int


def has_braces(text: str) -> bool:
    """Say whether the shell makes several words of one by its braces."""
    return "{" in text and (_BRACE.search(text) is not None or _RANGE.search(text) is not None)


def _ranged(found: re.Match[str]) -> str:
    """Return a range as the list that it stands for; a hole where it is too long, or of no kind."""
    first, last, step = found[1], found[2], int(found[3] or 1) or 1
    is_number = first.lstrip("-").isdigit()
    if is_number != last.lstrip("-").isdigit():
        return found[0]
    low, high = (int(first), int(last)) if is_number else (ord(first), ord(last))
    values = range(low, high + 1, step) if low <= high else range(low, high - 1, -step)
    if len(values) > _MAX_PARTS:
        return HOLE
    is_padded = is_number and any(len(end) > 1 and end.lstrip("-").startswith("0") for end in (first, last))
    width = max(len(first), len(last)) if is_padded else 0
    made = [f"{value:0{width}d}" if is_number else chr(value) for value in values]
    return made[0] if len(made) == 1 else "{" + ",".join(made) + "}"


def braces(text: str) -> list[str]:
    """Return what brace expansion makes of a word, within bounds."""
    found = [_RANGE.sub(_ranged, text) if ".." in text else text]
    for _ in range(4):
        made = []
        for one in found:
            match = _BRACE.search(one)
            if match is None:
                made.append(one)
            else:
                made.extend(
                    one[: match.start()] + part + one[match.end() :] for part in match[1].split(",")[:_MAX_PARTS]
                )
        if made == found or len(made) > 64:
            break
        found = made
    return found
