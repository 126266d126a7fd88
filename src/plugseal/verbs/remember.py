"""Scan with what earlier scans have found: for `scan` and `facts` alone.

Whoever can write the cache can make a scan say less. So nothing that ends in a token, a signature or a verdict reads
it: `review`, `trust`, `recheck`, `hash`, `diff`, `check`, `sign`, `verify`, `run` look at every byte themselves.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from plugseal.errors import StateError
from plugseal.model.inventory import Inventory
from plugseal.model.tree import Entry, Tree
from plugseal.scan.inventory import build_inventory
from plugseal.scan.kept.cache import FileCache, digest_of_words
from plugseal.scan.kept.ourselves import digest_of_ourselves
from plugseal.scan.kept.store import Store
from plugseal.scan.kept.whole import Fingerprint, WholeTrees
from plugseal.scan.scanner import Scanner
from plugseal.trust.home import account_home

_BELOW_HOME: Final = Path(".cache/plugseal")


def cache_folder(chosen: Path | None, path: Path) -> Path | None:
    """Return the cache folder for the scan of a path, the user's own where none is chosen; None where there is none.

    The user's own lies below the home that the account database names. No variable moves it: a scanned repository
    could have set one, and brought its own entries along. A path that holds the cache is scanned without.
    """
    try:
        folder = chosen or account_home() / _BELOW_HOME
    except (StateError, ImportError):
        return None
    real, scanned = Path(os.path.realpath(folder)), Path(os.path.realpath(path))
    return None if scanned == real or scanned in real.parents else folder


def remember(
    folder: Path | None, scanner: Scanner, path: Path, words: Sequence[str], *, trusts_listing: bool
) -> Remembered:
    """Return the visitor that asks the cache before it asks a scanner.

    Args:
        folder: where the cache is; None for the user's own.
        scanner: scans what the cache does not know.
        path: what is scanned.
        words: what its inventory depends on besides the tree, the rules and our own code.
        trusts_listing: whether no file is scanned where the listing is that of the last scan.
    """
    store = Store(cache_folder(folder, path))
    salt = digest_of_words(digest_of_ourselves().hex(), scanner.rules.digest)
    scanner.use_cache(FileCache(store, salt))
    return Remembered(
        store,
        WholeTrees(store, salt, os.path.realpath(path), *words),
        scanner,
        trusts_listing=trusts_listing,
    )


class Remembered(Fingerprint):
    """Take only a fingerprint where the listing is that of the last scan; hand the tree to the scanner where it is not.

    `close` writes what was found.
    """

    def __init__(self, store: Store, whole: WholeTrees, scanner: Scanner, *, trusts_listing: bool) -> None:
        """Begin without a listing."""
        super().__init__()
        self._store = store
        self._whole = whole
        self._scanner = scanner
        self._trusts_listing = trusts_listing
        self._is_unscanned = False

    def close(self) -> None:
        """Keep what was found."""
        self._store.close()

    def begin(self, entries: Sequence[Entry]) -> None:
        """Take the listing."""
        self._is_unscanned = self._whole.is_like_last_time(entries) and self._trusts_listing
        if not self._is_unscanned:
            self._scanner.begin(entries)

    def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
        """Take one file."""
        super().visit(entry, data, reason)
        if not self._is_unscanned:
            self._scanner.visit(entry, data, reason)

    def aside(self, path: str, data: bytes | None, reason: str) -> None:
        """Take a file that lies outside of the tree."""
        super().aside(path, data, reason)
        if not self._is_unscanned:
            self._scanner.aside(path, data, reason)

    def inventory(self, tree: Tree, root: str) -> Inventory | None:
        """Return what is there; None where only a fingerprint was taken and nobody knows that tree."""
        fingerprint = self.of(tree)
        if self._is_unscanned:
            return self._whole.get(fingerprint, root)
        inventory = build_inventory(self._scanner, tree, root)
        self._whole.put(fingerprint, tree, inventory)
        return inventory
