"""What is refused before any parser sees it: too large, too many tokens, brackets nested too deeply.

A parser's own limits differ between versions of Python and between machines; these are below all of them (measured
on 3.10 to 3.13: 200 brackets, 99 levels of indentation, 2,984 chained operators, 166 nested lambdas), so that the
verdict on a file never depends on the interpreter that reads it. Depth of the tree is checked after parsing, by the
collector, since it costs nothing there.
"""

from __future__ import annotations

import re
from typing import Final

from plugseal.limits import MAX_SOURCE_BYTES
from plugseal.patterns import lazy

MAX_BRACKETS: Final = 80
MAX_DEPTH: Final = 500
"""Levels of the tree."""
MAX_TOKENS: Final = 500_000

_NOT_BRACKETS: Final = bytes(set(range(256)) - set(b"()[]{}"))
_WORDS: Final = bytes(
    set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ \t\r\f") | set(range(128, 256))
)
_ROUNDS: Final = 24
_TOKEN: Final = lazy(
    rb"""
    (?P<comment>\#[^\r\n]*)
  | (?P<string>[A-Za-z]{0,2}(?:\"\"\"(?:[^\\"]|\\.|\"(?!\"\"))*(?:\"\"\"|\Z)|'''(?:[^\\']|\\.|'(?!''))*(?:'''|\Z)
      |\"(?:[^\\"\r\n]|\\.)*\"?|'(?:[^\\'\r\n]|\\.)*'?))
  | (?P<word>[\w\x80-\xff.]+)
  | (?P<open>[(\[{])
  | (?P<close>[)\]}])
  | [^\s]
    """,
    re.X | re.S,
)


def check_source(data: bytes) -> str:
    """Return why a source must not be parsed, or an empty text."""
    if len(data) > MAX_SOURCE_BYTES:
        return f"larger than {MAX_SOURCE_BYTES:,} bytes"
    if len(data) <= MAX_BRACKETS:
        return ""
    if len(data) > MAX_TOKENS and len(data.translate(None, _WORDS)) * 2 > MAX_TOKENS:
        tokens, depth = _measure(data)
        if tokens > MAX_TOKENS:
            return f"more than {MAX_TOKENS:,} tokens"
        return _too_deep(depth)
    if _may_nest(data):
        return _too_deep(_measure(data)[1])
    return ""


def _too_deep(depth: int) -> str:
    return f"brackets nest deeper than {MAX_BRACKETS}" if depth > MAX_BRACKETS else ""


def _may_nest(data: bytes) -> bool:
    """Say cheaply whether brackets may nest too deeply; never wrong when it says no.

    Each round takes away the innermost pairs, so brackets that nest n deep need n rounds, whatever stands in strings
    and comments can only leave more.
    """
    brackets = data.translate(None, _NOT_BRACKETS)
    for done in range(_ROUNDS):
        if len(brackets) <= MAX_BRACKETS - done:
            return False
        before = len(brackets)
        brackets = brackets.replace(b"()", b"").replace(b"[]", b"").replace(b"{}", b"")
        if len(brackets) == before:
            break
    return len(brackets) > MAX_BRACKETS - _ROUNDS


def _measure(data: bytes) -> tuple[int, int]:
    """Return the number of tokens and the deepest nesting of brackets, those inside f-strings included."""
    tokens = depth = deepest = 0
    for match in _TOKEN.finditer(data):
        kind = match.lastgroup
        if kind == "comment":
            continue
        tokens += 1
        if kind == "open":
            depth += 1
            deepest = max(deepest, depth)
        elif kind == "close":
            depth = max(depth - 1, 0)
        elif kind == "string":
            deepest = max(deepest, depth + _inside_string(match[0]))
    return tokens, deepest


def _inside_string(literal: bytes) -> int:
    """Return how deep brackets nest inside an f-string; 0 for other strings."""
    if b"f" not in literal[:2].lower():
        return 0
    depth = deepest = 0
    for byte in literal.translate(None, _NOT_BRACKETS):
        if byte in b"([{":
            depth += 1
            deepest = max(deepest, depth)
        else:
            depth = max(depth - 1, 0)
    return deepest
