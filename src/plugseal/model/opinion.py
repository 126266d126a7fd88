"""What another scanner says of a file: shown beside our facts, marked as its own, part of no verdict and no token."""

from __future__ import annotations

from plugseal.model.location import Span
from plugseal.records import NamedTuple


class Opinion(NamedTuple):
    """One issue that another scanner raised."""

    file: str
    span: Span
    test: str
    """Its own name for the kind of issue, e.g. `B602 subprocess_popen_with_shell_equals_true`."""
    severity: str
    """In its words: `low`, `medium`, `high`, `undefined`."""
    confidence: str
    """In its words."""
    message: str
    """Hostile text."""
    capability: str | None
    """Ours that the kind of issue speaks of; None where it speaks of none, such as a weak hash."""
    is_known: bool
    """Whether our own facts hold that capability on its lines."""


class Opinions(NamedTuple):
    """Everything that another scanner says of a tree."""

    by: str
    """Scanner and version, e.g. `bandit 1.9.4`."""
    issues: tuple[Opinion, ...]
    """Sorted by file and place."""
    unread: tuple[tuple[str, str], ...]
    """(file, reason): what it could not read, sorted."""
