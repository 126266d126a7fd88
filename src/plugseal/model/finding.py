"""Findings: rules that fired. Only they (and policy) alarm."""

from __future__ import annotations

from enum import Enum

from plugseal.model.location import Span
from plugseal.records import NamedTuple


class Severity(str, Enum):
    """How bad it is, if it is so."""

    INFO = "info"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    @property
    def rank(self) -> int:
        """Order severities: info 0 to high 3."""
        return _RANKS[self.value]


class Confidence(str, Enum):
    """How sure the scanner is that it is so."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


_RANKS = {"info": 0, "low": 1, "medium": 2, "high": 3}


class Finding(NamedTuple):
    """A rule that fired at a place."""

    rule: str
    """The rule's id, e.g. `subprocess-shell`."""
    title: str
    severity: Severity
    confidence: Confidence
    file: str
    """Path below the scanned root, `/` between parts; hostile text."""
    span: Span
    capability: str | None
    """The capability it rests on, where there is one."""
    object: str | None
    note: str
    """A few words for the end of the caret line, e.g. "`command` is not a literal"; may be empty; hostile text."""
    remedy: str
    source: tuple[str, ...]
    """The lines `span.line` to at most two further ones, as decoded; hostile text."""
