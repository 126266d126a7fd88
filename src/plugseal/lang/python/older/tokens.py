"""Source bytes of Python 2 to tokens, and tokens to statements, as far as a rewriting of statements needs them.

It is no check of a grammar: what comes out of the rewriting is parsed by `ast`, which refuses what is no Python.
Everything is linear in the source; the first thing that can't be a token ends it.
"""

from __future__ import annotations

import re
from typing import Final

from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_TOKEN: Final = lazy(
    rb"""
    (?P<space>[ \t\f]+)
  | (?P<comment>\#[^\r\n]*)
  | (?P<joined>\\(?:\r\n|\r|\n))
  | (?P<newline>\r\n|\r|\n)
  | (?P<string>[uUbBrR]{0,2}(?:\"\"\"|'''|\"|'))
  | (?P<number>(?:0[xXoObB][0-9a-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)[lLjJ]?)
  | (?P<name>[A-Za-z_\x80-\xff][\w\x80-\xff]*)
  | (?P<operator><>|>>|.)
    """,
    re.X | re.S,
)
_DOUBLE: Final = lazy(rb'(?:[^\\"\r\n]|\\(?:\r\n|.))*"', re.S)
_SINGLE: Final = lazy(rb"(?:[^\\'\r\n]|\\(?:\r\n|.))*'", re.S)
_LONG_DOUBLE: Final = lazy(rb'(?:[^\\"]|\\.|"(?!""))*"""', re.S)
_LONG_SINGLE: Final = lazy(rb"(?:[^\\']|\\.|'(?!''))*'''", re.S)
_ENDS: Final = {b'"': _DOUBLE, b"'": _SINGLE, b'"""': _LONG_DOUBLE, b"'''": _LONG_SINGLE}
_HEADERS: Final = frozenset(b"if elif else for while try except finally with def class".split())
"""What begins a statement that a colon ends."""
_BETWEEN: Final = frozenset(("space", "comment", "joined"))


class Token(NamedTuple):
    """One token, by its place in the source."""

    kind: str
    start: int
    end: int
    text: bytes

    @property
    def opens(self) -> bool:
        """Say whether it is an opening bracket."""
        return self.kind == "operator" and self.text in (b"(", b"[", b"{")

    @property
    def closes(self) -> bool:
        """Say whether it is a closing bracket."""
        return self.kind == "operator" and self.text in (b")", b"]", b"}")


def tokens_of(data: bytes) -> list[Token] | None:
    """Return all tokens of a source, blanks included; None where a string does not end."""
    found: list[Token] = []
    place = 0
    while place < len(data):
        match = _TOKEN.match(data, place)
        kind = match.lastgroup if match is not None else None
        if match is None or kind is None:
            return None
        end = match.end()
        if kind == "string":
            closed = _ENDS[match[0].lstrip(b"uUbBrR")].match(data, end)
            if closed is None:
                return None
            end = closed.end()
        found.append(Token(kind, place, end, data[place:end]))
        place = end
    return found


def statements_of(tokens: list[Token]) -> list[list[Token]]:
    """Return the tokens of each simple statement and of each header of a block, without what stands between them."""
    found: list[list[Token]] = []
    current: list[Token] = []
    depth = lambdas = 0
    for token in tokens:
        if token.kind in _BETWEEN:
            continue
        depth = max(depth + token.opens - token.closes, 0)
        ends = depth == 0 and (token.kind == "newline" or token.text == b";")
        if not ends and token.kind != "newline":
            current.append(token)
        if depth == 0 and token.text == b"lambda":
            lambdas += 1
        elif depth == 0 and token.text == b":" and lambdas:
            lambdas -= 1
        elif depth == 0 and token.text == b":" and current[0].text in _HEADERS:
            ends = True
        if ends:
            found.append(current)
            current, lambdas = [], 0
    found.append(current)
    return [statement for statement in found if statement]
