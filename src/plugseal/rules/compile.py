"""From a rule's TOML document to plain data.

The documents were validated (`schema.py`) when the set was last checked, so this only reshapes: it trusts the form
and stays fast. Unknown keys can't arrive here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from plugseal.model.finding import Confidence, Severity
from plugseal.patterns import deferred
from plugseal.rules.grammar import join_patterns
from plugseal.rules.rule import Clause, NameTest, Rule, ValueTest
from plugseal.rules.vocabulary import ALL_WORDS, GROUPS, NAME_WORDS, TEXT_WORDS

Needs: TypeAlias = Mapping[str, Sequence[str]]
"""Patterns to the literals of which each of their matches holds one."""

_VALUE_KEYS: Final = ("literal", "absent", "matches", "origin", "one_of")
_UNKNOWN: Final[Needs] = {}


def build_rule(document: Mapping[str, Any], needs: Needs = _UNKNOWN) -> Rule:
    """Return the rule that a validated document describes.

    Args:
        document: as validated.
        needs: of patterns, the literals that they need, as far as these were recorded.
    """
    group = GROUPS[document["languages"][0]]
    return Rule(
        id=document["id"],
        title=document["title"],
        capability=document.get("capability"),
        severity=Severity(document["severity"]),
        confidence=Confidence(document["confidence"]),
        languages=tuple(document["languages"]),
        since=document["since"],
        what=document["what"].strip(),
        why=document["why"].strip(),
        remedy=document["remedy"],
        references=tuple(document.get("references", ())),
        note=document.get("note", ""),
        matches=tuple(_build_clause(table, group, needs) for table in document.get("match", ())),
        unless=tuple(_build_clause(table, group, needs) for table in document.get("unless", ())),
        detector=document.get("detector", ""),
        when_unstarted=Severity(document["when_unstarted"]) if "when_unstarted" in document else None,
    )


def _build_clause(table: Mapping[str, Any], group: str, needs: Needs) -> Clause:
    """Turn one table into its tests."""
    names = tuple(
        (word, _build_name_test(word, value, needs))
        for word in NAME_WORDS[group]
        if word in table
        for value in (_each(table[word]) if word in ALL_WORDS else [table[word]])
    )
    argument = table.get("argument", {})
    if not _is_keyed(argument):
        argument = {"any": argument}
    return Clause(
        names=names,
        arguments=tuple((key, _build_value_test(value, needs)) for key, value in argument.items()),
        keywords=tuple((key, _build_value_test(value, needs)) for key, value in table.get("keyword", {}).items()),
        origin=tuple(table.get("origin", ())),
    )


def _each(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _is_keyed(argument: object) -> bool:
    """Tell `{ 0 = … }` from a bare value test, which asks about any argument."""
    return isinstance(argument, Mapping) and not any(key in _VALUE_KEYS for key in argument)


def _build_name_test(word: str, value: Any, needs: Needs) -> NameTest:
    """Turn a name, a list of names or a pattern into a test."""
    if isinstance(value, Mapping):
        return NameTest(matches=_build_pattern(value["matches"], needs))
    values: list[str] = [value] if isinstance(value, str) else list(value)
    if word in ALL_WORDS:
        return NameTest(matches=_build_pattern(value, needs))
    if word in TEXT_WORDS:
        return NameTest(matches=_build_pattern(join_patterns(values) if len(values) > 1 else values[0], needs))
    prefixes = tuple(name[:-1] for name in values if name.endswith("*"))
    return NameTest(frozenset(name for name in values if not name.endswith("*")), prefixes)


def _build_value_test(value: Any, needs: Needs) -> ValueTest:
    """Turn a literal, a list of literals or a table into a test."""
    if isinstance(value, list):
        return ValueTest(equals=tuple(value))
    if not isinstance(value, Mapping):
        return ValueTest(equals=(value,))
    return ValueTest(
        equals=tuple(value["one_of"]) if "one_of" in value else None,
        literal=value.get("literal"),
        absent=value.get("absent", False),
        matches=_build_pattern(value["matches"], needs) if "matches" in value else None,
        origin=tuple(value["origin"]) if "origin" in value else None,
    )


def _build_pattern(text: str, needs: Needs) -> re.Pattern[str]:
    return deferred(text, needs=tuple(needs.get(text, ())))
