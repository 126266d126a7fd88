"""The tables of programs, loaded at first use.

`[[act]]` one capability of some programs, `[[wrap]]` programs that run the words behind their own, `[[line]]` options
that take a line for a shell, `[[code]]` options that take code, `[values]` options whose next word is their value,
`[windows]` programs that write their options as Windows does. `tables/README` says what each key means.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from plugseal.lang.recorded import read_table
from plugseal.patterns import LazyPattern
from plugseal.records import NamedTuple

_FOLDER: Final = Path(__file__).parent / "tables"
MAX_SEARCHED: Final = 4_096
"""Characters of one word that the tables' patterns are asked about."""


class Rule(NamedTuple):
    """One capability of a program."""

    capability: str
    start: tuple[tuple[str, ...], ...]
    any: frozenset[str]
    match: str
    none: str
    is_bare: bool
    is_open: bool
    is_needed: bool
    object: str
    option: frozenset[str]
    prefix: tuple[str, ...]
    literal: str
    values: frozenset[str]
    is_plain: bool
    """Whether the words that are no options matter to it."""
    fitting: re.Pattern[str] | None
    """`match`, to search with."""
    unfitting: re.Pattern[str] | None
    """`none`, to search with."""
    is_windowed: bool
    """Whether its program writes options as Windows does, so that an address may stand behind one."""
    is_setting: bool
    """Whether a key of git's by which it runs something has to stand among the words, and its value behind it."""


class Wrap(NamedTuple):
    """How a program runs the words behind its own."""

    values: frozenset[str]
    own: int
    start: tuple[tuple[str, ...], ...]
    behind: frozenset[str]
    is_line: bool
    is_elsewhere: bool
    none: str
    unfitting: re.Pattern[str] | None
    exact: frozenset[str]
    """Options with which several words are run as they are; `*` for always."""
    is_single: bool
    also: frozenset[str]
    beside: re.Pattern[str] | None
    """Words of its own that fit it stand anywhere before what it runs."""
    is_shell: bool
    """Whether the words are those of a shell, without its name."""
    pairs: frozenset[str]
    entry: frozenset[str]
    lists: frozenset[str]
    """Words behind which stand the values that what it runs is given, one after another."""


class Taking(NamedTuple):
    """Where a program takes code or a line."""

    option: frozenset[str]
    letter: str
    """The option's letter where it may stand among others: `-lc`."""
    prefix: tuple[str, ...]
    is_first: bool
    """Whether the first word that is no option is it."""
    is_rest: bool
    """Whether every word that is no option is it, but the first."""
    language: str
    values: frozenset[str]
    start: tuple[tuple[str, ...], ...]
    is_elsewhere: bool
    until: str
    fitting: re.Pattern[str] | None
    """One of the program's words must fit it."""
    unfitting: re.Pattern[str] | None
    """None of them may."""
    is_joined: bool
    """Whether the values are the lines of one text."""
    is_setting: bool
    """Whether the values are settings of git, of which some give a line to a shell."""


_Made = TypeVar("_Made")
_Valued = TypeVar("_Valued", Rule, Wrap)


class _AtFirstUse(Mapping[str, tuple[_Made, ...]]):
    """By program, what the tables say of it, made when it is first asked for: a scan asks for few."""

    def __init__(self, make: Callable[[str, str, Mapping[str, Any]], _Made]) -> None:  # Any: TOML, as below
        self._make = make
        self._groups: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}  # Any: as above
        self._made: dict[str, tuple[_Made, ...]] = {}

    def add(self, name: str, part: str, group: Mapping[str, Any]) -> None:  # Any: as above
        """Note one more group of a program."""
        self._groups.setdefault(name, []).append((part, group))

    def __getitem__(self, name: str) -> tuple[_Made, ...]:
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = tuple(self._make(name, part, group) for part, group in self._groups[name])
        return made

    def get(self, name: str, default: Any = ()) -> Any:  # Any: as `Mapping` has it
        """Return what the tables say of a program; most that is asked for stands in one of them only."""
        return self[name] if name in self._groups else default

    def __contains__(self, name: object) -> bool:
        return name in self._groups

    def __iter__(self) -> Iterator[str]:
        return iter(self._groups)

    def __len__(self) -> int:
        return len(self._groups)


class Programs(NamedTuple):
    """All tables, by program."""

    rules: Mapping[str, tuple[Rule, ...]]
    wraps: Mapping[str, tuple[Wrap, ...]]
    takings: Mapping[str, tuple[Taking, ...]]
    windowed: frozenset[str]
    """Programs whose options are written as on Windows."""


@lru_cache(maxsize=1024)
def _pattern(text: str) -> re.Pattern[str] | None:
    """Return one of the tables' patterns, which is compiled at its first use; None for none. Programs share many."""
    return cast("re.Pattern[str]", LazyPattern(text, 0)) if text else None


@cache
def programs() -> Programs:
    """Return the tables."""
    names = sorted(name for name in os.listdir(_FOLDER) if name.endswith(".toml"))  # noqa: PTH208  # paths cost
    documents = [read_table(_FOLDER, name) for name in names]
    values: dict[str, frozenset[str]] = {}
    for document in documents:
        for name, words in document.get("values", {}).items():
            values[name] = values.get(name, frozenset()) | frozenset(words.split())
    windowed = frozenset(
        name for document in documents for name in document.get("windows", {}).get("programs", "").split()
    )
    rules = _AtFirstUse(
        lambda name, _, group: _with_values(_rule(group, is_windowed=name in windowed), values.get(name))
    )
    wraps = _AtFirstUse(lambda name, _, group: _with_values(_wrap(group), values.get(name)))
    takings = _AtFirstUse(lambda name, part, group: _taking(group, part, name, is_windowed=name in windowed))
    for document in documents:
        for part, table in (("act", rules), ("wrap", wraps), ("line", takings), ("code", takings)):
            for group in document.get(part, ()):
                for name in _names(group):
                    table.add(name, part, group)
    return Programs(rules, wraps, takings, windowed)


def _with_values(one: _Valued, more: frozenset[str] | None) -> _Valued:
    return one._replace(values=one.values | more) if more else one


def _names(group: Mapping[str, Any]) -> list[str]:
    named = group["programs"]
    return named.split() if isinstance(named, str) else list(named)


def _words(group: Mapping[str, Any], key: str) -> frozenset[str]:
    return frozenset(group.get(key, "").split())


def _starts(group: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    return tuple(sorted((tuple(start.split()) for start in group.get("start", ())), key=len, reverse=True))


def _rule(group: Mapping[str, Any], *, is_windowed: bool) -> Rule:
    start, is_bare, target = _starts(group), group.get("bare", False), group.get("object", "")
    option, prefix, literal = _words(group, "option"), tuple(group.get("prefix", "").split()), group.get("literal", "")
    return Rule(
        capability=group["capability"],
        start=start,
        any=frozenset(group.get("any", ())),
        match=group.get("match", ""),
        none=group.get("none", ""),
        is_bare=is_bare,
        is_open=group.get("unknown", False),
        is_needed=group.get("needed", False),
        object=target,
        option=option,
        prefix=prefix,
        literal=literal,
        values=_words(group, "values"),
        is_plain=bool(start or is_bare or (target and not (option or prefix or literal))),
        fitting=_pattern(group.get("match", "")),
        unfitting=_pattern(group.get("none", "")),
        is_windowed=is_windowed,
        is_setting=group.get("setting", False),
    )


def _wrap(group: Mapping[str, Any]) -> Wrap:
    return Wrap(
        values=_words(group, "values"),
        own=group.get("own", 0),
        start=_starts(group),
        behind=_words(group, "behind"),
        is_line=group.get("line", False),
        is_elsewhere=group.get("elsewhere", False),
        none=group.get("none", ""),
        unfitting=_pattern(group.get("none", "")),
        exact=_words(group, "exact"),
        is_single=group.get("single", False),
        also=_words(group, "also"),
        beside=_pattern(group.get("beside", "")),
        is_shell=group.get("shell", False),
        pairs=_words(group, "pairs"),
        entry=_words(group, "entry"),
        lists=_words(group, "lists"),
    )


def _taking(group: Mapping[str, Any], part: str, name: str, *, is_windowed: bool) -> Taking:
    from plugseal.lang.textkinds import LANGUAGES_BY_INTERPRETER

    plain = name.rstrip("0123456789.")
    known = group.get("language") or LANGUAGES_BY_INTERPRETER.get(name) or LANGUAGES_BY_INTERPRETER.get(plain, "")
    line = "batch" if is_windowed else "shell"
    language = line if part == "line" else known or name
    return Taking(
        option=_words(group, "option"),
        letter=group.get("letter", ""),
        prefix=tuple(group.get("prefix", ())),
        is_first=group.get("first", False),
        is_rest=group.get("rest", False),
        language=language,
        values=_words(group, "values"),
        start=_starts(group),
        is_elsewhere=group.get("elsewhere", False),
        until=group.get("until", ""),
        fitting=_pattern(group.get("match", "")),
        unfitting=_pattern(group.get("none", "")),
        is_joined=group.get("joined", False),
        is_setting=group.get("setting", False),
    )
