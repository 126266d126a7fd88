"""How intake hands a tree to whoever looks at it: every file once, its bytes dropped right after.

Streaming keeps the memory flat over any number of files; one reading keeps what is hashed equal to what is scanned.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

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
