"""Which programs a command starts: itself, what it wraps, and the code that it gives to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from plugseal.lang.command_words import HOLE
from plugseal.lang.programs.options import behind_own, option_values, plain_words
from plugseal.lang.programs.tables import Taking, Wrap, programs
from plugseal.patterns import lazy

_DASHLESS: Final = frozenset(("tar", "gtar", "bsdtar"))
"""Programs whose first word may be letters of options without a dash."""
_new: Final = tuple.__new__
_MAX_LETTERS: Final = 9
_MAX_STARTED: Final = 12
_PYTHON: Final = lazy(r"(?:python|pypy)[\d.]*|py")
_VERSIONED: Final = lazy(r"((?:python|pypy|perl|ruby|php|lua|node|tclsh|pip|clang|gcc|g\+\+|java|gawk|guile))-?[\d.]+")


class Started(NamedTuple):
    """One program that a command starts."""

    name: str
    """Its plain name in lower case."""
    words: tuple[str, ...]
    """It and its words."""
    at: int
    """Which word of the command it is."""
    is_elsewhere: bool
    """Whether it runs on another machine or in a container."""


class Code(NamedTuple):
    """Code or a line that a command gives to a program."""

    language: str
    text: str
    at: int
    """Which word of the command holds it; -1 where it is put together from several."""
    skip: int
    """Characters of that word before it."""
    program: str
    is_elsewhere: bool = False


def program_name(word: str) -> str:
    """Return a program's name without folder and suffix, in lower case; empty where it is not known."""
    name = word.replace("\\", "/").rpartition("/")[2].lower()
    return "" if HOLE in name else name.removesuffix(".exe").removesuffix(".cmd")


def plain_name(name: str) -> str:
    """Return the name that the tables know: `python3.11` is `python3`."""
    found = _VERSIONED.fullmatch(name)
    if found is None or name in programs().rules or name in programs().takings:
        return name
    return found[1]


@lru_cache(maxsize=2048)
def _name_of(word: str) -> str:
    """Return the name that the tables know of a program that is started by this word."""
    return plain_name(program_name(word))


def started(words: Sequence[str]) -> tuple[list[Started], list[Code]]:
    """Return every program that a command starts, outermost first, and the code that it gives them."""
    known = programs()
    if not words:
        return [], []
    name = _name_of(words[0])
    if name not in known.wraps and name not in known.takings and name not in _DASHLESS and name[:2] != "py":
        return [_new(Started, (name, tuple(words), 0, False))], []
    found: list[Started] = []
    codes: list[Code] = []
    waiting: list[tuple[Sequence[str], int, bool]] = [(tuple(words), 0, False)]
    while waiting and len(found) < _MAX_STARTED:
        inner, at, is_elsewhere = waiting.pop()
        if not inner:
            continue
        name = _name_of(inner[0])
        if name in _DASHLESS and len(inner) > 1 and inner[1].isalpha() and len(inner[1]) <= _MAX_LETTERS:
            inner = (inner[0], "-" + inner[1], *inner[2:])
        found.append(_new(Started, (name, tuple(inner), at, is_elsewhere)))
        if not name:
            continue
        rest = inner[1:]
        for taking in known.takings.get(name, ()):
            codes.extend(
                Code(taking.language, text, at + 1 + place, skip, name, is_elsewhere)
                for place, skip, text in _taken(taking, rest)
            )
        if _PYTHON.fullmatch(name) and list(rest[:1]) == ["-m"]:
            waiting.append((rest[1:], at + 2, is_elsewhere))
        for wrap in known.wraps.get(name, ()):
            for begin, end in _wrapped(wrap, rest):
                away = is_elsewhere or wrap.is_elsewhere
                if wrap.is_line and (" " in rest[begin] or end - begin > 1):
                    is_one = end - begin == 1
                    text = rest[begin] if is_one else " ".join(rest[begin:end])
                    codes.append(Code("shell", text, at + 1 + begin if is_one else -1, 0, name, away))
                else:
                    waiting.append((rest[begin:end], at + 1 + begin, away))
    return found, codes


def _wrapped(wrap: Wrap, rest: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield where the words stand that a wrapper runs."""
    if wrap.unfitting is not None and rest and wrap.unfitting.search(rest[0]):
        return
    if wrap.behind:
        for at, word in enumerate(rest):
            if word in wrap.behind and at + 1 < len(rest):
                end = next((i for i in range(at + 1, len(rest)) if rest[i] in (";", "+")), len(rest))
                yield at + 1, end
        return
    own = wrap.own
    if wrap.start:
        plain = [word for _, word in plain_words(rest, wrap.values)]
        fitting = next((start for start in wrap.start if tuple(plain[: len(start)]) == start), None)
        if fitting is None:
            return
        own += len(fitting)
    begin = behind_own(rest, wrap.values, own)
    if begin < len(rest):
        yield begin, len(rest)


def _taken(taking: Taking, rest: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield (word, characters before it, text) of what a program takes."""
    if taking.is_first:
        if not any(True for _ in option_values(rest, taking.option)):
            plain = plain_words(rest, taking.values)
            yield from ((at, 0, word) for at, word in plain[:1])
        return
    if taking.letter:
        yield from _clustered(taking, rest)
        return
    for valued in option_values(rest, taking.option):
        if not taking.prefix:
            yield valued.at, valued.skip, valued.text
        for prefix in taking.prefix:
            if valued.text.startswith(prefix):
                yield valued.at, valued.skip + len(prefix), valued.text[len(prefix) :]


def _clustered(taking: Taking, rest: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield what stands behind an option's letter, alone or as the last of several."""
    at = 0
    while at < len(rest):
        word = rest[at]
        if word in taking.option or (
            len(word) > 1 and word[0] == "-" and word[1:].isalnum() and word[-1] in taking.letter
        ):
            if at + 1 < len(rest):
                yield at + 1, 0, rest[at + 1]
            at += 2
            if not taking.values and len(taking.letter) == 1 and taking.letter == "c":
                return  # What stands behind is its arguments.
            continue
        name, equals, value = word.partition("=")
        if equals and name in taking.option:
            yield at, len(name) + 1, value
        elif word in taking.values:
            at += 1
        elif not word.startswith("-") or word in ("-", "--"):
            return
        at += 1
