"""An outcome as bytes and back, for a cache and for the processes of a pool: plain JSON, each field checked.

Law: `parse_outcome(render_outcome(outcome), path) == outcome` for an outcome of the file at `path`.
"""

from __future__ import annotations

from typing import Final

from plugseal.errors import DataError
from plugseal.model.finding import Confidence, Finding, Severity
from plugseal.scan.kept.checked import Json, as_each, as_fact, as_one_of, as_row, as_span, as_text
from plugseal.scan.kept.outcome import Outcome
from plugseal.scan.workers.wire import as_facts, parse_json, plain_facts, render_json

_SEVERITIES: Final = frozenset(severity.value for severity in Severity)
_CONFIDENCES: Final = frozenset(confidence.value for confidence in Confidence)


def render_outcome(outcome: Outcome) -> bytes:
    """Return an outcome as JSON bytes, without the path of its file."""
    return render_json(
        [
            outcome.facts,
            [plain_finding(finding) for finding in outcome.findings],
            outcome.unread,
            outcome.channel,
            None if outcome.linkable is None else plain_facts(outcome.linkable),
            None if outcome.calling is None else plain_facts(outcome.calling),
        ]
    )


def parse_outcome(data: bytes, path: str) -> Outcome:
    """Return the outcome that `render_outcome` wrote.

    Args:
        data: what it wrote.
        path: of the file, below the scanned root.

    Raises:
        DataError: the bytes are anything else.
    """
    facts, findings, unread, channel, linkable, calling = as_row(parse_json(data), 6)
    return Outcome(
        as_each(facts, as_fact),
        as_each(findings, lambda row: as_finding(row, path)),
        as_text(unread),
        as_text(channel),
        None if linkable is None else as_facts(linkable),
        None if calling is None else as_facts(calling),
    )


def plain_finding(finding: Finding) -> Json:
    """Return a finding as plain data, without its file."""
    return [
        finding.rule,
        finding.title,
        finding.severity.value,
        finding.confidence.value,
        finding.span,
        finding.capability,
        finding.object,
        finding.note,
        finding.remedy,
        finding.source,
    ]


def as_finding(value: Json, file: str) -> Finding:
    """Return the finding that `plain_finding` took apart.

    Raises:
        DataError: it is anything else.
    """
    rule, title, severity, confidence, span, capability, thing, note, remedy, source = as_row(value, 10)
    return Finding(
        as_text(rule),
        as_text(title),
        Severity(as_one_of(severity, _SEVERITIES)),
        Confidence(as_one_of(confidence, _CONFIDENCES)),
        file,
        as_span(span),
        _maybe(capability),
        _maybe(thing),
        as_text(note),
        as_text(remedy),
        as_each(source, as_text),
    )


def _maybe(value: Json) -> str | None:
    if value is not None and not isinstance(value, str):
        raise DataError("malformed frame: no text")
    return value
