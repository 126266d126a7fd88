"""What `explain` says about one identifier."""

from __future__ import annotations

from plugseal.records import NamedTuple


class Explanation(NamedTuple):
    """One identifier: what it is, why it matters, what to do."""

    id: str
    kind: str
    """`rule`, `capability`, `error` or `reason`."""
    title: str
    what: str
    why: str
    remedy: str
    facts: tuple[tuple[str, str], ...] = ()
    """(name, value) of what else is known, e.g. a rule's severity."""
    references: tuple[str, ...] = ()
    """Where to read more: addresses."""
