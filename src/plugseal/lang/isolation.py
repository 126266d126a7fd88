"""Tell sources that belong into a limited worker from those that may be parsed right here.

A parser's memory goes with the number of nodes, not of bytes: 256 KiB of `x=1` lines take 160 MB, of one string
nothing. So this counts what makes nodes. It is a few passes at C speed and decides nothing but the place: the facts
are the same on either side.
"""

from __future__ import annotations

from typing import Final

from plugseal.limits import KIB, MAX_INLINE_SOURCE_BYTES

MAX_INLINE_MARKS: Final = 48_000
"""Marks of more are parsed in a worker; each stands for about one node, some 500 bytes."""
MAX_INLINE_PIPES: Final = 4_000
"""More pipes are parsed in a worker: a line of so many commands that ends in a pipe takes the grammar of shells time
in the square of their number, in one step that nothing can count."""
MAX_INLINE_LINE_BYTES: Final = 16 * KIB
_MARKS: Final = b"\n()[]{},.=+-*/%<>|&^~@:;"


def needs_worker(data: bytes, _path: str) -> bool:
    """Say whether a source is too large or too odd to be parsed in the main process."""
    if len(data) > MAX_INLINE_SOURCE_BYTES or b"\0" in data:
        return True  # Grammars in C take a NUL for the end of a text in one place and for a character in another.
    if len(data) <= MAX_INLINE_LINE_BYTES:
        return False
    if data.count(b"|") > MAX_INLINE_PIPES:
        return True
    marks = len(data) - len(data.translate(None, _MARKS))
    return marks > MAX_INLINE_MARKS or _longest_line(data) > MAX_INLINE_LINE_BYTES


def _longest_line(data: bytes) -> int:
    return max(map(len, data.split(b"\n")))
