"""Names that one file takes from another file of the same tree, followed to what they really are.

A pending name begins with a module: relative ones count their dots from the file's own package; absolute ones are
looked for beside the file, in each folder above it, up to the root of the tree. What is found is replaced by what that
file says the name may hold, over several hops. Nothing is read here: only what the readers noted is combined.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from plugseal.lang.facts import UNKNOWN, Event, FileFacts, Value
from plugseal.lang.python.facing import whole
from plugseal.lang.python.parse import parse_source
from plugseal.lang.python.report import Report
from plugseal.lang.python.rules import Call, apply_rules, read_rules
from plugseal.lang.python.tables import shared_tables
from plugseal.model.capability import Fact, fact_order

_MAX_HOPS: Final = 12
_MAX_NAMES: Final = 16
_MAX_PARTS: Final = 32
_MAX_OPEN_FILES: Final = 512
"""Files whose exports are at hand; the memory is dropped when it is full."""


def link_python(files: Mapping[str, FileFacts]) -> dict[str, tuple[list[Fact], list[Event]]]:
    """Return, by file, the facts and events that its pending names turn out to be.

    Args:
        files: every Python file of the tree by its path below the root, `/` between parts.
    """
    return dict(iterate_links(files))


def iterate_links(files: Mapping[str, FileFacts]) -> Iterator[tuple[str, tuple[list[Fact], list[Event]]]]:
    """Yield what `link_python` returns file by file, so that a large tree's need not be held at once."""
    linker = Linker(files)
    for path in sorted(files):
        file = files[path]
        if file.pending:
            facts, events = linker.link(path, file)
            if facts or events:
                yield path, (facts, events)


class Linker:
    """All files of one tree, by path."""

    def __init__(self, files: Mapping[str, FileFacts]) -> None:
        self._files = files
        self._modules = _module_paths(files)
        self._exports: dict[str, dict[str, tuple[str, ...]]] = {}
        self._tables = shared_tables()

    def link(self, path: str, facts: FileFacts) -> tuple[list[Fact], list[Event]]:
        """Return the facts and events that a file's pending names turn out to be."""
        from plugseal.lang.facts import Interest

        report = Report(Interest(), parse_source)
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
            if 0 <= position < len(event.arguments):
                return (event.arguments[position],)
            return next(((keywords[name],) for name in names if name in keywords), (missing,))

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
            reached = False
            for target, rest in self._targets(at, current):
                reached = True
                waiting.extend((target, held, hops + 1) for held in self._held(target, rest))
            if not reached and hops and not current.startswith("."):
                found.add(current)
        return tuple(sorted(found)[:_MAX_NAMES])

    def places(self, path: str, name: str) -> Iterator[tuple[str, str]]:
        """Yield the files, with the name inside each, that a name used in a file may lead to; nearest first."""
        seen: set[tuple[str, str]] = set()
        waiting = [(path, name, 0)]
        while waiting and len(seen) < _MAX_HOPS * _MAX_NAMES:
            at, current, hops = waiting.pop(0)
            if (at, current) in seen or hops > _MAX_HOPS:
                continue
            seen.add((at, current))
            for target, rest in self._targets(at, current):
                yield target, rest
                waiting.extend((target, held, hops + 1) for held in self._held(target, rest))

    def _targets(self, path: str, name: str) -> Iterator[tuple[str, str]]:
        """Yield the file that a name leads to, with the rest of the name inside that file; the longest match only."""
        folder = path.rpartition("/")[0].split("/") if "/" in path else []
        bare = name.lstrip(".")
        dots = len(name) - len(bare)
        parts = bare.split(".")[:_MAX_PARTS]
        if dots:
            if dots - 1 > len(folder):
                return
            bases = [folder[: len(folder) - (dots - 1)]]
        else:
            bases = [folder[:count] for count in range(len(folder), -1, -1)]
        for base in bases:
            for count in range(len(parts), -1 if dots else 0, -1):
                target = self._modules.get("/".join((*base, *parts[:count])))
                if target is not None and target != path:
                    yield target, ".".join(parts[count:])
                    return
                if target == path and count < len(parts):
                    yield target, ".".join(parts[count:])
                    return

    def _held(self, path: str, name: str) -> Iterator[str]:
        """Yield what a name inside a file may hold, with what follows the longest name that the file exports."""
        exports = self._exports.get(path)
        if exports is None:
            if len(self._exports) >= _MAX_OPEN_FILES:
                self._exports.clear()
            exports = self._exports[path] = dict(self._files[path].exports)
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
        for module in exports.get("*", ()):
            yield module + name if module.endswith(".") else f"{module}.{name}"


def _known_in_full(event: Event) -> Event:
    """Return an event without text that is known only in part: rules outside the tables see whole values only."""
    keywords = tuple((key, whole(value)) for key, value in event.keywords)
    return event._replace(arguments=tuple(map(whole, event.arguments)), keywords=keywords)


def _unknown(_position: int, _keywords: tuple[str, ...]) -> tuple[Value, ...]:
    return (UNKNOWN,)


def _module_paths(files: Mapping[str, FileFacts]) -> dict[str, str]:
    """Return files by the path of their module: without suffix, packages by their folder."""
    found: dict[str, str] = {}
    for path in sorted(files):
        stem = path.rpartition(".")[0] if path.endswith((".py", ".pyw", ".pyi")) else ""
        if not stem:
            continue
        if stem == "__init__" or stem.endswith("/__init__"):
            stem = stem[: -len("__init__")].rstrip("/")
        found.setdefault(stem, path)
    return found
