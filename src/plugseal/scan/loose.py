"""What code can do that no plugin covers: the sources of a server that only its user's own settings start.

No manifest of the tree says who runs it, so it has no trigger of a host and no receipt; without this it would have no
line in a scan either. What only texts tell is left out, and so is what a name alone may mean.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from plugseal.model.factlog import FactLog
from plugseal.model.inventory import Capable, Loose, PluginReport, capable_order
from plugseal.scan.linking.covered import own_rows
from plugseal.scan.subtrees import Subtrees

MAX_SINGLE: Final = 6
"""Files that stand by themselves; more are put together by the folder at the top."""
_ACTS: Final = frozenset({"code", "shell", "nested", "binary"})
"""Channels of what is run; `unread` files are listed with the reason."""


def loose_code(reports: Iterable[PluginReport], facts: FactLog) -> tuple[Loose, ...]:
    """Return what the files of no plugin can do, by path.

    Args:
        reports: of all plugins.
        facts: of all files.
    """
    found = {path: rows for path in _outside(reports, facts) if (rows := _rows(path, facts))}
    if len(found) <= MAX_SINGLE:
        return tuple(Loose(path, 1, _sorted(rows)) for path, rows in sorted(found.items()))
    folders: defaultdict[str, list[set[Capable]]] = defaultdict(list)
    for path, rows in found.items():
        folders[path.partition("/")[0]].append(rows)
    return tuple(Loose(path, len(of), _sorted(set().union(*of))) for path, of in sorted(folders.items()))


def _outside(reports: Iterable[PluginReport], facts: FactLog) -> list[str]:
    """Return the files with facts that belong to no plugin."""
    files = facts.files()
    below: Subtrees[None] = Subtrees((file, None) for file in files)
    covered: set[str] = set()
    for report in reports:
        if not report.plugin.root and report.plugin.covers is None:
            return []
        covered.update(path for path, _ in own_rows(report.plugin, below.below(report.plugin.root)))
    return [file for file in files if file not in covered]


def _rows(path: str, facts: FactLog) -> set[Capable]:
    return {
        Capable(fact.capability, fact.object, fact.channel, fact.trigger)
        for fact in facts.of(path)
        if fact.channel in _ACTS and fact.trigger != "prose" and fact.capability != "unread"
    }


def _sorted(rows: Iterable[Capable]) -> tuple[Capable, ...]:
    return tuple(sorted(rows, key=capable_order))
