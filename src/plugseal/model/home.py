"""The folders of a user in which hosts look for plugins, and what is in them. Pure data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugseal.records import NamedTuple

if TYPE_CHECKING:
    # Who asks where hosts look need not load what a scan finds there.
    from plugseal.model.inventory import Inventory


class UserRoot(NamedTuple):
    """One folder in which a host looks for plugins."""

    system: str
    scope: str
    """`user`, `system` or `workspace`."""
    path: str
    """Absolute."""
    anchor: str
    """As `Origin.anchor`."""
    by_folder: bool = False
    """Whether its host calls a plugin by the name of its directory, not by that in its manifest."""
    ordered: bool = True
    """Whether its host documents which of two plugins with one name it takes: the first."""


class Shadowed(NamedTuple):
    """A plugin that a host does not load because of another of its name."""

    system: str
    name: str
    id: str
    path: str
    """Of the plugin that is not loaded."""
    by: str
    """The path of the plugin that has the name."""
    certain: bool
    """False where the host documents that it skips one of the two and not which."""


class UserScan(NamedTuple):
    """Everything in a user's own folders of plugins."""

    roots: tuple[tuple[UserRoot, Inventory], ...]
    """Those that exist, in each system's order of precedence."""
    missing: tuple[UserRoot, ...]
    shadowed: tuple[Shadowed, ...]
    conflicts: tuple[str, ...]
    """Further clashes between plugins of different folders, a line each; hostile text."""
