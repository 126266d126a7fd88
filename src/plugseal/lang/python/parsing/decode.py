"""Bytes of a source file to text, by the rules of Python (PEP 263), without its looseness.

Only codecs that every reader of the file would apply alike are accepted; others hide what a person sees and are
`unread`. Nothing is replaced or ignored.
"""

from __future__ import annotations

import re
from typing import Final

from plugseal.patterns import lazy

_COOKIE: Final = lazy(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", needs=(b"coding",))
_BLANK: Final = lazy(rb"^[ \t\f]*(?:#.*)?$")
_LINE_END: Final = lazy(rb"\r\n|\r|\n")
_CODECS: Final = {
    "utf8": "utf-8",
    "utf8sig": "utf-8",
    "u8": "utf-8",
    "ascii": "utf-8",
    "usascii": "utf-8",
    "latin1": "latin-1",
    "iso88591": "latin-1",
    "l1": "latin-1",
    "iso885915": "iso-8859-15",
    "latin9": "iso-8859-15",
    "cp1252": "cp1252",
    "windows1252": "cp1252",
}
_ODD: Final = "declares the coding "
_MARKS: Final = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


def decode_source(data: bytes) -> tuple[str, str]:
    """Return the text and an empty reason, or empty text and the reason why it can't be read."""
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return _decoded(data, codec)
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
        cookie = coding_cookie(data)
        if cookie and _CODECS.get(_normal(cookie)) != "utf-8":
            return "", f"marked as UTF-8, declared as {_shown(cookie)}"
        return _decoded(data, "utf-8")
    cookie = coding_cookie(data)
    declared = _CODECS.get(_normal(cookie)) if cookie else "utf-8"
    if declared is None:
        return "", f"{_ODD}{_shown(cookie)}"
    return _decoded(data, declared)


def is_odd_coding(reason: str) -> bool:
    """Say whether a reason is that the declared coding is not one of those that show what they say."""
    return reason.startswith(_ODD)


def coding_cookie(data: bytes) -> str:
    """Return the coding that the first two lines declare, empty where they declare none."""
    lines = _LINE_END.split(data[:1_024], 2)[:2]
    for line in lines:
        found = _COOKIE.match(line)
        if found is not None:
            return found[1].decode("ascii", "replace")
        if not _BLANK.match(line):
            break
    return ""


def _normal(name: str) -> str:
    return re.sub(r"[-_. ]", "", name.lower())


def _shown(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9._-]{1,32}", name) else "of an unknown name"


def _decoded(data: bytes, codec: str) -> tuple[str, str]:
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as error:
        line = len(_LINE_END.split(data[: error.start]))
        return "", f"not {codec.upper()} (line {line})"
    if "\0" in text:
        return "", "holds NUL characters"
    return text.removeprefix("\ufeff"), ""
