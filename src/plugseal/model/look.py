"""What is on disk now about one plugin, looked at once: all that a review, a trust or a policy needs. Pure data."""

from __future__ import annotations

from plugseal.model.finding import Finding
from plugseal.model.inventory import Inventory, PluginReport
from plugseal.model.plugin import Plugin
from plugseal.model.tree import Tree
from plugseal.model.trust import Subject
from plugseal.records import NamedTuple


class Look(NamedTuple):
    """One plugin as it is now."""

    path: str
    """As the user named it; hostile text."""
    id: str
    """`<system>:<name>@<12 hex over scope and canonical root>`: the same wherever it is printed."""
    subject: Subject
    place: tuple[int, int]
    """(device, inode) of its root."""
    report: PluginReport
    inventory: Inventory
    """Of the scan that the report is from."""
    tree: Tree
    """What the content receipt is over: links followed where the system allows them, only what the unit covers."""
    document: bytes
    """The capability document whose SHA-256 is the capability receipt."""
    links: tuple[tuple[str, str], ...] = ()
    """(path, target as written) of the links inside the plugin, as they stand in the document; hostile text."""
    only: tuple[str, ...] = ()
    """`kind:name` of each component that is meant; empty for the whole plugin."""

    shared: bool = False
    """Whether other plugins stand at the very same path: the path alone does not name it."""
    shared_system: bool = False
    """Whether one of those is of the same system: only the ID names it."""

    @property
    def plugin(self) -> Plugin:
        """Return the plugin as its system describes it."""
        return self.report.plugin

    @property
    def title(self) -> str:
        """Return name and version; hostile text."""
        return f"{self.plugin.name} {self.plugin.version}".rstrip()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return the findings in files that belong to the plugin."""
        cut = len(self.plugin.root) + 1 if self.plugin.root and not self.plugin.single_file else 0
        return tuple(found for found in self.inventory.findings if self.plugin.holds(found.file[cut:]))

    @property
    def unknown(self) -> int:
        """Return how many capabilities have an object that is not known."""
        return sum(1 for capable in self.report.capabilities if capable.object is None)
