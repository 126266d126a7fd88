"""What code says to a model: the descriptions of the tools that it declares, which a model reads as it reads a skill.

They are found by a search over literals, which is no parser: it is the same on every interpreter, takes linear time,
and leaves out what it can't tell. A text knows where its parts stand, so that a sentence of it has a place of its own.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Final

from plugseal.model.location import Span
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

MAX_ADDRESSED: Final = 2_000
"""Texts of one file; a server with more tools than that is none that anybody reads."""
MAX_ADDRESSED_BYTES: Final = 1_048_576
"""Larger files are bundles; what they say to a model stands in their sources too."""
HOLE: Final = "\u2026"
"""Stands in a text for a part that is not known."""
_MAX_TEXT_CHARACTERS: Final = 65_536
_MAX_CHARACTERS: Final = 1_048_576
"""Of all texts of one file."""
_MAX_PARTS: Final = 400
_MAX_FOLLOWED: Final = 4
"""Constants within constants."""
_TOKEN: Final = lazy(r"(\s{0,400})(\S)")
_GOES_ON: Final = lazy(r"[?:|+.&%]|(?:or|if|else)\b")
"""What goes on with an expression on a line of its own."""


class Part(NamedTuple):
    """One literal within a text."""

    text: str
    span: Span
    is_raw: bool = False
    """Whether its lines are those of the source."""


class Addressed(NamedTuple):
    """One text that a model reads."""

    name: str
    """Of the tool, empty where it is not known."""
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """Return the whole text, bounded."""
        return "".join(part.text for part in self.parts)[:_MAX_TEXT_CHARACTERS]

    def place(self, line: int, column: int) -> Span:
        """Return where a place of the text stands in the source: a line of it, or the literal that holds it.

        Args:
            line: of the text, 1-based.
            column: of the text, 1-based.
        """
        offset = _offset(self.text, line, column)
        starts = [0, *accumulate(len(part.text) for part in self.parts)]
        at = min(max(bisect_right(starts, offset) - 1, 0), len(self.parts) - 1)
        part, inside = self.parts[at], offset - starts[at]
        if not part.is_raw:
            return part.span
        down = part.text.count("\n", 0, inside)
        row = part.text[part.text.rfind("\n", 0, inside) + 1 :].partition("\n")[0]
        indent = len(row) - len(row.lstrip(" \t")) if down else part.span.column - 1
        line = part.span.line + down
        return Span(line, indent + 1, line, indent + 1 + len(row.strip(" \t")))


def _offset(text: str, line: int, column: int) -> int:
    at = 0
    for _ in range(line - 1):
        at = text.find("\n", at) + 1
    return at + column - 1


class Literals(ABC):
    """Reads texts that are put together of literals and of constants that are."""

    literal: re.Pattern[str]
    """One literal."""
    blank: re.Pattern[str]
    """What stands between two parts; matches nothing too."""
    name: re.Pattern[str]
    """A name that may be a constant's."""
    joins: str
    """The operator between two parts."""
    is_joined_without: bool
    """Whether two literals beside each other are one."""

    def __init__(self, text: str, constants: Iterable[tuple[str, int]]) -> None:
        """Prepare a file.

        Args:
            text: of the file.
            constants: its constants by name, and where the value of each begins; one may be set several times.
        """
        self._text = text
        self._constants: dict[str, list[int]] = {}
        for name, at in constants:
            self._constants.setdefault(name, []).append(at)
        self._starts = [0, *(at.end() for at in re.finditer("\n", text))]
        self._left = 0
        self._end = 0
        """Where the sum ends that was read last."""

    def parts(self, at: int) -> tuple[Part, ...]:
        """Return the literals of the text that begins at an offset; empty where something else does."""
        self._left = _MAX_PARTS
        return tuple(self._sum(at, 0))

    def said(self, at: int) -> tuple[Part, ...]:
        """Return the literals of the expression that begins at an offset, whatever is done with them."""
        self._left = _MAX_PARTS
        parts = self._sum(at, 0)
        at, depth = self._end, 0
        while self._left > 0 and (token := _TOKEN.match(self._text, at)) is not None:
            self._left -= 1
            at, mark = token.end(), token[2]
            is_after = depth == 0 and "\n" in token[1] and _GOES_ON.match(self._text, token.start(2)) is None
            if is_after or mark in "{};" or (depth == 0 and mark in ")],"):
                break
            depth += (mark in "([") - (mark in ")]")
            here = self.literal.match(self._text, token.start(2)) or self.name.match(self._text, token.start(2))
            if here is not None:
                parts += self._sum(here.start(), 0)
                at = max(self._end, here.end())
        return tuple(parts)

    def constant(self, name: str) -> tuple[Part, ...]:
        """Return the literals of a constant; empty where there is none of that name."""
        self._left = _MAX_PARTS
        return tuple(part for at in self._constants.get(name, ()) for part in self._sum(at, 1))

    def _sum(self, at: int, followed: int) -> list[Part]:
        parts: list[Part] = []
        at = self.skip(at)
        while self._left > 0:
            self._left -= 1
            literal = self.literal.match(self._text, at)
            name = self.name.match(self._text, at) if literal is None else None
            if literal is not None:
                parts += self.read(literal, followed)
                at = literal.end()
            elif name is not None and name[0] in self._constants and followed < _MAX_FOLLOWED:
                parts += [part for start in self._constants[name[0]] for part in self._sum(start, followed + 1)]
                at = name.end()
            else:
                break
            at = self.skip(at)
            if self._text.startswith(self.joins, at):
                at = self.skip(at + len(self.joins))
            elif not self.is_joined_without or self.literal.match(self._text, at) is None:
                break
        self._end = at
        return parts

    @abstractmethod
    def read(self, literal: re.Match[str], followed: int) -> list[Part]:
        """Return what one literal says.

        Args:
            literal: a match of the pattern.
            followed: how many constants led here.
        """

    def named(self, name: str, followed: int) -> str:
        """Return the text of a constant, `HOLE` for another name."""
        if name not in self._constants or followed >= _MAX_FOLLOWED:
            return HOLE
        values = self._constants[name]
        return "".join(part.text for at in values for part in self._sum(at, followed + 1)) or HOLE

    def skip(self, at: int) -> int:
        """Return the offset behind blanks and comments."""
        found = self.blank.match(self._text, at)
        return at if found is None else found.end()

    def span(self, start: int, stop: int) -> Span:
        """Return the place of a stretch of the file."""
        return Span(*self._place(start), *self._place(stop))

    def _place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


def gathered(texts: Iterator[Addressed]) -> tuple[Addressed, ...]:
    """Return the texts that hold several words, each once, bounded in number."""
    found: dict[Addressed, None] = {}
    characters = 0
    for one in texts:
        text = one.text
        characters += len(text)
        if " " in text.strip(" "):
            found[one] = None
        if len(found) >= MAX_ADDRESSED or characters > _MAX_CHARACTERS:
            break
    return tuple(found)
