"""Names that one script takes from another script of the same tree, followed to what they really are.

A pending name is a relative specifier, `#`, and what is taken: `./util.js#run`. The specifier is looked for as the
runtimes and compilers do: as it is, with the suffixes of scripts, `.js` for a source in `.ts`, and as the index of a
folder. What is found is replaced by what that file says the name may hold, over several hops. Nothing is read here.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Final

from plugseal.lang.ecmascript.exported import WHOLE
from plugseal.lang.ecmascript.report import ScriptReport
from plugseal.lang.ecmascript.tables import shared_script_tables
from plugseal.lang.facts import UNKNOWN, Event, FileFacts, Interest, Value
from plugseal.lang.python.facing import whole
from plugseal.lang.python.rules import Call, apply_rules, read_rules
from plugseal.model.capability import Fact, fact_order

_MAX_HOPS: Final = 12
_MAX_NAMES: Final = 16
_MAX_OPEN_FILES: Final = 512
"""Files whose exports are at hand; the memory is dropped when it is full."""
_SUFFIXES: Final = (".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".jsx")
_COMPILED: Final = {".js": (".ts", ".tsx", ".jsx"), ".mjs": (".mts",), ".cjs": (".cts",), ".jsx": (".tsx",)}


def iterate_script_links(files: Mapping[str, FileFacts]) -> Iterator[tuple[str, tuple[list[Fact], list[Event]]]]:
    """Yield, file by file, the facts and events that its pending names turn out to be.

    Args:
        files: every script of the tree by its path below the root, `/` between parts.
    """
    linker = ScriptLinker(files)
    for path in sorted(files):
        file = files[path]
        if file.pending:
            facts, events = linker.link(path, file)
            if facts or events:
                yield path, (facts, events)


class ScriptLinker:
    """All scripts of one tree, by path."""

    def __init__(self, files: Mapping[str, FileFacts]) -> None:
        self._files = files
        self._exports: dict[str, dict[str, tuple[str, ...]]] = {}
        self._tables = shared_script_tables()

    def link(self, path: str, facts: FileFacts) -> tuple[list[Fact], list[Event]]:
        """Return the facts and events that a file's pending names turn out to be."""
        report = ScriptReport(Interest())
        report.nested = None
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

    def _apply(self, event: Event, report: ScriptReport) -> None:
        rules = self._tables.rules(event.name)
        if event.kind == "attribute":
            if self._tables.has_exact(event.name):
                read_rules(rules, event.span, event.resolution, event.trigger, report)
            return
        keywords = dict(event.keywords)

        def values(position: int, names: tuple[str, ...], missing: Value) -> tuple[Value, ...]:
            given = event.arguments[position] if 0 <= position < len(event.arguments) else None
            named = next(((keywords[name],) for name in names if name in keywords), None)
            if named is not None and (given is None or given is UNKNOWN):
                return named
            if given is not None:
                return (given,)
            default = next((name[1:] for name in names if name.startswith("=")), None)
            return (missing if default is None else default,)

        apply_rules(rules, Call(event.span, event.resolution, event.trigger, values, _unknown), report)

    def resolve(self, path: str, name: str) -> tuple[str, ...]:
        """Return the names outside the tree that a name used in a file may mean, sorted."""
        found: set[str] = set()
        seen: set[tuple[str, str]] = set()
        waiting = [(path, name, 0)]
        while waiting and len(seen) < _MAX_HOPS * _MAX_NAMES:
            at, current, hops = waiting.pop()
            if (at, current) in seen or hops > _MAX_HOPS:
                continue
            seen.add((at, current))
            specifier, mark, rest = current.partition("#")
            if not mark:
                found.add(current)
                continue
            target = self._target(at, specifier)
            if target is not None:
                waiting.extend((target, held, hops + 1) for held in self._held(target, rest))
        return tuple(sorted(found)[:_MAX_NAMES])

    def places(self, path: str, name: str) -> Iterator[tuple[str, str]]:
        """Yield the files, with the name inside each, that a name used in a file may lead to; nearest first."""
        seen: set[tuple[str, str]] = set()
        waiting = [(path, name, 0)]
        while waiting and len(seen) < _MAX_HOPS * _MAX_NAMES:
            at, current, hops = waiting.pop(0)
            specifier, mark, rest = current.partition("#")
            if not mark or (at, current) in seen or hops > _MAX_HOPS:
                continue
            seen.add((at, current))
            target = self._target(at, specifier)
            if target is not None:
                yield target, rest
                waiting.extend((target, held, hops + 1) for held in self._held(target, rest))

    def _target(self, path: str, specifier: str) -> str | None:
        """Return the file that a specifier means, seen from another file; None where the tree has none."""
        joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), specifier.partition("?")[0]))
        if joined.startswith("../"):
            return None
        stem, suffix = posixpath.splitext(joined)
        guesses = [joined, *(stem + other for other in _COMPILED.get(suffix, ()))]
        guesses.extend(joined + other for other in _SUFFIXES)
        base = "" if joined == "." else f"{joined}/"
        guesses.extend(f"{base}index{other}" for other in _SUFFIXES)
        return next((guess for guess in guesses if guess in self._files), None)

    def _held(self, path: str, name: str) -> Iterator[str]:
        """Yield what a name inside a file may hold, with what follows the longest name that the file exports."""
        exports = self._exports.get(path)
        if exports is None:
            if len(self._exports) >= _MAX_OPEN_FILES:
                self._exports.clear()
            exports = self._exports[path] = dict(self._files[path].exports)
        if name.partition(".")[0].rstrip("()") == "default" and "default" not in exports:
            name = name[len("default") :].lstrip(".")
        found = list(_exported(exports, name))
        if not found:
            found = [_below(module, name) for module in exports.get("*", ())]
        yield from found


def _exported(exports: Mapping[str, tuple[str, ...]], name: str) -> Iterator[str]:
    cut = len(name)
    while cut > 0:
        held = exports.get(name[:cut])
        if held is not None:
            yield from (value + name[cut:] for value in held)
            return
        if name[:cut].endswith(("()", "[]")):
            held = exports.get(name[: cut - 2])
            if held is not None:
                yield from (value + name[cut - 2 :] for value in held)
                return
        cut = name.rfind(".", 0, cut)
    for whole_name in (WHOLE, *(("default",) if not name else ())):
        yield from (_below(value, name) for value in exports.get(whole_name, ()))


def _below(value: str, name: str) -> str:
    """Return a name below a value."""
    if not name:
        return value
    return value + name if value.endswith("#") or name[0] in "([" else f"{value}.{name}"


def _known_in_full(event: Event) -> Event:
    """Return an event without text that is known only in part: rules outside the tables see whole values only."""
    keywords = tuple((key, whole(value)) for key, value in event.keywords)
    return event._replace(arguments=tuple(map(whole, event.arguments)), keywords=keywords)


def _unknown(_position: int, _keywords: tuple[str, ...]) -> tuple[Value, ...]:
    return (UNKNOWN,)
