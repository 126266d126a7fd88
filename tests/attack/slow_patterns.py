"""Say which regular expressions take more than linear time, by hostile texts made from their own syntax trees.

A text is what leads to a repeat, one thing many times, and an end that does not fit. Nothing depends on how fast a
machine is: times are compared with each other, and a quadratic pattern of our own says what is worth a second look.
"""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

from tests.attack.used_patterns import Used

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    try:
        from re import _constants as codes
        from re import _parser as parser
    except ImportError:  # Python 3.10
        import sre_constants as codes
        import sre_parse as parser

_SMALL, _UNITS, _MOST = 800, 160, 4_800
"""Characters of a small text, or so many units of it, but no more than the last."""
_FACTOR = 4
_GROWTH = _FACTOR**1.5
"""Times for four times the text: linear patterns stay near 4, quadratic ones come near 16."""
_NOT_LINEAR = 5.0
"""The same, from which a pattern is looked at with larger texts."""
_LOOKS = 12
"""Looks with larger texts at one pattern: one that is bounded calls for many."""
_TEXTS = 320
"""Texts that one pattern is tried with."""


class Slow(NamedTuple):
    """A text over which a pattern takes more than linear time."""

    place: str
    method: str
    prefix: str
    unit: str
    suffix: str
    ratio: float


_ALPHABET = [chr(number) for number in range(9, 127) if number in (9, 10, 13) or number >= 32] + ["é", "\u200b", "\0"]


class _Texts:
    """Texts from a pattern's syntax tree."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.tree = parser.parse(source, flags)
        self.sets: list[Any] = []
        self._collect(self.tree)
        self.letters = self._letters()

    def _collect(self, tree: Any) -> None:
        for op, value in tree:
            if op in (codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY, codes.CATEGORY):
                self.sets.append((op, value))
            for inner in _inside(op, value):
                self._collect(inner)

    def _letters(self) -> list[str]:
        """Return one character for each way in which the pattern's sets tell characters apart."""
        found: dict[tuple[bool, ...], str] = {}
        for letter in _ALPHABET:
            found.setdefault(tuple(_takes(op, value, letter) for op, value in self.sets), letter)
        return list(found.values())

    def marks(self) -> list[str]:
        """Return the characters that are named in the pattern one by one and are no letters, not many."""
        named = (chr(value) for op, value in self.sets if op in (codes.LITERAL, codes.NOT_LITERAL))
        listed = (
            chr(one) for op, value in self.sets if op is codes.IN for inner, one in value if inner is codes.LITERAL
        )
        return list(dict.fromkeys(mark for mark in (*named, *listed) if not mark.isalnum()))[:6]

    def sample(self, tree: Any, turn: int) -> str:
        """Return a text that a tree takes, another one for each turn."""
        return "".join(self._piece(op, value, turn) for op, value in tree)

    def _piece(self, op: Any, value: Any, turn: int) -> str:
        if op in _REPEATS:
            least, most, inner = value
            return self.sample(inner, turn) * (least if least else min(int(most), turn % 2))
        if op is codes.BRANCH:
            return self.sample(value[1][turn % len(value[1])], turn)
        if op in (codes.ASSERT, codes.ASSERT_NOT, codes.AT):
            return ""
        if op in (codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY):
            fitting = [letter for letter in self.letters if _takes(op, value, letter)]
            if op is codes.LITERAL:
                return chr(value)
            return fitting[turn % len(fitting)] if fitting else "a"
        return "".join(self.sample(inner, turn) for inner in _inside(op, value))

    def leads(self, tree: Any, before: str, turn: int) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        """Yield what leads to each repeat, with a text of the repeat and the single characters that it may take."""
        for op, value in tree:
            if op in _REPEATS and int(value[1]) > 50:
                inside = _Texts.__new__(_Texts)
                inside.sets = []
                inside._collect(value[2])
                own = (one for one in self.letters if any(_takes(*taken, one) for taken in inside.sets))
                yield before, self.sample(value[2], turn), tuple(own)
            for inner in _inside(op, value):
                yield from self.leads(inner, before, turn)
            before += self._piece(op, value, turn)


_REPEATS = tuple(
    getattr(codes, name) for name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") if hasattr(codes, name)
)


def _inside(op: Any, value: Any) -> list[Any]:
    if op in _REPEATS:
        return [value[2]]
    if op is codes.SUBPATTERN:
        return [value[3]]
    if op is codes.BRANCH:
        return list(value[1])
    if op in (codes.ASSERT, codes.ASSERT_NOT):
        return [value[1]]
    if op is getattr(codes, "ATOMIC_GROUP", None):
        return [value]
    if op is codes.GROUPREF_EXISTS:
        return [one for one in value[1:] if one is not None]
    return []


@cache
def _category(name: str) -> Callable[[str], bool]:
    letter = {"SPACE": r"\s", "DIGIT": r"\d", "WORD": r"\w"}[name.rpartition("_")[2]]
    compiled = re.compile(letter.upper() if "NOT" in name else letter)
    return lambda text: compiled.match(text) is not None


def _takes(op: Any, value: Any, letter: str) -> bool:
    code = ord(letter)
    if op is codes.LITERAL:
        return bool(code == value)
    if op is codes.NOT_LITERAL:
        return bool(code != value)
    if op is codes.ANY:
        return letter != "\n"
    if op is codes.RANGE:
        return bool(value[0] <= code <= value[1])
    if op is codes.CATEGORY:
        return _category(str(value))(letter)
    if op is codes.IN:
        negated = bool(value) and value[0][0] is codes.NEGATE
        return any(_takes(inner, one, letter) for inner, one in value[negated:]) != negated
    return False


def hostile_texts(used: Used) -> list[tuple[str, str, str]]:
    """Return (prefix, unit, suffix): a text is the prefix, the unit many times, the suffix."""
    texts = _Texts(used.source, used.flags)
    first: dict[tuple[str, str], None] = {}
    for turn in range(3):
        sample = texts.sample(texts.tree, turn)
        first.update(dict.fromkeys((("", sample), ("", sample[:-1]))))
        for before, unit, own in texts.leads(texts.tree, "", turn):
            first.update(dict.fromkeys((("", before + unit), ("", before), (before, unit))))
            first.update(dict.fromkeys((before, letter) for letter in own))
    first.update(dict.fromkeys(("", letter) for letter in texts.letters))
    marks = texts.marks()
    first.update(dict.fromkeys(("", one + other) for one in marks for other in marks))
    found = [(prefix, unit, end) for prefix, unit in first if unit for end in ("\0", "\n!")]
    step = -(-len(found) // _TEXTS)
    return [*found[::step], *((prefix, unit, "") for prefix, unit in list(first)[:20] if unit)]


def _time(call: Callable[[Any], object], text: Any, runs: int = 1) -> float:
    least = float("inf")
    for _ in range(runs):
        start = time.process_time()
        call(text)
        least = min(least, time.process_time() - start)
    return least


@cache
def worth_a_look() -> float:
    """Return the time from which a small text is looked at again: a ninth of what a plain quadratic pattern takes.

    A pattern that begins at every second character, and scans from there, takes a quarter of it; and a machine that
    runs at half its speed while this is measured must not hide that one.
    """
    quadratic = re.compile(r"a+b")
    return _time(quadratic.search, "a" * _SMALL, runs=50) / 9


def _call(used: Used, method: str) -> Callable[[Any], object]:
    compiled = re.compile(used.source, used.flags)
    if method == "finditer":
        return lambda text: sum(1 for _ in compiled.finditer(text))
    if method in ("sub", "subn"):
        empty = b"" if isinstance(used.source, bytes) else ""
        return lambda text: compiled.sub(empty, text)
    found: Callable[[Any], object] = getattr(compiled, method)
    return found


def _text(used: Used, parts: tuple[str, str, str], times: float = 1) -> Any:
    """Return a small text, or one with so many times the units."""
    prefix, unit, suffix = parts
    characters = min(max(_SMALL, _UNITS * len(unit)), _MOST)
    text = prefix + unit * max(1, int(times * characters) // len(unit)) + suffix
    return text.encode("latin-1", "replace") if isinstance(used.source, bytes) else text


def slow(used: Used) -> Slow | None:
    """Return a text over which a pattern takes more than linear time, None where none is found."""
    calls = {method: _call(used, method) for method in _kinds(used.methods)}
    looks = 0
    for parts in hostile_texts(used):
        text, quarter = _text(used, parts), None
        for method, call in calls.items():
            if _time(call, text) < worth_a_look():
                continue
            quarter = quarter or _text(used, parts, 0.25)
            if _time(call, text, runs=2) < _time(call, quarter, runs=5) * _NOT_LINEAR:
                continue
            looks += 1
            if looks > _LOOKS:
                return None
            ratio = growth(call, partial(_text, used, parts))
            if ratio > _GROWTH:
                return Slow(used.place, method, *parts, round(ratio, 1))
    return None


def _kinds(methods: tuple[str, ...]) -> list[str]:
    """Return which methods stand for all that are used: all that go on over a text are alike."""
    return sorted({method if method in ("search", "match", "fullmatch") else "finditer" for method in methods})


def growth(call: Callable[[Any], object], text: Callable[[float], Any]) -> float:
    """Return by how much more time four times a text takes, each time it is made larger: a bounded repeat ends that."""
    ratio = 0.0
    for times in (1, _FACTOR):
        small, large = text(times), text(times * _FACTOR)
        ratio = _time(call, large) / max(_time(call, small, runs=3), 1e-9)
        if ratio <= _GROWTH:
            return 0.0
        if ratio > 2 * _FACTOR**2:
            break
    return _surely(call, small, large)


def _surely(call: Callable[[Any], object], small: Any, large: Any) -> float:
    """Return the ratio of the least times of many runs in turns: others may use the same machine."""
    before = after = float("inf")
    for _ in range(4):
        before = min(before, _time(call, small, runs=2))
        after = min(after, _time(call, large))
        if after <= before * _GROWTH:
            return 0.0
    return after / before
