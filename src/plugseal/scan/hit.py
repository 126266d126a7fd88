"""From a place where a rule fires to a finding.

Every source line of a finding passes here, so literal credentials in it are masked here: no output can leak them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from plugseal.model.finding import Finding
from plugseal.model.location import WHOLE_FILE, Span
from plugseal.model.secrets import mask_secrets
from plugseal.rules.rule import Rule

Lines: TypeAlias = Callable[[int], "tuple[str, ...]"]
"""From a 1-based line to that line and at most two further ones, as decoded."""


class Hit(NamedTuple):
    """A place where a rule fires."""

    span: Span = WHOLE_FILE
    note: str = ""
    """A few words for the end of the caret line; hostile text."""
    object: str | None = None


def build_finding(rule: Rule, hit: Hit, file: str, lines: Lines) -> Finding:
    """Return the finding of a rule at a place."""
    return Finding(
        rule=rule.id,
        title=rule.title,
        severity=rule.severity,
        confidence=rule.confidence,
        file=file,
        span=hit.span,
        capability=rule.capability,
        object=None if hit.object is None else mask_secrets(hit.object),
        note=mask_secrets(hit.note),
        remedy=rule.remedy,
        source=_masked(lines(hit.span.line)) if hit.span.line else (),
    )


def _masked(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Mask credentials, those over several lines too."""
    return tuple(mask_secrets("\n".join(lines)).split("\n")) if lines else ()


def sort_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings in the order of places, each rule once for each place."""
    unique: dict[tuple[str, tuple[int, ...], str], Finding] = {}
    for finding in findings:
        unique.setdefault((finding.file, tuple(finding.span), finding.rule), finding)
    return [unique[key] for key in sorted(unique)]
