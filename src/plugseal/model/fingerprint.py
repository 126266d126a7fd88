"""What a finding is called for ever: an identity that stays when lines move and files or folders are renamed.

It is made of the rule, the plugin, the object and the source lines, never of a place; equal ones of one scan are
numbered. So a second copy of an accepted line is new, and a line that only moved is not. Pure data.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from plugseal.model.finding import Finding
from plugseal.model.inventory import Inventory, PluginReport

_DIGITS: Final = 32
_MORE: Final = r"and [0-9,]+ more places\Z"


def build_fingerprints(inventory: Inventory) -> tuple[str, ...]:
    """Return the identity of each finding, in the order of the findings: 32 hex digits, a colon, a number from 1."""
    owners = Owners(inventory.plugins)
    return _numbered(_digest(finding, owners.of(finding.file)) for finding in inventory.findings)


class Owners:
    """Tell which plugin a file belongs to: the one with the deepest root above it that holds it."""

    def __init__(self, reports: Iterable[PluginReport]) -> None:
        self._by_root: dict[str, list[PluginReport]] = {}
        # What only names files, such as a workflow, comes after the plugin that they are a part of.
        for report in sorted(reports, key=lambda one: one.plugin.covers is not None):
            self._by_root.setdefault(report.plugin.root, []).append(report)

    def report(self, file: str) -> PluginReport | None:
        """Return the plugin of a file below the scanned root, None where there is none."""
        root = file
        while True:
            for report in self._by_root.get(root, ()):
                if report.plugin.single_file or report.plugin.holds(file[len(root) + 1 if root else 0 :]):
                    return report
            if not root:
                return None
            root = root.rpartition("/")[0]

    def of(self, file: str) -> str:
        """Return system and name of a file's plugin; empty where there is none."""
        report = self.report(file)
        return "" if report is None else f"{report.plugin.system}:{report.plugin.name}"


def _digest(finding: Finding, owner: str) -> str:
    # What is about a whole file has no lines: its name without the folders is the next best.
    lines = finding.source or (finding.file.rpartition("/")[2],)
    words = [" ".join(line.split()) for line in lines]
    # The last of many stands for those that are not listed: one more of them is no finding that was accepted.
    words += re.findall(_MORE, finding.note)
    return _hashed(["finding", owner, finding.rule, finding.object or "", *words])


def _hashed(parts: Sequence[str]) -> str:
    whole = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        whole.update(b"%d:" % len(data) + data)
    return whole.hexdigest()[:_DIGITS]


def _numbered(digests: Iterable[str]) -> tuple[str, ...]:
    seen: Counter[str] = Counter()
    found = []
    for digest in digests:
        seen[digest] += 1
        found.append(f"{digest}:{seen[digest]}")
    return tuple(found)
