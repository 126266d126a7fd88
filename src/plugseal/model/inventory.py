"""The result of a scan: everything known about a tree, ready to be shown. Pure data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from plugseal.model.factlog import FactLog
from plugseal.model.finding import Finding
from plugseal.model.opinion import Opinions
from plugseal.model.plugin import Plugin
from plugseal.model.reach import Reached
from plugseal.model.tree import Fault
from plugseal.records import NamedTuple


class Unread(NamedTuple):
    """A file that no reader understood, and why."""

    file: str
    """Path below the scanned root; hostile text."""
    reason: str
    """A few words, e.g. `native code`, `no reader for TypeScript yet`, `nests deeper than 64`."""


class Capable(NamedTuple):
    """One row of a plugin's capabilities: what the capability receipt hashes."""

    capability: str
    object: str | None
    channel: str
    trigger: str


def capable_order(row: Capable) -> tuple[object, ...]:
    """Return the key by which rows are sorted everywhere: by capability, then object with unknown ones first."""
    return row.capability, row.object is not None, row.object or "", *row[2:]


BROKEN_MANIFEST: Final = "broken-manifest"
"""The code of faults that stand in plugins, not in trees."""
LOOKED_AT_ANYWAY: Final = frozenset(
    {
        "not-utf-8",
        "not-nfc",
        "odd-character",
        "forbidden-character",
        "trailing-dot-or-space",
        "device-name",
        "nested-git",
        "git-name",
        "case-collision",
        "name-too-long",
        "path-too-long",
        "too-deep",
        "too-many-entries",
        "tree-too-large",
        "hard-link",
        "set-id",
        "file-capabilities",
        "symlink",
    }
)
"""Codes of faults that refuse a receipt but hide nothing from a scan: names, modes, measures, and links, of which the
target is either in the tree or `unread`. Any other code, an unknown one too, hides something."""


def hiding_faults(faults: Iterable[Fault]) -> list[Fault]:
    """Return the faults that keep something of a tree from being looked at."""
    return [fault for fault in faults if fault.code not in LOOKED_AT_ANYWAY]


class PluginReport(NamedTuple):
    """One plugin with what the scan found in its files."""

    plugin: Plugin
    id: str
    """`<system>:<name>@<12 hex>`; the hex digits bind the root's path within the scan."""
    capabilities: tuple[Capable, ...]
    """Sorted and unique."""
    unread: tuple[Unread, ...]
    files: int
    bytes: int
    content_receipt: str | None
    """None where the tree can't be represented; then `faults` of the tree say why."""
    capability_receipt: str
    beside: tuple[Capable, ...] = ()
    """What files can do that the plugin starts though they lie beside it: no receipt binds them, and a scan of the
    plugin alone does not see them. Sorted and unique."""

    @property
    def token(self) -> str | None:
        """Return `<content>.<capability>`; None for what can't be represented or was not understood in full."""
        if self.content_receipt is None or self.plugin.is_broken:
            return None
        return f"{self.content_receipt}.{self.capability_receipt}"


class Loose(NamedTuple):
    """Code that no plugin covers, by the folder or file at the top of the tree that holds it."""

    path: str
    """A file, or a folder, below the scanned root; hostile text."""
    files: int
    """Of them, those that can do something."""
    capabilities: tuple[Capable, ...]
    """Sorted and unique."""


class Inventory(NamedTuple):
    """Everything that one scan knows."""

    root: str
    """The path as the user gave it."""
    plugins: tuple[PluginReport, ...]
    findings: tuple[Finding, ...]
    """Sorted by file, place, rule."""
    facts: FactLog
    """(file, fact), sorted; files below the scanned root."""
    unread: tuple[Unread, ...]
    """Sorted by file; all of the tree, those of plugins included."""
    faults: tuple[Fault, ...]
    """What prevents receipts, and with the code `BROKEN_MANIFEST` what was not understood in manifests; sorted."""
    files_read: int
    """Files that a reader read, or that are known inert by content."""
    rules: int
    """How many rules were asked."""
    rules_digest: str
    """SHA-256 of the rule set."""
    left_out: tuple[str, ...] = ()
    """What is neither hashed nor looked at by rule: the root's `.git`, nothing else."""
    reach: tuple[Reached, ...] = ()
    """The ways to functions that do something, sorted by file and line; evidence alone."""
    opinions: Opinions | None = None
    """What another scanner says, where it was asked; part of no verdict."""
    loose: tuple[Loose, ...] = ()
    """What code can do that no plugin covers, by path: no manifest there says who runs it."""

    @property
    def is_complete(self) -> bool:
        """Say whether everything was looked at and understood; a clean result rests on it."""
        if self.unread or any(report.plugin.is_broken for report in self.plugins):
            return False
        return not self.hides_something

    @property
    def hides_something(self) -> bool:
        """Say whether a part of the tree was not even looked at: a locked folder, the rest of a damaged archive."""
        return any(fault.code != BROKEN_MANIFEST for fault in hiding_faults(self.faults))
