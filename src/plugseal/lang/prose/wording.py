"""Bring the words of prose into one form, so that a rule's pattern meets them however they were written.

Small letters, single spaces, plain quotes, no marks of emphasis, no HTML tags, no characters that nobody sees, and
Latin letters for those that only look like them. What it is for is comparing: nothing of it is shown.
"""

from __future__ import annotations

import re
from typing import Final

from plugseal.patterns import lazy

_INVISIBLE: Final = lazy(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\U000e0000-\U000e0fff]+"
)
_LOOKS_LIKE: Final = {
    **dict(zip(range(0xFF01, 0xFF5F), map(chr, range(0x21, 0x7F)), strict=True)),
    **{
        ord(a): b
        for a, b in zip(
            "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d\u300e\u300f",
            '\'\'\'\'""""""""""',
            strict=True,
        )
    },
    **{
        ord(a): " "
        for a in "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
    },
    **{ord(a): "-" for a in "\u2010\u2011\u2012\u2013\u2212"},
    ord("\u2026"): "...",
}
_LETTERS: Final = dict(
    zip(
        map(ord, "\u0430\u0432\u0435\u0455\u0456\u0458\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0501"
            "\u0261\u03b1\u03b5\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7\u0131\u0410\u0412\u0415\u0405\u0406"
            "\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0391\u0392\u0395\u0396\u0397\u0399\u039a"
            "\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"),
        "abesijkmhopctyxdgaeikvoptuxiabesijkmhopctyxabezhikmnoptyx",
        strict=True,
    )
)  # fmt: skip
"""Letters of other scripts that look like Latin ones; folded only in words that hold Latin letters too."""
_MIXED: Final = lazy(
    "(?:(?<![a-z])[a-z]+(?=[\u0370-\u052f\u0131\u0261])|[\u0370-\u052f\u0131\u0261](?=[a-z]))[a-z\u0370-\u052f\u0131\u0261]*"
)
_TAG: Final = lazy(
    r"</?[a-z][a-z0-9]{0,15}(?:[ \t\n]+(?![ \t\n])(?:[a-z-]{1,20}|[^<>=]{0,60}=[^<>]{0,300}))?[ \t\n]?/?>"
)
"""An element: words alone between brackets are a place to be filled in, which says what goes there."""
_EMPHASIS: Final = lazy(r"[*]+|(?<![a-z0-9_])_{1,3}(?=[a-z0-9])|(?<=[a-z0-9.!?])_{1,3}(?![a-z0-9_])")
_NUMBERED: Final = lazy(r"&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}));")
_BLANKS: Final = lazy(r"[ \t\n\r\f\v]+")


def without_invisible(text: str) -> str:
    """Return a text without the characters that nobody sees."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def plain_words(text: str) -> str:
    """Return a text in the form that patterns are written for."""
    text = text.lower()
    if "&#" in text:
        text = _NUMBERED.sub(_character, text)
    if not text.isascii():
        text = _INVISIBLE.sub("", text).translate(_LOOKS_LIKE)
        if _MIXED.search(text):
            text = _MIXED.sub(lambda match: match[0].translate(_LETTERS), text)
    if "<" in text:
        text = _TAG.sub(" ", text)
    if "*" in text or "_" in text:
        text = _EMPHASIS.sub("", text)
    return _BLANKS.sub(" ", text).strip(" ")


def _character(match: re.Match[str]) -> str:
    """Return the character that a reference by number stands for: a model reads it as one, and brackets make no tag."""
    code = int(match[1], 16) if match[1] else int(match[2])
    if code in (ord("<"), ord(">")):
        return " "
    return chr(code).lower() if 0x20 <= code < 0xD800 else match[0]
