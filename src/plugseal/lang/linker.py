"""What linking is in every language: a name taken from another file of the tree is followed to what it really is.

A file's pending names lead to other files, whose exports say what each name there may hold; that is followed over
several hops, in bounded work. How a name leads to a file, and what a file's exports say, is each language's own.
Nothing is read here: only what the readers noted is combined.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from plugseal.lang.facts import UNKNOWN, Event, FileFacts, Value
from plugseal.lang.folded import whole
from plugseal.lang.judging.report import Report
from plugseal.lang.judging.rules import Call, apply_rules, read_rules
from plugseal.lang.judging.tables import Tables
from plugseal.model.capability import Fact, fact_order
from plugseal.records import NamedTuple

_MAX_HOPS: Final = 12
_MAX_NAMES: Final = 16
_MAX_STARS: Final = _MAX_HOPS * _MAX_NAMES
"""Modules that are looked through behind the stars of one file."""
_MAX_OPEN_FILES: Final = 512
"""Files whose exports are at hand; the memory is dropped when it is full."""

Exports = Mapping[str, tuple[str, ...]]


class _Star(NamedTuple):
    """A module all of whose names another file passes on."""

    path: str
    """The file that passes them on."""
    module: str
    target: str | None
    """The file that the module is, None where the tree has none."""


class Linker(ABC):
    """All files of one language in one tree, by path."""

    def __init__(self, files: Mapping[str, FileFacts], tables: Tables) -> None:
        """Take the files of a tree.

        Args:
            files: by their paths below the root, `/` between parts.
            tables: what the language's libraries can do.
        """
        self._files = files
        self._tables = tables
        self._exports: dict[str, Exports] = {}
        self._stars: dict[str, tuple[_Star, ...]] = {}

    @abstractmethod
    def _report(self) -> Report:
        """Return an empty report of the language."""

    @abstractmethod
    def _targets(self, path: str, name: str) -> Sequence[tuple[str, str]]:
        """Return the files that a name leads to, seen from a file, each with the rest of the name inside it."""

    @abstractmethod
    def _is_outside(self, name: str, hops: int) -> bool:
        """Say whether a name that leads to no file is one of a library, after so many hops."""

    @abstractmethod
    def _held(self, exports: Exports, name: str) -> tuple[str, ...] | None:
        """Return what a name may hold by a file's own words, None where the file does not say.

        What follows the longest name that is exported is kept.
        """

    @abstractmethod
    def _below(self, module: str, name: str) -> str:
        """Return a name inside a module, as it is written in a file that passes on all names of the module."""

    def iterate(self) -> Iterator[tuple[str, tuple[list[Fact], list[Event]]]]:
        """Yield, file by file, the facts and events that its pending names turn out to be."""
        for path in sorted(self._files):
            file = self._files[path]
            if file.pending:
                facts, events = self.link(path, file)
                if facts or events:
                    yield path, (facts, events)

    def link(self, path: str, facts: FileFacts) -> tuple[list[Fact], list[Event]]:
        """Return the facts and events that a file's pending names turn out to be."""
        report = self._report()
        events: list[Event] = []
        for event in facts.pending:
            names = self.resolve(path, event.name)
            for name in names:
                known = self._tables.canonical(name)
                resolution = "resolved" if len(names) == 1 else "possible"
                found = event._replace(name=known, resolution=resolution)
                if self._tables.has_exact(known) or (self._tables.rules(known) and not self._tables.is_plain(known)):
                    self._apply(found, report)
                events.append(_known_in_full(found))
        return sorted(report.facts, key=fact_order), events

    def _apply(self, event: Event, report: Report) -> None:
        rules = self._tables.rules(event.name)
        if event.kind == "attribute":
            if self._tables.has_exact(event.name):
                read_rules(rules, event.span, event.resolution, event.trigger, report)
            return
        keywords = dict(event.keywords)

        def values(position: int, names: tuple[str, ...], missing: Value) -> tuple[Value, ...]:
            return self._given(event.arguments, keywords, position, names, missing)

        apply_rules(rules, Call(event.span, event.resolution, event.trigger, values, _unknown), report)

    def _given(
        self,
        arguments: tuple[Value, ...],
        keywords: Mapping[str, Value],
        position: int,
        names: tuple[str, ...],
        missing: Value,
    ) -> tuple[Value, ...]:
        """Return the values of one argument of a call: by position, else by the first keyword that is given."""
        if 0 <= position < len(arguments):
            return (arguments[position],)
        return next(((keywords[name],) for name in names if name in keywords), (missing,))

    def resolve(self, path: str, name: str) -> tuple[str, ...]:
        """Return the names outside the tree that a name used in a file may mean, sorted."""
        found: set[str] = set()
        waiting = [(path, name, 0)]
        seen = {(path, name)}
        while waiting:
            at, current, hops = waiting.pop()
            targets = self._targets(at, current)
            if not targets and self._is_outside(current, hops):
                found.add(current)
            for target, rest in targets if hops < _MAX_HOPS else ():
                for _, following in self._steps(target, rest):
                    _queue(waiting, seen, following, hops + 1)
        return tuple(sorted(found)[:_MAX_NAMES])

    def places(self, path: str, name: str) -> Iterator[tuple[str, str]]:
        """Yield the files, with the name inside each, that a name used in a file may lead to; nearest first."""
        waiting = [(path, name, 0)]
        seen = {(path, name)}
        for at, current, hops in waiting:  # It grows meanwhile.
            for target, rest in self._targets(at, current):
                yield target, rest
                for place, following in self._steps(target, rest) if hops < _MAX_HOPS else ():
                    if place is not None:
                        yield place
                    _queue(waiting, seen, following, hops + 1)

    def _steps(self, path: str, name: str) -> Iterator[tuple[tuple[str, str] | None, list[tuple[str, str]]]]:
        """Yield where a name inside a file is looked for next: what it may hold there, else behind the file's stars.

        Each step is the file that a star leads to with the name inside it, None for none, and the names that follow,
        each with its file.
        """
        held = self._held(self._exports_of(path), name)
        if held is not None:
            yield None, [(path, one) for one in held]
            return
        for star in self._stars_of(path):
            if star.target is None or self._is_package(star.target):
                # A name of a package may be a module of its own.
                yield None, [(star.path, self._below(star.module, name))]
            else:
                held = self._held(self._exports_of(star.target), name)
                yield (star.target, name), [(star.target, one) for one in held or ()]

    def _is_package(self, path: str) -> bool:
        """Say whether names of a file may be files themselves."""
        del path
        return False

    def _stars_of(self, path: str) -> tuple[_Star, ...]:
        """Return the modules behind the stars of a file, over several files, nearest first; found once for a file."""
        known = self._stars.get(path)
        if known is not None:
            return known
        found: list[_Star] = []
        seen, waiting = {path}, [path]
        for at in waiting:  # It grows meanwhile.
            for module in self._exports_of(at).get("*", ()):
                targets = self._targets(at, module)
                target = targets[0][0] if targets else None
                if target is not None and target in seen:
                    continue
                found.append(_Star(at, module, target))
                if target is not None:
                    seen.add(target)
                    waiting.append(target)
            if len(found) >= _MAX_STARS:
                break
        self._stars[path] = tuple(found[:_MAX_STARS])
        return self._stars[path]

    def _exports_of(self, path: str) -> Exports:
        exports = self._exports.get(path)
        if exports is None:
            if len(self._exports) >= _MAX_OPEN_FILES:
                self._exports.clear()
            exports = self._exports[path] = dict(self._files[path].exports)
        return exports


def _queue(
    waiting: list[tuple[str, str, int]], seen: set[tuple[str, str]], following: list[tuple[str, str]], hops: int
) -> None:
    """Let names wait to be followed, each once, and no more than a bound."""
    for at, name in following:
        if len(seen) < _MAX_HOPS * _MAX_NAMES and (at, name) not in seen:
            seen.add((at, name))
            waiting.append((at, name, hops))


def _known_in_full(event: Event) -> Event:
    """Return an event without text that is known only in part: rules outside the tables see whole values only."""
    keywords = tuple((key, whole(value)) for key, value in event.keywords)
    return event._replace(arguments=tuple(map(whole, event.arguments)), keywords=keywords)


def _unknown(_position: int, _keywords: tuple[str, ...]) -> tuple[Value, ...]:
    return (UNKNOWN,)


def held_under(exports: Exports, name: str) -> tuple[str, ...] | None:
    """Return what a file says that a name may hold, by the longest beginning known to it; None for none."""
    cut = len(name)
    while cut > 0:
        for end in (cut, cut - 2) if name[:cut].endswith(("()", "[]")) else (cut,):
            held = exports.get(name[:end])
            if held is not None:
                return tuple(value + name[end:] for value in held)
        cut = name.rfind(".", 0, cut)
    return None
