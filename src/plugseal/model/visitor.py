"""How intake hands out a tree while it reads it: every file once, its bytes dropped right after.

Streaming keeps the memory flat over any number of files; one reading keeps what is hashed equal to what is scanned.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from plugseal.model.tree import Entry


class Visitor(Protocol):
    """Look at a tree while it is being read."""

    def begin(self, entries: Sequence[Entry]) -> None:
        """Take the whole listing (digests still None) before any file is read."""
        ...

    def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
        """Take one file, in tree order.

        Args:
            entry: the file, with its digest.
            data: all its bytes, or None where it was too large or could not be read; then `reason` says why.
            reason: a few words, empty where `data` is there.
        """
        ...


@runtime_checkable
class AsideVisitor(Protocol):
    """Look also at what lies outside of a tree and is scanned all the same: git's settings and hooks at its root."""

    def aside(self, path: str, data: bytes | None, reason: str) -> None:
        """Take one such file, after all files of the tree.

        Args:
            path: below the root.
            data: all its bytes, or None where it could not be read; then `reason` says why.
            reason: a few words, empty where `data` is there.
        """
        ...
