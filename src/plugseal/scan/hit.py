"""From a place where a rule fires to a finding."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from plugseal.model.finding import Finding
from plugseal.model.location import Span
from plugseal.rules.rule import Rule


class Hit(NamedTuple):
    """A place where a rule fires."""

    span: Span
    note: str = ""
    """A few words for the end of the caret line; hostile text."""
    object: str | None = None


def build_finding(rule: Rule, hit: Hit, file: str, lines: Callable[[int], tuple[str, ...]]) -> Finding:
    """Return the finding of a rule at a place."""
    return Finding(
        rule=rule.id,
        title=rule.title,
        severity=rule.severity,
        confidence=rule.confidence,
        file=file,
        span=hit.span,
        capability=rule.capability,
        object=hit.object,
        note=hit.note,
        remedy=rule.remedy,
        source=lines(hit.span.line) if hit.span.line else (),
    )
