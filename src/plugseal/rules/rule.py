"""A rule as plain data, ready to be matched.

Nothing here knows TOML or pydantic: the scan path loads this and `load.py` only. Patterns are compiled when a matcher
needs them, since compiling a regular expression costs more than most rules cost in a whole scan.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from plugseal.model.finding import Confidence, Severity
from plugseal.records import NamedTuple

Scalar: TypeAlias = "str | int | float | bool"


class ValueTest(NamedTuple):
    """A question about one folded argument; every part that is set must hold."""

    equals: tuple[Scalar, ...] | None = None
    """Any of these literals; a boolean asks for the literal's truth, so that `shell=1` is `shell=True`."""
    literal: bool | None = None
    """Whether the whole value is known; False asks for a value that is there and not known."""
    absent: bool = False
    matches: re.Pattern[str] | None = None
    """A pattern searched in the value's text; a sequence is its words joined by one space, unknown ones U+FFFD."""
    origin: tuple[str, ...] | None = None
    """Names that the value, or a part of it, comes from."""


class NameTest(NamedTuple):
    """A question about a name: any of the parts may hold."""

    exact: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()
    """What `name.*` stands for: `name.` and all below it."""
    matches: re.Pattern[str] | None = None


class Clause(NamedTuple):
    """One `[[match]]` or `[[unless]]` table; all its parts must hold of one event, component or entry."""

    names: tuple[tuple[str, NameTest], ...] = ()
    """(word, test), e.g. (`call`, …), (`command`, …), (`path`, …)."""
    arguments: tuple[tuple[str, ValueTest], ...] = ()
    """Keyed `0`, `0|args|command` (the position, or any of the keywords), `any`."""
    keywords: tuple[tuple[str, ValueTest], ...] = ()
    origin: tuple[str, ...] = ()
    """Names that any argument comes from."""


class Example(NamedTuple):
    """Source text with the lines on which rules are expected to fire."""

    name: str
    code: str
    file: str
    """The file's name, empty for the default of the rule's language."""
    more: tuple[tuple[str, str], ...] = ()
    """Further files of the same plugin, (path, text)."""


class Rule(NamedTuple):
    """What to look for, how bad it is, and the words for people."""

    id: str
    title: str
    capability: str | None
    severity: Severity
    confidence: Confidence
    languages: tuple[str, ...]
    since: str
    what: str
    why: str
    remedy: str
    references: tuple[str, ...]
    note: str
    """A template for the end of the caret line, e.g. "`{argument.0}` is not a literal"; may be empty."""
    matches: tuple[Clause, ...]
    unless: tuple[Clause, ...]
    detector: str
    """The name of a detector in `scan/detectors`, empty for a rule that matches by itself."""
    when_unstarted: Severity | None = None
    """The severity in programs that only developers start, where it is another one: tests that nothing names."""


class RuleSet:
    """All rules of one folder, sorted by id. What is made of a set is kept by the set itself: none equals another."""

    __slots__ = ("_by_id", "digest", "rules")

    def __init__(self, rules: tuple[Rule, ...], digest: str) -> None:
        """Take rules.

        Args:
            rules: sorted by id.
            digest: SHA-256 in hex over the sorted (path, bytes) of the rule files.
        """
        self.rules: Final = rules
        self.digest: Final = digest
        self._by_id: Final = {rule.id: rule for rule in rules}

    def by_id(self, rule_id: str) -> Rule | None:
        """Return the rule of that id, None where there is none."""
        return self._by_id.get(rule_id)
