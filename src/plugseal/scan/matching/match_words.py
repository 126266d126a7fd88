"""Match the rules of prose over one text that a model reads, wherever it stands: in manifests, lists of tools, code."""

from __future__ import annotations

from typing import Final

from plugseal.model.location import Span
from plugseal.rules.rule import Rule, RuleSet
from plugseal.scan.matching.match import rules_firing

_SHORTEST: Final = 12
"""Characters; what is shorter tells nobody to do anything."""
_MAX_TEXT: Final = 65_536


def tells_something(text: str) -> bool:
    """Say whether a text is long enough to tell a model what to do."""
    return len(text) >= _SHORTEST and " " in text


def rules_over(rules: RuleSet, text: str) -> list[tuple[Rule, Span]]:
    """Return the rules that fire over the beginning of a text, and where in it each does so first."""
    from plugseal.lang.prose.events import events_of_text  # loads the patterns of prose

    firing: dict[str, tuple[Rule, Span]] = {}
    for event in events_of_text(text[:_MAX_TEXT]):
        for rule in rules_firing(rules, event):
            firing.setdefault(rule.id, (rule, event.span))
    return list(firing.values())
