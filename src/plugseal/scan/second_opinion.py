"""A second opinion of a tree's Python: bandit over the same bytes, in limited workers, beside our own facts.

What it says is never a finding of ours: it moves no exit code, no token and no policy. Where it speaks of something
that a capability of ours names, its issue says whether our facts hold it there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from plugseal.lang.classify import language_of
from plugseal.lang.facts import Context, Event, Interest
from plugseal.lang.python.bandit import OPINION, bandit_named
from plugseal.model.factlog import FactLog
from plugseal.model.opinion import Opinion, Opinions
from plugseal.model.tree import Entry
from plugseal.scan.workers.worker import Workers

_CAPABILITIES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("B102", "B307"), "code.dynamic"),
    **dict.fromkeys(("B301", "B302", "B403", "B506", "B614"), "code.deserialize"),
    **dict.fromkeys(("B602", "B604", "B605", "B609"), "process.shell"),
    **dict.fromkeys(("B404", "B603", "B606", "B607"), "process.exec"),
    **dict.fromkeys(("B104", "B201", "B612"), "net.listen"),
    **dict.fromkeys(("B113", "B310", "B312", "B321", "B401", "B402", "B411", "B501", "B507", "B601"), "net.outbound"),
    **dict.fromkeys(("B202", "B306"), "fs.write"),
    "B103": "fs.meta",
    "B613": "code.obfuscated",
    "B615": "code.fetched",
}
"""Bandit's test to the capability that it speaks of; others speak of none: a weak hash, an assert, a text `/tmp`."""
_ALIKE: Final[Mapping[str, frozenset[str]]] = {
    one: frozenset(kind)
    for kind in (
        ("process.exec", "process.shell"),
        ("code.dynamic", "code.import"),
        ("fs.write", "fs.read"),
        ("code.fetched", "net.outbound"),
    )
    for one in kind
}


class SecondOpinion:
    """Look at each Python file of a tree on the way; use as a context manager, which ends the worker."""

    def __init__(self, by: str) -> None:
        """Prepare without starting anything.

        Args:
            by: scanner and version.
        """
        self._by = by
        self._workers = Workers(bandit_named)
        self._events: dict[str, tuple[Event, ...]] = {}
        self._unread: dict[str, str] = {}

    def __enter__(self) -> SecondOpinion:
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.close()

    def begin(self, entries: Sequence[Entry]) -> None:
        """Take the listing."""

    def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
        """Look at one file."""
        del reason
        if data is None or language_of(entry.path, data) != "python":
            return
        found = self._workers.read("bandit", data, Context(entry.path, Interest()))
        if found.status != "read":
            self._unread[entry.path] = found.reason
        self._events[entry.path] = tuple(event for event in found.events if event.kind == OPINION)

    def aside(self, path: str, data: bytes | None, reason: str) -> None:
        """Pass over a file that lies outside of the tree."""

    def opinions(self, facts: FactLog) -> Opinions:
        """Return what it says.

        Args:
            facts: ours of the same tree.
        """
        issues = tuple(one for path in sorted(self._events) for one in self._of(path, facts))
        return Opinions(self._by, issues, tuple(sorted(self._unread.items())))

    def _of(self, path: str, facts: FactLog) -> Iterator[Opinion]:
        ours = [(fact.span.line, fact.span.end_line, fact.capability) for fact in facts.of(path)]
        for event in self._events[path]:
            capability = _CAPABILITIES.get(event.name.partition(" ")[0])
            alike = _ALIKE.get(capability or "", frozenset({capability}))
            first, last = event.span.line, event.span.end_line
            is_known = any(line <= last and end >= first and what in alike for line, end, what in ours)
            severity, confidence, message = map(str, event.arguments)
            yield Opinion(path, event.span, event.name, severity, confidence, message, capability, is_known)
