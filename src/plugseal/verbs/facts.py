"""Give the bare facts of any source tree, plugin or not: no rule is asked, nothing is judged."""

from __future__ import annotations

from pathlib import Path

from plugseal.model.factlog import FactLog
from plugseal.rules.rule import RuleSet
from plugseal.verbs.scan import Memory, OnProgress, scan_with


def list_facts(
    path: Path, *, on_progress: OnProgress | None = None, memory: Memory | None = None, jobs: int = 1
) -> FactLog:
    """Return (file, fact), sorted by file and place; a file that was not read has a fact `unread` on line 0.

    Raises:
        IntakeError: if the path can't be read at all.
    """
    return scan_with(RuleSet((), ""), path, on_progress=on_progress, asks_hosts=False, memory=memory, jobs=jobs)[
        0
    ].facts
