"""Match rules over what was read: code events, components of plugins, entries of a tree, texts.

The rules of a set are indexed once by the exact name they ask for, so a file without events costs next to nothing.
Findings are unique by place and rule, and sorted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from plugseal.lang.facts import Event, FileFacts, Interest, Value
from plugseal.model.finding import Finding
from plugseal.rules.rule import Clause, NameTest, Rule, RuleSet
from plugseal.scan.detectors import CODE_DETECTORS
from plugseal.scan.hit import Hit, Lines, build_finding, sort_findings
from plugseal.scan.match_plugin import match_plugin
from plugseal.scan.match_tree import match_text, match_tree
from plugseal.scan.notes import render_note
from plugseal.scan.values import argument_of, comes_from, compiled, fits_name, fits_value, keyword_of

__all__ = ["build_interest", "match_events", "match_file", "match_plugin", "match_text", "match_tree"]


class _Case(NamedTuple):
    """One match table with its rule."""

    rule: Rule
    clause: Clause


class _Index(NamedTuple):
    """A rule set by what its code rules ask for."""

    exact: dict[tuple[str, str], list[_Case]]
    """By (event kind, exact name)."""
    prefixes: tuple[tuple[str, str, _Case], ...]
    """(event kind, prefix, case)."""
    searched: dict[str, list[tuple[str, _Case]]]
    """By event kind: (pattern, case)."""
    detectors: tuple[Rule, ...]
    interest: Interest


def build_interest(rules: RuleSet) -> Interest:
    """Return what readers should report as events for these rules."""
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
    found = match_events(rules, file, facts.events, lines, facts=facts)
    for rule in index.detectors:
        detector = CODE_DETECTORS[rule.detector]
        if facts.language in rule.languages:
            found += [build_finding(rule, hit, file, lines) for hit in detector.look(facts)]
    return sort_findings(found)


def match_events(
    rules: RuleSet, file: str, events: Iterable[Event], lines: Lines, *, facts: FileFacts | None = None
) -> list[Finding]:
    """Return the findings over events alone, e.g. those that the linker resolved across files."""
    index = _index(rules)
    objects = _objects(facts)
    found: list[Finding] = []
    for event in events:
        for rule in _firing(index, event):
            source = lines(event.span.line)
            note = render_note(rule.note, event, source) if rule.note else ""
            hit = Hit(event.span, note, objects.get((event.span.line, event.span.column, rule.capability)))
            found.append(build_finding(rule, hit, file, lines))
    return sort_findings(found)


def _firing(index: _Index, event: Event) -> Iterator[Rule]:
    """Yield every rule that one event makes fire, each once."""
    seen: set[str] = set()
    for case in _candidates(index, event):
        rule = case.rule
        if rule.id in seen or not _holds(case.clause, event):
            continue
        seen.add(rule.id)
        if not any(_holds(clause, event, kinds=True) for clause in rule.unless):
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
        if compiled(pattern).search(name[:65_536]):
            yield case


def _holds(clause: Clause, event: Event, *, kinds: bool = False) -> bool:
    """Say whether everything that a table asks, but the event's own name, holds.

    Args:
        clause: the table.
        event: what was seen.
        kinds: also ask the event's kind and name, as an `[[unless]]` table must.
    """
    for word, test in clause.names:
        if not _holds_name(word, test, event, kinds=kinds):
            return False
    if clause.origin and not any(comes_from(value, clause.origin) for value in _all_values(event)):
        return False
    for key, value_test in clause.arguments:
        if key == "any":
            if not any(fits_value(value_test, (value,)) for value in _all_values(event)):
                return False
        elif not fits_value(value_test, argument_of(event, key)):
            return False
    return all(fits_value(value_test, keyword_of(event, key)) for key, value_test in clause.keywords)


def _holds_name(word: str, test: NameTest, event: Event, *, kinds: bool) -> bool:
    if word == "trigger":
        return fits_name(test, event.trigger)
    if word == "resolution":
        return fits_name(test, event.resolution)
    return not kinds or (word == event.kind and fits_name(test, event.name))


def _all_values(event: Event) -> Sequence[Value]:
    return (*event.arguments, *(value for _, value in event.keywords))


def _objects(facts: FileFacts | None) -> dict[tuple[int, int, str | None], str]:
    """Return the known objects of a file's facts by place and capability."""
    if facts is None:
        return {}
    return {(f.span.line, f.span.column, f.capability): f.object for f in facts.facts if f.object is not None}


@lru_cache(maxsize=8)
def _index(rules: RuleSet) -> _Index:
    """Index a set; it is kept, since every file asks it."""
    exact: dict[tuple[str, str], list[_Case]] = {}
    prefixes: list[tuple[str, str, _Case]] = []
    searched: dict[str, list[tuple[str, _Case]]] = {}
    for rule in rules.rules:
        for clause in rule.matches:
            case = _Case(rule, clause)
            for word, test in clause.names:
                if word in ("trigger", "resolution"):
                    continue
                for name in sorted(test.exact):
                    exact.setdefault((word, name), []).append(case)
                    if word == "call" and "." not in name:
                        exact.setdefault((word, f"builtins.{name}"), []).append(case)
                prefixes += [(word, prefix, case) for prefix in test.prefixes]
                if test.matches is not None:
                    searched.setdefault(word, []).append((test.matches, case))
    detectors = tuple(rule for rule in rules.rules if rule.detector in CODE_DETECTORS)
    return _Index(exact, tuple(prefixes), searched, detectors, _interest(exact, prefixes, searched, detectors))


def _interest(
    exact: dict[tuple[str, str], list[_Case]],
    prefixes: list[tuple[str, str, _Case]],
    searched: dict[str, list[tuple[str, _Case]]],
    detectors: tuple[Rule, ...],
) -> Interest:
    """Gather the names of rules and of the detectors that they name."""
    wanted = [CODE_DETECTORS[rule.detector].interest for rule in detectors]
    patterns = [pattern for pattern, _ in searched.get("string", ())]
    patterns += [one.strings.pattern for one in wanted if one.strings is not None]

    def names(kind: str) -> frozenset[str]:
        return frozenset(name for word, name in exact if word == kind)

    return Interest(
        calls=names("call").union(*(one.calls for one in wanted)),
        call_prefixes=tuple(
            sorted({p for word, p, _ in prefixes if word == "call"}.union(*(one.call_prefixes for one in wanted)))
        ),
        imports=names("import").union(*(one.imports for one in wanted)),
        attributes=names("attribute").union(*(one.attributes for one in wanted)),
        strings=re.compile("|".join(f"(?:{p})" for p in sorted(set(patterns)))) if patterns else None,
    )
