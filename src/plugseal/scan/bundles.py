"""Codewhale's content hashes of the bundles in a tree, from the one reading that everything else comes from.

Codewhale hashes a bundle's manifest first and then all of its files in an order of its own, so the bytes are kept until
the tree is read: of bundles that Codewhale itself would hash, and never more than a fixed measure. What can't be told
exactly (a part that was not read, a root whose `.git` was left out) has no hash.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

from plugseal.encode.codewhale import MANIFESTS, MAX_BUNDLE_BYTES, MAX_BUNDLE_FILES, BundleFile, bundle_content_hash
from plugseal.limits import MAX_KEPT_BYTES, MAX_SCAN_ENTRIES, MAX_TREE_ENTRIES
from plugseal.model.inventory import LOOKED_AT_ANYWAY
from plugseal.model.tree import Entry, EntryKind, Tree

_ENDS: Final = tuple(f"/{name}" for name in MANIFESTS)
_MAX_HASHED_BYTES: Final = 4 * MAX_KEPT_BYTES
"""All bundles of one tree together; a file counts once for each bundle that it is in."""


class BundleBytes:
    """Keep the bytes of bundles while a tree is read, and hash them at its end."""

    def __init__(self) -> None:
        self._entries: tuple[Entry, ...] = ()
        self._paths: list[bytes] = []
        self._manifests: tuple[str, ...] = ()
        """Manifests whose bundles are small enough, below the scanned root."""
        self._wanted: frozenset[str] = frozenset()
        self._kept: dict[str, bytes] = {}

    def begin(self, entries: Sequence[Entry]) -> None:
        """Take the listing: which bundles there are, and which of them are to be hashed."""
        manifests = [e.path for e in entries if e.kind is EntryKind.FILE and _is_manifest(e.path)]
        if not manifests:
            return
        self._entries = tuple(entries)
        self._paths = [_encode(entry.path) for entry in self._entries]
        chosen, wanted, hashed, looks = [], set[str](), 0, 0
        for manifest in manifests:
            first, last = self._stretch(manifest.rpartition("/")[0])
            looks += last - first
            files = self._files(first, last) if looks <= MAX_SCAN_ENTRIES else None
            hashed += sum(entry.size for entry in files or ())
            if files is None or hashed > _MAX_HASHED_BYTES:
                continue
            chosen.append(manifest)
            wanted.update(entry.path for entry in files)
        sizes = {entry.path: entry.size for entry in self._entries if entry.path in wanted}
        if sum(sizes.values()) <= MAX_KEPT_BYTES:
            self._manifests, self._wanted = tuple(chosen), frozenset(wanted)

    def visit(self, entry: Entry, data: bytes | None) -> None:
        """Keep a file's bytes where some bundle holds it."""
        if data is not None and entry.path in self._wanted:
            self._kept[entry.path] = data

    def hashes(self, tree: Tree) -> dict[str, str]:
        """Return Codewhale's content hash by the path of the manifest, and forget the bytes."""
        found = {}
        for manifest in self._manifests:
            root, _, name = manifest.rpartition("/")
            first, last = self._stretch(root)
            files = self._files(first, last)
            if files is None or _is_doubtful(tree, root) or any(e.path not in self._kept for e in files):
                continue
            cut = len(_encode(root)) + 1 if root else 0
            found[manifest] = bundle_content_hash(
                name,
                {_encode(e.path)[cut:]: BundleFile(e.executable, self._kept[e.path]) for e in files},
                [_encode(e.path)[cut:] for e in self._entries[first:last] if e.kind is EntryKind.DIRECTORY],
            )
        self._kept.clear()
        return found

    def _files(self, first: int, last: int) -> list[Entry] | None:
        """Return the files of a stretch, None where Codewhale refuses it or it is too large to be looked at."""
        if last - first > MAX_TREE_ENTRIES:
            return None
        entries = self._entries[first:last]
        files = [entry for entry in entries if entry.kind is EntryKind.FILE]
        is_plain = all(entry.kind in (EntryKind.FILE, EntryKind.DIRECTORY) for entry in entries)
        is_small = len(files) <= MAX_BUNDLE_FILES and sum(entry.size for entry in files) <= MAX_BUNDLE_BYTES
        return files if is_plain and is_small else None

    def _stretch(self, root: str) -> tuple[int, int]:
        """Return where all that lies below a root stands in the listing; `0` is the byte after `/`."""
        if not root:
            return 0, len(self._entries)
        return bisect_left(self._paths, _encode(f"{root}/")), bisect_left(self._paths, _encode(f"{root}0"))


def _is_manifest(path: str) -> bool:
    """Say whether a file may make its folder a bundle; other clients keep theirs in folders with a dot."""
    if not path.endswith(_ENDS):
        return path in MANIFESTS
    return not path.split("/")[-2].startswith(".")


def _is_doubtful(tree: Tree, root: str) -> bool:
    """Say whether what is known of a bundle may not be all of it."""
    if tree.left_out and not root:
        return True
    hiding = (fault.path for fault in tree.faults if fault.code not in LOOKED_AT_ANYWAY)
    return any(not path or not root or path == root or path.startswith(f"{root}/") for path in hiding)


def _encode(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")
