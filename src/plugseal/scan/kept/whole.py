"""What scans found in whole trees, kept between scans: where nothing changed at all, nothing is looked at again.

A tree is known by its listing first: only where that is what it was is the tree read for its digests alone. Then every
path, digest, mode, link and fault must be what they were, and what lies in the root's `.git`.

Law: as of `cache`: with it and without, a scan returns the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from plugseal.errors import DataError
from plugseal.model.inventory import Inventory
from plugseal.model.tree import Entry, Tree
from plugseal.scan.kept.cache import digest_of_words
from plugseal.scan.kept.store import Store
from plugseal.scan.kept.wire_inventory import parse_inventory, render_inventory

_CHANGED: Final = "changed-while-reading"
_ROWS: Final = 500


class Fingerprint:
    """A visitor that keeps what a scan depends on besides the tree that intake returns."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()

    def begin(self, entries: Sequence[Entry]) -> None:
        """Take the listing, which the tree holds too."""

    def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
        """Take one file: its digest stands in the tree, why it has none does not."""
        if data is None:
            self._add("unread", entry.path, reason)

    def aside(self, path: str, data: bytes | None, reason: str) -> None:
        """Take a file that lies outside of the tree."""
        self._add("aside", path, reason, "" if data is None else hashlib.sha256(data).hexdigest())

    def of(self, tree: Tree) -> str:
        """Return the digest of a tree that this has looked on at."""
        self._add("tree", tree.name, *tree.left_out)
        for rows in (tree.faults, tree.entries):
            for part in _plain(rows):
                self._digest.update(part)
        return self._digest.hexdigest()

    def _add(self, *words: str) -> None:
        self._digest.update(digest_of_words(*words))


class WholeTrees:
    """Inventories of whole trees, for one root and one set of rules."""

    def __init__(self, store: Store, salt: bytes, *words: str) -> None:
        """Begin without a listing.

        Args:
            store: where entries lie.
            salt: digest of all that every inventory depends on: our own code, the rules.
            words: what else this one depends on: the root's path, where it comes from, what is asked.
        """
        self._store = store
        self._salt = salt
        self._words = words
        self._listing = b""

    def is_like_last_time(self, entries: Iterable[Entry]) -> bool:
        """Take a listing; say whether it is that of the last scan of this root."""
        digest = hashlib.sha256()
        for part in _plain(entries):
            digest.update(part)
        self._listing = digest.digest()
        return self._store.get(self._key("listing")) == self._listing

    def get(self, fingerprint: str, root: str) -> Inventory | None:
        """Return what was found in a tree, None where that is not known.

        Args:
            fingerprint: of the tree.
            root: the path as the user gave it.
        """
        lines = self._store.get_lines(self._key("tree", fingerprint))
        if lines is None:
            return None
        try:
            return parse_inventory(lines)._replace(root=root)
        except DataError:
            return None

    def put(self, fingerprint: str, tree: Tree, inventory: Inventory) -> None:
        """Keep what was found in a tree, unless that changed while it was read."""
        if any(fault.code == _CHANGED for fault in tree.faults):
            return
        self._store.put_lines(self._key("tree", fingerprint), render_inventory(inventory))
        self._store.put(self._key("listing"), self._listing)

    def _key(self, *words: str) -> bytes:
        return digest_of_words("whole", *self._words, *words, salt=self._salt)


def _plain(rows: Iterable[tuple[object, ...]]) -> Iterator[bytes]:
    """Yield rows of texts and numbers as bytes that no other rows have, some rows at a time."""
    waiting = iter(rows)
    while some := list(islice(waiting, _ROWS)):
        yield json.dumps(some).encode("ascii") + b"\n"
    yield b"\n"
