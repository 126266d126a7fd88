"""The rules of a set by what they ask for, and what readers must report so that they can be asked.

A set is indexed once, by the exact names and prefixes of its match tables: a file is then asked only about the names
that stand in it. A rule whose detector is not there would never fire, so the set is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from plugseal.errors import RuleError
from plugseal.lang.facts import Interest
from plugseal.patterns import deferred
from plugseal.records import NamedTuple
from plugseal.rules.grammar import join_patterns
from plugseal.rules.rule import Clause, Rule, RuleSet
from plugseal.rules.vocabulary import FILE, GROUPS, MANIFEST
from plugseal.scan.detectors import BYTES_DETECTORS, CODE_DETECTORS, MANIFEST_DETECTORS, TREE_DETECTORS

CIRCUMSTANCES = ("trigger", "resolution", "also")
"""Words of a match table about an event's circumstances or its text: they are no name to look the event up by."""
_NO_EVENTS: Final = frozenset({"manifest", "file"})
"""Languages of rules that look at components and entries."""


class Case(NamedTuple):
    """One match table with its rule."""

    rule: Rule
    clause: Clause


class RuleIndex(NamedTuple):
    """A rule set by what its code rules ask for."""

    exact: dict[tuple[str, str], list[Case]]
    """By (event kind, exact name)."""
    prefixes: tuple[tuple[str, str, Case], ...]
    """(event kind, prefix, case)."""
    searched: dict[str, list[tuple[re.Pattern[str], Case]]]
    """By event kind: (pattern, case)."""
    detectors: tuple[Rule, ...]
    interest: Interest


def build_interest(rules: RuleSet) -> Interest:
    """Return what readers should report as events for these rules.

    Raises:
        RuleError: where a rule names a detector that is not there.
    """
    return index_of(rules).interest


@lru_cache(maxsize=8)
def index_of(rules: RuleSet) -> RuleIndex:
    """Return the index of a set; the last few are kept, since every file asks for one.

    Raises:
        RuleError: where a detector is not there.
    """
    _check_detectors(rules)
    exact: dict[tuple[str, str], list[Case]] = {}
    prefixes: list[tuple[str, str, Case]] = []
    searched: dict[str, list[tuple[re.Pattern[str], Case]]] = {}
    for rule in rules.rules:
        # `command` of a rule over manifests is a component's, not that of a script's events.
        for clause in () if _NO_EVENTS.issuperset(rule.languages) else rule.matches:
            case = Case(rule, clause)
            for word, test in clause.names:
                if word in CIRCUMSTANCES:
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
    return RuleIndex(exact, tuple(prefixes), searched, detectors, interest)


def _check_detectors(rules: RuleSet) -> None:
    """Refuse a set with a rule whose detector is not there: it would never fire.

    Raises:
        RuleError: with every such rule.
    """
    others = {
        MANIFEST: MANIFEST_DETECTORS.keys(),
        FILE: TREE_DETECTORS.keys() | BYTES_DETECTORS.keys(),
    }
    faults = [
        f"{rule.languages[0]}/{rule.id}.toml:1: no detector `{rule.detector}` for {language}"
        for rule in rules.rules
        for language in rule.languages
        if rule.detector and rule.detector not in others.get(GROUPS[language], CODE_DETECTORS.keys())
    ]
    if faults:
        raise RuleError("the rules name detectors that are not there", details=faults, hint="see `scan/detectors`")


def _interest(
    exact: dict[tuple[str, str], list[Case]],
    prefixes: list[tuple[str, str, Case]],
    searched: dict[str, list[tuple[re.Pattern[str], Case]]],
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
