"""Code in comments that Windows' script host runs: `/*@cc_on … @*/`, and the directives that belong to it.

To every other runtime it is a comment, so people don't see it, and nothing else runs it. What is there is read as the
code that it is: marks and directives are replaced by blanks, and every other character keeps its place.
"""

from __future__ import annotations

from typing import Final

from plugseal.patterns import lazy

MARK: Final = b"@cc_on"
_OPENING: Final = b"/*@cc_on"
_CLOSING: Final = b"@*/"
_MAX_COMMENTS: Final = 64
_MIN_CODE: Final = 40
"""Bytes between the marks; less only tells one browser from another, as in `/*@cc_on!@*/false`."""
_DIRECTIVE: Final = lazy(
    rb"(?<![\w\"'.])@(?:(?:if|elif)[ \t]*\([^()\n]{0,200}\)|set[ \t]+@\w{1,60}[ \t]*=[ \t]*[\w.-]{1,60}"
    rb"|(?:else|end|cc_on)\b|(?=_[a-z]))"
)
_VISIBLE: Final = lazy(rb"[^\r\n]")


def uncovered(data: bytes) -> bytes:
    """Return the source as the script host reads it, of the same length."""
    made = bytearray(data)
    for start, end in _comments(data):
        made[start : start + len(_OPENING)] = b" " * len(_OPENING)
        made[end - len(_CLOSING) : end] = b" " * len(_CLOSING)
    return _DIRECTIVE.sub(lambda found: _VISIBLE.sub(b" ", found[0]), bytes(made))


def covered_places(data: bytes) -> list[tuple[int, int]]:
    """Return the (start, end) offsets of comments that hold code."""
    return [(start, end) for start, end in _comments(data) if end - start > _MIN_CODE + len(_OPENING) + len(_CLOSING)]


def _comments(data: bytes) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = data.find(_OPENING)
    while at >= 0 and len(found) < _MAX_COMMENTS:
        end = data.find(_CLOSING, at)
        if end < 0:
            break
        found.append((at, end + len(_CLOSING)))
        at = data.find(_OPENING, end)
    return found
