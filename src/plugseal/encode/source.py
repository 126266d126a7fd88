"""The digest of a tree as it lies there, links included as links: what tells that a source is still the trusted one.

The content receipt is over the tree that a host sees, where a system may follow links; this is over the names, bytes
and targets themselves, so that it can be told without knowing any system. It is local, and never part of a token.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from plugseal.encode.rows import SOURCE_HEADER, file_row, row
from plugseal.model.tree import EntryKind, Tree


def source_digest(tree: Tree, holds: Callable[[str], bool] | None = None) -> str:
    """Return the digest of a tree or of a part of it, 64 hex digits.

    Args:
        tree: as intake returned it.
        holds: says which paths count; all by default.
    """
    rows = []
    is_file = EntryKind.FILE
    for path, kind, _, executable, sha256_of_it, target in tree.entries:
        if holds is not None and not holds(path):
            continue
        if kind is is_file and sha256_of_it is not None and path.isascii():
            # What nearly all are.
            rows.append(file_row(path, sha256_of_it, executable=executable))
        elif kind is is_file:
            rows.append(row("x" if executable else "f", sha256_of_it or "unread", path))
        elif kind is EntryKind.DIRECTORY:
            rows.append(row("d", "", path))
        else:
            rows.append(row("l", target or "", path) if kind is EntryKind.SYMLINK else row("o", "", path))
    digest = sha256(SOURCE_HEADER + "".join(rows).encode("utf-8", "surrogateescape"))
    for fault in tree.faults:
        # What could not be listed or changed meanwhile is not the same as anything.
        if fault.code in _HIDING:
            digest.update(f"!{fault.code}:{fault.path}".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


_HIDING = frozenset({"changed-while-reading", "not-listed", "unreadable", "mount", "special-file"})
