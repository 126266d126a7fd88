"""Which programs a command starts: itself, what it wraps, and the code that it gives to them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from plugseal.lang.folded import HOLE
from plugseal.lang.programs.options import behind_own, option_values, plain_words, windows_words
from plugseal.lang.programs.tables import MAX_SEARCHED, Taking, Wrap, programs
from plugseal.model.git_settings import canonical, line_of, loaded_by
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_DASHLESS: Final = frozenset(("tar", "gtar", "bsdtar"))
"""Programs whose first word may be letters of options without a dash."""
_ENDS: Final = lazy(r"&&|[;|\n]")
_new: Final = tuple.__new__
_MAX_LETTERS: Final = 9
ENCODED: Final = lazy(r"(?i)[-/]e(?:c|n[a-z]{0,13})?")
"""How PowerShell is told that its script is Base64: any beginning of the option's name does."""
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
        is_windowed = name in known.windowed
        seen = windows_words(rest) if is_windowed else rest
        for taking in known.takings.get(name, ()):
            away = is_elsewhere or taking.is_elsewhere
            codes.extend(
                Code(taking.language, text, at + 1 + place, skip, name, away)
                for place, skip, packed in _taken(taking, seen)
                if (text := _unpacked(taking.language, packed, seen[place - 1] if place else ""))
            )
        if _PYTHON.fullmatch(name) and list(rest[:1]) == ["-m"]:
            waiting.append((rest[1:], at + 2, is_elsewhere))
        for wrap in known.wraps.get(name, ()):
            away = is_elsewhere or wrap.is_elsewhere
            for begin, end in _wrapped(wrap, seen):
                if len(waiting) >= _MAX_STARTED:
                    break  # More than are told, each with all words behind it.
                inside = _inner(wrap, rest, begin, end)
                if inside is not None:
                    waiting.append((inside, at + 1 + begin - (len(inside) > end - begin), away))
                elif begin < end and wrap.is_line and not wrap.entry and not wrap.is_shell:
                    text = _line(wrap, rest, begin, end)
                    language = "batch" if is_windowed or name == "cmd" else "shell"
                    codes.append(Code(language, text, at + 1 + begin if text is rest[begin] else -1, 0, name, away))
    return found, codes


def _unpacked(language: str, text: str, option: str) -> str:
    """Return code as its program sees it: behind `-EncodedCommand` PowerShell's is UTF-16 in Base64, or none."""
    if language != "PowerShell" or HOLE in text or not ENCODED.fullmatch(option):
        return text
    import base64
    import binascii

    try:
        return base64.b64decode(text.strip(), validate=True).decode("utf-16-le")
    except (binascii.Error, ValueError):
        return ""


def _inner(wrap: Wrap, rest: Sequence[str], begin: int, end: int) -> Sequence[str] | None:
    """Return the words of the program that a wrapper runs; None where it is given a line, or none is named."""
    if wrap.entry and (entry := next(option_values(rest[:begin], wrap.entry), None)) is not None:
        return (entry.text, *rest[begin:end])
    if wrap.is_shell:
        return ("sh", *rest[begin:end]) if rest[begin].startswith("-") else None
    if begin == end or (wrap.entry and rest[begin].startswith("-")):
        return None
    has_values = bool(wrap.lists) and end < len(rest)
    return None if wrap.is_line and (has_values or _is_line(wrap, rest, begin, end)) else rest[begin:end]


def _line(wrap: Wrap, rest: Sequence[str], begin: int, end: int) -> str:
    """Return the line of a shell that a wrapper is given, with the values behind it that it may be run with."""
    if not wrap.lists and end - begin == 1:
        return rest[begin]
    import shlex  # few lines are put together

    values = [shlex.quote(word) for word in rest[end:] if word not in wrap.lists] if wrap.lists else []
    return rest[begin] if end - begin == 1 and not values else " ".join((*rest[begin:end], *values))


def _is_typed(text: str) -> bool:
    """Say whether a text of several words is a line for a shell rather than for somebody who reads it."""
    known = programs()
    names = [part.split()[0] for part in _ENDS.split(text) if part.strip()] if " " in text else []
    return any(name in known.rules or name in known.wraps or name in known.takings for name in names)


def _is_line(wrap: Wrap, rest: Sequence[str], begin: int, end: int) -> bool:
    """Say whether the words that a wrapper runs are a line for a shell."""
    if end - begin == 1:
        return " " in rest[begin]
    return not wrap.exact or ("*" not in wrap.exact and wrap.exact.isdisjoint(rest[:begin]))


def _wrapped(wrap: Wrap, rest: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield where the words stand that a wrapper runs."""
    if wrap.unfitting is not None and rest and wrap.unfitting.search(rest[0], 0, MAX_SEARCHED):
        return
    if wrap.behind:
        end = 0
        for at, word in enumerate(rest):
            if word in wrap.behind and at + 1 < len(rest):
                if end <= at:
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
    begin = behind_own(
        rest, wrap.values, own, also=wrap.also, beside=wrap.beside, pairs=wrap.pairs, is_last=bool(wrap.entry)
    )
    if wrap.is_single:
        yield from ((begin, begin + 1) for word in rest[begin : begin + 1] if _is_typed(word))
    elif begin < len(rest):
        end = next((at for at in range(begin, len(rest)) if rest[at] in wrap.lists), len(rest))
        if begin < end:
            yield begin, end
    elif wrap.entry and begin == len(rest):
        yield begin, begin


def _taken(taking: Taking, rest: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield (word, characters before it, text) of what a program takes."""
    if taking.start and not _begins(taking.start, plain_words(rest, taking.values)):
        return
    if (taking.fitting is not None and not _fits(taking.fitting, rest)) or (
        taking.unfitting is not None and _fits(taking.unfitting, rest)
    ):
        return
    if not taking.option and taking.prefix:
        yield from _prefixed(taking, [(at, 0, word) for at, word in enumerate(rest)])
        return
    if taking.is_first:
        if not any(True for _ in option_values(rest, taking.option)):
            plain = plain_words(rest, taking.values)
            yield from ((at, 0, word) for at, word in plain[:1])
        return
    if taking.is_rest:
        yield from ((at, 0, word) for at, word in plain_words(rest, taking.values)[1:])
        return
    if taking.letter:
        yield from _clustered(taking, rest)
        return
    values = [(valued.at, valued.skip, valued.text) for valued in option_values(rest, taking.option)]
    if taking.is_joined and len(values) > 1:
        values = [(*values[0][:2], "\n".join(text for _, _, text in values))]
    if taking.is_setting:
        yield from _settings(values)
    else:
        yield from _prefixed(taking, values) if taking.prefix else values


def _fits(pattern: re.Pattern[str], words: Sequence[str]) -> bool:
    """Say whether one of some words fits."""
    return any(pattern.search(word, 0, MAX_SEARCHED) for word in words)


def _begins(starts: Sequence[tuple[str, ...]], plain: Sequence[tuple[int, str]]) -> bool:
    """Say whether words begin with one of some beginnings."""
    return any(tuple([word for _, word in plain[: len(start)]]) == start for start in starts)


def _settings(values: Iterable[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    """Yield the lines that settings of git give to a shell, and the folders that it takes hooks from."""
    for at, skip, text in values:
        name, _, value = text.partition("=")
        name = canonical(name)
        line = line_of(name, value) or (loaded_by(name, value) if name == "core.hookspath" else "")
        if line:
            yield at, skip + text.index(line, len(name)), line


def _prefixed(taking: Taking, values: Iterable[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    """Yield what stands behind the prefix in those values that have it."""
    for at, skip, text in values:
        for prefix in taking.prefix:
            head, star, tail = prefix.partition("*")
            if not text.startswith(head):
                continue
            end = text.find(tail, len(head)) + len(tail) if star else len(head)
            if not star or end >= len(head) + len(tail):
                found = text[end:]
                yield at, skip + end, found.partition(taking.until)[0] if taking.until else found


def _clustered(taking: Taking, rest: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield what stands behind an option's letter, alone or as the last of several."""
    at = 0
    while at < len(rest):
        word = rest[at]
        if word in taking.option or (
            len(word) > 1 and word[0] == "-" and word[1:].isalnum() and word[-1] in taking.letter
        ):
            at = _behind_options(rest, at + 1, taking.values) if taking.language == "shell" else at + 1
            if at < len(rest):
                yield at, 0, rest[at]
            at += 1
            if not taking.values and len(taking.letter) == 1 and taking.letter == "c":
                return  # What stands behind is its arguments.
            continue
        name, equals, value = word.partition("=")
        if equals and name in taking.option:
            yield at, len(name) + 1, value
        elif word in taking.values:
            at += 1
        elif taking.language != "shell" and word[:1] == "-" and word[1:2] in taking.letter and len(word) > 2:
            yield at, 2, word[2:]
            return
        elif not (word.startswith("-") or (word.startswith("+") and taking.language == "shell")) or word in ("-", "--"):
            return
        at += 1


def _behind_options(rest: Sequence[str], at: int, values: frozenset[str]) -> int:
    """Return where a shell's line stands: behind `-c` and all options that follow it."""
    while at < len(rest) and len(rest[at]) > 1 and rest[at][0] in "-+" and HOLE not in rest[at]:
        if rest[at] == "--":
            return at + 1
        at += 2 if rest[at] in values else 1
    return at
