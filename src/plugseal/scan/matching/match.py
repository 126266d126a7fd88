"""Match rules over what was read: code events, components of plugins, entries of a tree, texts.

The rules of a set are indexed once by the exact name they ask for, so a file without events costs next to nothing.
Findings are unique by place and rule, and sorted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from plugseal.errors import RuleError
from plugseal.lang.facts import Event, FileFacts, Interest, Value
from plugseal.model.finding import Finding
from plugseal.patterns import deferred
from plugseal.rules.grammar import join_patterns
from plugseal.rules.rule import Clause, Rule, RuleSet
from plugseal.scan.detectors import BYTES_DETECTORS, CODE_DETECTORS, MANIFEST_DETECTORS, TREE_DETECTORS
from plugseal.scan.matching.hit import Gathering, Hit, Lines
from plugseal.scan.matching.match_plugin import match_plugin
from plugseal.scan.matching.match_tree import match_text, match_tree
from plugseal.scan.matching.notes import chooses_literals, render_note
from plugseal.scan.matching.values import (
    MAX_MATCHED_CHARACTERS,
    argument_of,
    comes_from,
    fits_name,
    fits_value,
    is_literal,
    is_origin,
    is_within,
    keyword_of,
)

__all__ = ["build_interest", "match_events", "match_file", "match_plugin", "match_text", "match_tree"]


_AROUND = ("trigger", "resolution", "also")
"""Words about an event's circumstances, or more about its text: they give no name to look it up by."""


_Place: TypeAlias = "tuple[int, int, str | None]"
"""(line, column, capability)."""


class _Case(NamedTuple):
    """One match table with its rule."""

    rule: Rule
    clause: Clause


_NO_EVENTS: Final = frozenset({"manifest", "file"})
"""Languages of rules that look at components and entries."""


class _Index(NamedTuple):
    """A rule set by what its code rules ask for."""

    exact: dict[tuple[str, str], list[_Case]]
    """By (event kind, exact name)."""
    prefixes: tuple[tuple[str, str, _Case], ...]
    """(event kind, prefix, case)."""
    searched: dict[str, list[tuple[re.Pattern[str], _Case]]]
    """By event kind: (pattern, case)."""
    detectors: tuple[Rule, ...]
    interest: Interest


def build_interest(rules: RuleSet) -> Interest:
    """Return what readers should report as events for these rules.

    Raises:
        RuleError: where a rule names a detector that is not there.
    """
    return _index(rules).interest


def match_file(rules: RuleSet, file: str, facts: FileFacts, lines: Lines) -> list[Finding]:
    """Return the findings in one source file.

    Args:
        rules: the set.
        file: path below the scanned root.
        facts: what a reader said of it.
        lines: source lines for the findings' evidence.
    """
    index = _index(rules)
    gathering = Gathering(file, lines)
    _gather(index, facts.events, lines, gathering, _objects(facts))
    for rule in index.detectors:
        if facts.language in rule.languages:
            for hit in CODE_DETECTORS[rule.detector].look(facts, lines):
                gathering.add(rule, hit)
    return gathering.findings()


def match_events(rules: RuleSet, file: str, events: Iterable[Event], lines: Lines) -> list[Finding]:
    """Return the findings over events alone, e.g. those that the linker resolved across files."""
    gathering = Gathering(file, lines)
    _gather(_index(rules), events, lines, gathering, {})
    return gathering.findings()


def rules_firing(rules: RuleSet, event: Event) -> Iterator[Rule]:
    """Yield every rule that one event alone makes fire."""
    return _firing(_index(rules), event, _Inside([event], 0))


def _gather(
    index: _Index, events: Iterable[Event], lines: Lines, gathering: Gathering, objects: Mapping[_Place, str]
) -> None:
    """Match the tables of all rules."""
    ordered = sorted(events, key=lambda event: event.span)
    for at, event in enumerate(ordered):
        for rule in _firing(index, event, _Inside(ordered, at)):
            source = lines(event.span.line)
            if _asks_for_unknown(rule) and chooses_literals(event, source):
                continue
            note = render_note(rule.note, event, source) if rule.note else ""
            gathering.add(rule, Hit(event.span, note, _object_of(rule, event, objects)))


def _object_of(rule: Rule, event: Event, objects: Mapping[_Place, str]) -> str | None:
    """Return what a finding is about: the object of the fact at its place, of a pipe that of a fact within."""
    span = event.span
    known = objects.get((span.line, span.column, rule.capability))
    if known is not None or event.kind != "pipe":
        return known
    within = [place for place in objects if place[2] == rule.capability and span[:2] <= place[:2] < span[2:]]
    return objects[min(within)] if within else None


class _Inside:
    """The calls within the text of one event, found by order of place."""

    __slots__ = ("_at", "_events")

    def __init__(self, events: Sequence[Event], at: int) -> None:
        self._events = events
        self._at = at

    def __iter__(self) -> Iterator[Event]:
        outer = self._events[self._at].span
        for number in range(self._at + 1, len(self._events)):
            event = self._events[number]
            if event.span[:2] > outer[2:]:
                return
            if event.kind == "call" and is_within(event.span, outer):
                yield event


def _firing(index: _Index, event: Event, inside: _Inside) -> Iterator[Rule]:
    """Yield every rule that one event makes fire, each once."""
    seen: set[str] = set()
    for case in _candidates(index, event):
        rule = case.rule
        if rule.id in seen or not _holds(case.clause, event, inside):
            continue
        seen.add(rule.id)
        if not any(_is_named(clause, event) and _holds(clause, event, inside) for clause in rule.unless):
            yield rule


def _candidates(index: _Index, event: Event) -> Iterator[_Case]:
    """Yield the match tables whose name fits an event."""
    kind, name = event.kind, event.name
    yield from index.exact.get((kind, name), ())
    if kind == "import":
        head, dot, _ = name.rpartition(".")
        while dot:
            yield from index.exact.get((kind, head), ())
            head, dot, _ = head.rpartition(".")
    for wanted, prefix, case in index.prefixes:
        if wanted == kind and name.startswith(prefix):
            yield case
    for pattern, case in index.searched.get(kind, ()):
        if pattern.search(name[:MAX_MATCHED_CHARACTERS]):
            yield case


def _holds(clause: Clause, event: Event, inside: _Inside) -> bool:
    """Say whether everything that a table asks, but the event's own name, holds."""
    for word, test in clause.names:
        if word in _AROUND and not fits_name(test, event.name if word == "also" else getattr(event, word)):
            return False
    if clause.origin and not _has_origin(clause.origin, event, inside):
        return False
    for key, value_test in clause.arguments:
        if key == "any":
            if not any(fits_value(value_test, (value,)) for value in _all_values(event)):
                return False
        elif not fits_value(value_test, argument_of(event, key)):
            return False
    return all(fits_value(value_test, keyword_of(event, key)) for key, value_test in clause.keywords)


def _is_named(clause: Clause, event: Event) -> bool:
    """Say whether an event is of the kind and name that an `[[unless]]` table asks for, if it asks."""
    return all(word in _AROUND or (word == event.kind and fits_name(test, event.name)) for word, test in clause.names)


def _has_origin(names: tuple[str, ...], event: Event, inside: _Inside) -> bool:
    """Say whether an argument comes from one of the names: by its value, or because a call of it stands inside.

    A value that was mixed with others (`"x" + decode(y)`) is unknown; then a call within the call's own text tells.
    """
    values = _all_values(event)
    if any(comes_from(value, names) for value in values):
        return True
    if all(is_literal(value) for value in values):
        return False
    return any(is_origin(call.name, names) for call in inside)


def _all_values(event: Event) -> Sequence[Value]:
    return (*event.arguments, *(value for _, value in event.keywords))


def _asks_for_unknown(rule: Rule) -> bool:
    return any(test.literal is False for clause in rule.matches for _, test in clause.arguments)


def _objects(facts: FileFacts) -> dict[_Place, str]:
    """Return the known objects of a file's facts by place and capability."""
    return {(f.span.line, f.span.column, f.capability): f.object for f in facts.facts if f.object is not None}


def _check_detectors(rules: RuleSet) -> None:
    """Refuse a set with a rule whose detector is not there: it would never fire.

    Raises:
        RuleError: with every such rule.
    """
    known = {
        "python": CODE_DETECTORS.keys(),
        "javascript": CODE_DETECTORS.keys(),
        "typescript": CODE_DETECTORS.keys(),
        "prose": CODE_DETECTORS.keys(),
        "shell": CODE_DETECTORS.keys(),
        "manifest": MANIFEST_DETECTORS.keys(),
        "file": TREE_DETECTORS.keys() | BYTES_DETECTORS.keys(),
    }
    faults = [
        f"{rule.languages[0]}/{rule.id}.toml:1: no detector `{rule.detector}` for {language}"
        for rule in rules.rules
        for language in rule.languages
        if rule.detector and rule.detector not in known.get(language, ())
    ]
    if faults:
        raise RuleError("the rules name detectors that are not there", details=faults, hint="see `scan/detectors`")


@lru_cache(maxsize=8)
def _index(rules: RuleSet) -> _Index:
    """Index a set; it is kept, since every file asks it.

    Raises:
        RuleError: where a detector is not there.
    """
    _check_detectors(rules)
    exact: dict[tuple[str, str], list[_Case]] = {}
    prefixes: list[tuple[str, str, _Case]] = []
    searched: dict[str, list[tuple[re.Pattern[str], _Case]]] = {}
    for rule in rules.rules:
        # `command` of a rule over manifests is a component's, not that of a script's events.
        for clause in () if _NO_EVENTS.issuperset(rule.languages) else rule.matches:
            case = _Case(rule, clause)
            for word, test in clause.names:
                if word in _AROUND:
                    continue
                for name in sorted(test.exact):
                    exact.setdefault((word, name), []).append(case)
                    if word == "call" and "." not in name:
                        exact.setdefault((word, f"builtins.{name}"), []).append(case)
                prefixes += [(word, prefix, case) for prefix in test.prefixes]
                if test.matches is not None:
                    searched.setdefault(word, []).append((test.matches, case))
    detectors = tuple(rule for rule in rules.rules if rule.detector in CODE_DETECTORS)
    clauses = [clause for rule in rules.rules for clause in (*rule.matches, *rule.unless)]
    interest = _interest(exact, prefixes, searched, clauses, detectors)
    return _Index(exact, tuple(prefixes), searched, detectors, interest)


def _interest(
    exact: dict[tuple[str, str], list[_Case]],
    prefixes: list[tuple[str, str, _Case]],
    searched: dict[str, list[tuple[re.Pattern[str], _Case]]],
    clauses: Sequence[Clause],
    detectors: tuple[Rule, ...],
) -> Interest:
    """Gather the names of rules and of the detectors that they name."""
    wanted = [CODE_DETECTORS[rule.detector].interest for rule in detectors]
    origins = {name for clause in clauses for name in clause.origin}
    patterns = [pattern.pattern for pattern, _ in searched.get("string", ())]
    patterns += [one.strings.pattern for one in wanted if one.strings is not None]

    def names(kind: str) -> frozenset[str]:
        return frozenset(name for word, name in exact if word == kind)

    return Interest(
        calls=names("call").union(*(one.calls for one in wanted), (name for name in origins if name[-1] != "*")),
        call_prefixes=tuple(
            sorted(
                {prefix for word, prefix, _ in prefixes if word == "call"}.union(
                    *(one.call_prefixes for one in wanted), (name[:-1] for name in origins if name[-1] == "*")
                )
            )
        ),
        imports=names("import").union(*(one.imports for one in wanted)),
        attributes=names("attribute").union(*(one.attributes for one in wanted)),
        strings=deferred(join_patterns(sorted(set(patterns)))) if patterns else None,
    )
