"""Code in comments that Windows' script host runs: `/*@cc_on … @*/`, `//@cc_on …`, then `/*@if … @*/`.

To every other runtime it is a comment, so people don't see it, and nothing else runs it. As the script host reads a
file, marks and directives are blanks, and every other character keeps its place. That is a second reading of the file
and never the only one: a quotation mark in such a comment makes a text of what other runtimes run.

See: https://learn.microsoft.com/previous-versions/windows/internet-explorer/ie-developer/scripting-articles/8ka90k2e(v=vs.84)
"""

from __future__ import annotations

from typing import Final

from plugseal.patterns import lazy

MARK: Final = b"@cc_on"
_OPENING: Final = lazy(rb"/(?:\*@(?=(?:cc_on|if|elif|else|end|set)\b)|/(?=@cc_on\b))")
_CLOSING: Final = b"@*/"
_CLOSES: Final = lazy(rb"@\*/")
_LINE_END: Final = lazy(rb"(?=[\r\n]|\Z)")
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
        made[start : start + 2] = b"  "
        if data.startswith(b"/*", start):
            made[end - len(_CLOSING) : end] = b" " * len(_CLOSING)
    return _DIRECTIVE.sub(lambda found: _VISIBLE.sub(b" ", found[0]), bytes(made))


def is_open(data: bytes) -> bool:
    """Say whether directives stand in no comment: blanks in their place turn nothing into a text or a comment."""
    return not _comments(data)


def covered_places(data: bytes) -> list[tuple[int, int]]:
    """Return the (start, end) offsets of comments that hold code."""
    marks = 2 + len(MARK) + len(_CLOSING)
    return [(start, end) for start, end in _comments(data) if end - start > _MIN_CODE + marks]


def _comments(data: bytes) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    opening = _OPENING.search(data)
    while opening is not None and len(found) < _MAX_COMMENTS:
        closing = (_CLOSES if opening[0] == b"/*@" else _LINE_END).search(data, opening.end())
        if closing is None:
            break
        found.append((opening.start(), closing.end()))
        opening = _OPENING.search(data, closing.end())
    return found
