"""What linking is in every language: a name taken from another file of the tree is followed to what it really is.

A file's pending names lead to other files, whose exports say what each name there may hold; that is followed over
several hops, in bounded work. How a name leads to a file, and what a file's exports say, is each language's own.
Nothing is read here: only what the readers noted is combined.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from plugseal.lang.facts import UNKNOWN, Event, FileFacts, Value
from plugseal.lang.folded import whole
from plugseal.lang.judging.report import Report
from plugseal.lang.judging.rules import Call, apply_rules, read_rules
from plugseal.lang.judging.tables import Tables
from plugseal.lang.stars import EVERY_NAME, Star, Stars
from plugseal.model.capability import Fact, fact_order

_MAX_HOPS: Final = 12
_MAX_NAMES: Final = 16
_MAX_OPEN_FILES: Final = 512
"""Files whose exports are at hand; the memory is dropped when it is full."""
_ALL: Final = "*"
"""Under it a file exports the modules all of whose names it passes on."""

Exports = Mapping[str, tuple[str, ...]]


class Search:
    """One name on its way: where it is looked for next, each place once, and no more places than a bound."""

    def __init__(self, path: str, name: str) -> None:
        self.waiting = [(path, name, 0)]
        self._seen = {(path, name)}
        self._asked: dict[str, set[Star]] = {}

    def add(self, path: str, names: Iterable[str], hops: int) -> None:
        """Let names wait to be followed from a file, so many files from the first."""
        for name in names:
            if len(self._seen) < _MAX_HOPS * _MAX_NAMES and (path, name) not in self._seen:
                self._seen.add((path, name))
                self.waiting.append((path, name, hops))

    def asked(self, name: str) -> set[Star]:
        """Return the stars that were asked for a name; they have nothing new to say."""
        return self._asked.setdefault(name, set())


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
        self._stars = Stars(self._passed_by, self._told_by)

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
        resolved: dict[str, tuple[str, ...]] = {}
        for event in facts.pending:
            names = resolved.get(event.name)
            if names is None:
                names = resolved[event.name] = self.resolve(path, event.name)
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
        search = Search(path, name)
        while search.waiting:
            at, current, hops = search.waiting.pop()
            targets = self._targets(at, current)
            if not targets and self._is_outside(current, hops):
                found.add(current)
            for target, rest in targets if hops < _MAX_HOPS else ():
                for _ in self._follow(target, rest, hops + 1, search):
                    pass
        return tuple(sorted(found)[:_MAX_NAMES])

    def places(self, path: str, name: str) -> Iterator[tuple[str, str]]:
        """Yield the files, with the name inside each, that a name used in a file may lead to; nearest first."""
        search = Search(path, name)
        for at, current, hops in search.waiting:  # It grows meanwhile.
            for target, rest in self._targets(at, current):
                yield target, rest
                if hops < _MAX_HOPS:
                    yield from self._follow(target, rest, hops + 1, search)

    def _follow(self, path: str, name: str, hops: int, search: Search) -> Iterator[tuple[str, str]]:
        """Look for a name of a file in what it may hold there, else behind the file's stars.

        Yields:
            The files behind a star that may tell of the name, with it.
        """
        held = self._held(self._exports_of(path), name)
        if held is not None:
            search.add(path, held, hops)
            return
        for star in self._stars.behind(path, name, search.asked(name)):
            if star.target is None or star.is_open:
                search.add(star.path, (self._below(star.module, name),), hops)
            else:
                yield star.target, name
                search.add(star.target, self._held(self._exports_of(star.target), name) or (), hops)

    def _is_whole(self, exports: Exports) -> bool:
        """Say whether a file that exports this says what every name in it may hold."""
        del exports
        return False

    def _is_package(self, path: str) -> bool:
        """Say whether names of a file may be files themselves."""
        del path
        return False

    def _passed_by(self, path: str) -> tuple[Star, ...]:
        """Return the modules behind the stars of a file itself."""
        found = []
        for module in self._exports_of(path).get(_ALL, ()):
            target = next((target for target, _ in self._targets(path, module)), None)
            # A name of a package may be a module of its own.
            found.append(Star(path, module, target, target is None or self._is_package(target)))
        return tuple(found)

    def _told_by(self, path: str) -> Iterator[str]:
        """Yield the names of which a file says what they hold, and those of its functions."""
        exports = self._exports_of(path)
        if self._is_whole(exports):
            yield EVERY_NAME
        yield from (name for name in exports if name != _ALL)
        yield from (function.name for function in self._files[path].functions)

    def _exports_of(self, path: str) -> Exports:
        exports = self._exports.get(path)
        if exports is None:
            if len(self._exports) >= _MAX_OPEN_FILES:
                self._exports.clear()
            exports = self._exports[path] = dict(self._files[path].exports)
        return exports


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
