"""Where a scanned root comes from: a workspace, or a folder in which hosts look for plugins. Pure data."""

from __future__ import annotations

from plugseal.records import NamedTuple


class Origin(NamedTuple):
    """Where a scanned root comes from."""

    scope: str = "workspace"
    """`workspace`, `user` or `system`; bound by the IDs of its plugins."""
    base: str = ""
    """The canonical path of the root where IDs bind it; empty within a workspace, which may lie anywhere."""
    anchor: str = ""
    """Where the root stands for hosts that go by places, e.g. `.amness/plugins`."""
