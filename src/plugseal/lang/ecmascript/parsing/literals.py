"""Texts of JavaScript as the language reads them: escapes in strings and identifiers resolved."""

from __future__ import annotations

import re
from typing import Final

from plugseal.patterns import lazy

_ESCAPE: Final = lazy(r"\\(?:u\{([0-9A-Fa-f]+)\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|([0-7]{1,3})|(\r\n|[\s\S]))")
_SINGLE: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}
_LINE_ENDS: Final = ("\n", "\r", "\r\n", "\u2028", "\u2029")
_PAIR: Final = lazy("[\ud800-\udbff][\udc00-\udfff]")


def unescape(text: str) -> str:
    """Return a string's or an identifier's text with its escapes resolved, halves of one character joined."""
    if "\\" not in text:
        return text
    return _PAIR.sub(_joined, _ESCAPE.sub(_character, text))


def unescape_name(name: bytes) -> bytes:
    """Return an identifier as it stands in the source without its escapes, which mean the same name."""
    return unescape(name.decode("utf-8", "replace")).encode("utf-8", "replace")


def _character(match: re.Match[str]) -> str:
    braced, wide, narrow, octal, single = match.groups()
    digits = braced or wide or narrow
    if digits:
        code = int(digits[-8:], 16)
        return chr(code) if code < 0x110000 else "\ufffd"
    if octal:
        return chr(int(octal, 8))
    return "" if single in _LINE_ENDS else _SINGLE.get(single, single)


def _joined(match: re.Match[str]) -> str:
    return match[0].encode("utf-16", "surrogatepass").decode("utf-16")
