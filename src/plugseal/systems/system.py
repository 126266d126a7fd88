"""The interface of a plugin system, and the listing it looks at.

To add a system: one file in this folder with a class that fits `System`, and one line in `registry.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from plugseal.model.plugin import Plugin
from plugseal.model.tree import Entry, EntryKind


@dataclass(frozen=True, slots=True)
class Listing:
    """The names of a tree and the bytes of the few files that systems asked to keep."""

    entries: Mapping[str, Entry]
    """By path below the scanned root, in tree order."""
    kept: Mapping[str, bytes]
    """Bytes of kept manifests by path; a manifest that is missing here was too large or unreadable."""
    children: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Directory path (`""` for the root) to its children's names."""

    def is_file(self, path: str) -> bool:
        """Say whether a regular file is there."""
        entry = self.entries.get(path)
        return entry is not None and entry.kind is EntryKind.FILE

    def is_directory(self, path: str) -> bool:
        """Say whether a directory is there (the root counts)."""
        entry = self.entries.get(path)
        return path == "" or (entry is not None and entry.kind is EntryKind.DIRECTORY)


class System(Protocol):
    """One host's plugin format."""

    name: str
    """As it is shown and stands in IDs, e.g. `agent-plugins`."""

    def keeps(self, path: str) -> bool:
        """Say whether this system needs the bytes of the file at `path` to recognise or describe a plugin."""
        ...

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every plugin of this system in the tree, broken ones too (with `faults`), never raising on content."""
        ...
