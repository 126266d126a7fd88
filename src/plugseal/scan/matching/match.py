"""Match the rules about code over the events that readers report of one file.

The rules are looked up by the name that an event has (`index.py`), so a file without events costs next to nothing.
Findings are unique by place and rule, and sorted.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from plugseal.lang.facts import Event, FileFacts, Value
from plugseal.model.capability import Fact
from plugseal.model.finding import Finding
from plugseal.rules.rule import Clause, Rule, RuleSet
from plugseal.scan.detectors import CODE_DETECTORS
from plugseal.scan.detectors.facts import is_in_a_test
from plugseal.scan.matching.hit import Gathering, Hit, Lines
from plugseal.scan.matching.index import CIRCUMSTANCES, Case, RuleIndex, index_of
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

_RULES_FOR: Final = {
    "PowerShell": "powershell",
    "batch": "shell",
    "Ruby": "ruby",
    "Perl": "perl",
    "PHP": "php",
    "Lua": "lua",
}
"""Languages as readers call them to those of rules, where these differ."""


def match_file(rules: RuleSet, file: str, facts: FileFacts, lines: Lines) -> list[Finding]:
    """Return the findings in one source file.

    Args:
        rules: the set.
        file: path below the scanned root.
        facts: what a reader said of it.
        lines: source lines for the findings' evidence.
    """
    index = index_of(rules)
    gathering = Gathering(file, lines)
    _gather(index, facts.events, lines, gathering, _Objects(facts.facts))
    language = _RULES_FOR.get(facts.language, facts.language)
    for rule in index.detectors:
        if language in rule.languages:
            for hit in CODE_DETECTORS[rule.detector].look(facts, lines):
                if not is_in_a_test(rule.detector, hit.object, file):
                    gathering.add(rule, hit)
    return gathering.findings()


def match_events(rules: RuleSet, file: str, events: Iterable[Event], lines: Lines) -> list[Finding]:
    """Return the findings over events alone, e.g. those that the linker resolved across files."""
    gathering = Gathering(file, lines)
    _gather(index_of(rules), events, lines, gathering, _Objects(()))
    return gathering.findings()


def rules_firing(rules: RuleSet, event: Event) -> Iterator[Rule]:
    """Yield every rule that one event alone makes fire."""
    return _firing(index_of(rules), event, _Inside([event], 0))


def _gather(index: RuleIndex, events: Iterable[Event], lines: Lines, gathering: Gathering, objects: _Objects) -> None:
    """Match the tables of all rules."""
    ordered = sorted(events, key=lambda event: event.span)
    for at, event in enumerate(ordered):
        for rule in _firing(index, event, _Inside(ordered, at)):
            source = lines(event.span.line)
            if _asks_for_unknown(rule) and chooses_literals(event, source):
                continue
            note = render_note(rule.note, event, source) if rule.note else ""
            gathering.add(rule, Hit(event.span, note, objects.of(rule, event)))


class _Objects:
    """What the facts of a file are about, by place and capability."""

    __slots__ = ("_at", "_places")

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._at = {(f.span.line, f.span.column, f.capability): f.object for f in facts if f.object is not None}
        self._places: dict[str, list[tuple[int, int]]] = {}

    def of(self, rule: Rule, event: Event) -> str | None:
        """Return what a finding is about: the object of the fact at its place, of a pipe the first within."""
        span, capability = event.span, rule.capability
        if capability is None:
            return None
        known = self._at.get((span.line, span.column, capability))
        if known is not None or event.kind != "pipe":
            return known
        places = self._sorted(capability)
        first = bisect_left(places, span[:2])
        if first == len(places) or places[first] >= span[2:]:
            return None
        line, column = places[first]
        return self._at[line, column, capability]

    def _sorted(self, capability: str) -> list[tuple[int, int]]:
        known = self._places.get(capability)
        if known is None:
            known = sorted(place[:2] for place in self._at if place[2] == capability)
            self._places[capability] = known
        return known


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


def _firing(index: RuleIndex, event: Event, inside: _Inside) -> Iterator[Rule]:
    """Yield every rule that one event makes fire, each once."""
    seen: set[str] = set()
    for case in _candidates(index, event):
        rule = case.rule
        if rule.id in seen or not _holds(case.clause, event, inside):
            continue
        seen.add(rule.id)
        if not any(_is_named(clause, event) and _holds(clause, event, inside) for clause in rule.unless):
            yield rule


def _candidates(index: RuleIndex, event: Event) -> Iterator[Case]:
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
        if word in CIRCUMSTANCES and not fits_name(test, event.name if word == "also" else getattr(event, word)):
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
    return all(
        word in CIRCUMSTANCES or (word == event.kind and fits_name(test, event.name)) for word, test in clause.names
    )


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
