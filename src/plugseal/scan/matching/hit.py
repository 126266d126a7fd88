"""From a place where a rule fires to a finding.

Every source line of a finding passes here, so literal credentials in it are masked here: no output can leak them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final, TypeAlias

from plugseal.model.finding import Finding
from plugseal.model.location import WHOLE_FILE, Span
from plugseal.model.secrets import mask_secrets
from plugseal.records import NamedTuple
from plugseal.rules.rule import Rule

Lines: TypeAlias = Callable[[int], "tuple[str, ...]"]
"""From a 1-based line to that line and at most two further ones, as decoded."""


MAX_SOURCE_COLUMNS: Final = 4_096
"""Evidence beyond is not kept; the place still says where it is."""
MAX_FINDINGS: Final = 100
"""Of one rule in one file; the last one says how many more places there are."""


_SAYS_MORE: Final = {
    "autostart-command": "scheduled-line",
    "destructive-command": "destructive-line",
    "script-destructive-command": "destructive-line",
    "script-self-approval": "self-approval-line",
    "script-unasked-agent": "unasked-agent-line",
    "self-approval": "self-approval-line",
    "unasked-agent": "unasked-agent-line",
    "piped-download-told": "fetch-then-run-told",
    "shell-line": "shell-line-constant",
    "subprocess-shell": "shell-line-constant",
}
"""Rules that say of a place all that another one says of it, and more: the other one is left out there."""


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
        source=_source(lines, hit.span.line) if hit.span.line and hit.span.column <= MAX_SOURCE_COLUMNS else (),
    )


def _source(lines: Lines, line: int) -> tuple[str, ...]:
    """Return what is shown of a line and those after it: the one before may say that a credential follows."""
    before = lines(line - 1)[:1]
    return _masked((*before, *lines(line)))[len(before) :]


@lru_cache(maxsize=64)
def _masked(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Cut lines that are no lines, and mask credentials, those over several lines too.

    Kept, since one line may carry very many findings.
    """
    return tuple(mask_secrets("\n".join(line[:MAX_SOURCE_COLUMNS] for line in lines)).split("\n")) if lines else ()


class Gathering:
    """The findings of one file: each rule once for each place, and at most `MAX_FINDINGS` of one rule."""

    def __init__(self, file: str, lines: Lines) -> None:
        self._file = file
        self._lines = lines
        self._found: dict[str, list[Finding]] = {}
        self._places: dict[str, set[Span]] = {}

    def add(self, rule: Rule, hit: Hit) -> None:
        """Take one place where a rule fires; places come in order, those of the linker aside."""
        places = self._places.setdefault(rule.id, set())
        if hit.span in places or _is_part(hit, self._found.get(rule.id)):
            return
        places.add(hit.span)
        if len(places) <= MAX_FINDINGS:
            self._found.setdefault(rule.id, []).append(build_finding(rule, hit, self._file, self._lines))

    def findings(self) -> list[Finding]:
        """Return what was gathered, in the order of places."""
        for rule, found in self._found.items():
            more = len(self._places[rule]) - len(found)
            if more:
                note = f"{found[-1].note}; " if found[-1].note else ""
                found[-1] = found[-1]._replace(note=f"{note}and {more:,} more places")
        said = {(less, finding.span) for rule, less in _SAYS_MORE.items() for finding in self._found.get(rule, ())}
        found_all = (finding for found in self._found.values() for finding in found)
        return sort_findings(finding for finding in found_all if (finding.rule, finding.span) not in said)


def _is_part(hit: Hit, found: list[Finding] | None) -> bool:
    """Say whether a place lies in the line of code that the same rule fired at before, and is about the same."""
    if not found:
        return False
    outer, inner = found[-1].span, hit.span
    is_one_line = outer.line == outer.end_line == inner.line == inner.end_line
    is_inside = outer.column <= inner.column and inner.end_column <= outer.end_column
    return is_one_line and is_inside and hit.object in (None, found[-1].object)


def sort_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings in the order of places, each rule once for each place."""
    unique: dict[tuple[str, tuple[int, ...], str], Finding] = {}
    for finding in findings:
        unique.setdefault((finding.file, tuple(finding.span), finding.rule), finding)
    return [unique[key] for key in sorted(unique)]
