"""What was read from disk or from an archive: names, kinds, sizes, digests, and why something was not."""

from __future__ import annotations

from bisect import bisect_left
from enum import Enum

from plugseal.records import NamedTuple


class EntryKind(str, Enum):
    """The kind of a directory entry."""

    FILE = "file"
    DIRECTORY = "directory"
    SYMLINK = "symlink"
    OTHER = "other"
    """FIFO, socket, device, mount point."""


class Entry(NamedTuple):
    """One entry below the root."""

    path: str
    """`/` between parts, no leading `./`; bytes that are not UTF-8 as surrogate escapes. Hostile text."""
    kind: EntryKind
    size: int
    """Bytes; 0 for all but files."""
    executable: bool
    """Any of mode & 0o111, files only."""
    digest: str | None
    """SHA-256 in hex; None for all but files, and for a file that could not be read."""
    target: str | None = None
    """Where a symbolic link points, as written."""


class Fault(NamedTuple):
    """A reason why an entry can't be part of a receipt; `scan` reports it and goes on."""

    path: str
    code: str
    """Stable identifier, e.g. `symlink`, `hard-link`, `not-nfc`, `case-collision`; an argument of `explain`."""
    message: str
    """One line for people; hostile text inside is the writer's to quote, the reader shows it by `shown()`."""


_LISTING_CODES = frozenset({"changed-while-reading", "not-listed", "unreadable"})
"""Faults of a directory that say that what is known to be below it may not be all."""
_MEASURES = frozenset({"too-many-entries", "tree-too-large"})
"""Faults of a whole tree that its parts need not share."""
_NOWHERE_CODES = frozenset({"escapes-root", "odd-member-name"})
"""Faults of archive members that have no place in the tree: they taint every part of it."""


def _encode(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _path_bytes(entry: Entry) -> bytes:
    return _encode(entry.path)


class Tree(NamedTuple):
    """Everything below one root, sorted by the UTF-8 bytes of the path (surrogate escapes as their bytes)."""

    name: str
    """The last part of the root's path, or the archive's file name."""
    entries: tuple[Entry, ...]
    faults: tuple[Fault, ...]
    """Every reason against a receipt, in path order; empty for a tree that can be represented."""
    left_out: tuple[str, ...]
    """What is outside the receipt by rule: the root's `.git`, nothing else."""

    def below(self, root: str) -> Tree:
        """Return the sub-tree of one directory (or single file) with paths relative to it.

        Args:
            root: a directory's or file's path, or `""` for the tree itself.
        """
        if not root:
            return self
        name = root.rpartition("/")[2]
        prefix = root + "/"
        cut = len(prefix)
        # `0` is the byte after `/`: all that is below stands in one stretch.
        start, end = (bisect_left(self.entries, _encode(root + mark), key=_path_bytes) for mark in "/0")
        entries = tuple(e._replace(path=e.path[cut:]) for e in self.entries[start:end])
        faults = tuple(f._replace(path=f.path[cut:]) for f in self.faults if f.path.startswith(prefix))
        faults = (*self._inherited(root), *faults)
        if not entries:
            entries = tuple(e._replace(path=name) for e in self.entries if e.path == root and e.kind is EntryKind.FILE)
            faults = (*self._inherited(""), *(f._replace(path=name) for f in self.faults if f.path == root))
        return Tree(name, entries, faults, ())

    def _inherited(self, root: str) -> tuple[Fault, ...]:
        listing = (f._replace(path="") for f in self.faults if f.path == root and f.code in _LISTING_CODES)
        whole = (f for f in self.faults if (not f.path and f.code not in _MEASURES) or f.code in _NOWHERE_CODES)
        return tuple(dict.fromkeys((*listing, *whole)))
