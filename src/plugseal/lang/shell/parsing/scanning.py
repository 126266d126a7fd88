"""Words that need no grammar: how they are told from the rest, and what braces make of one."""

from __future__ import annotations

import re
from typing import Final

from plugseal.patterns import lazy
from plugseal.records import NamedTuple

BRACE: Final = lazy(r"\{(?=[^{}]*\})([^{}]*,[^{}]*)\}")


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
