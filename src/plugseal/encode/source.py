"""The digest of a tree as it lies there, links included as links: what tells that a source is still the trusted one.

The content receipt is over the tree that a host sees, where a system may follow links; this is over the names, bytes
and targets themselves, so that it can be told without knowing any system. It is local, and never part of a token.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from plugseal.model.tree import EntryKind, Tree

_HEADER = b"plugseal-source-v1\n"


def source_digest(tree: Tree, holds: Callable[[str], bool] | None = None) -> str:
    """Return the digest of a tree or of a part of it, 64 hex digits.

    Args:
        tree: as intake returned it.
        holds: says which paths count; all by default.
    """
    digest = sha256(_HEADER)
    for entry in tree.entries:
        if holds is not None and not holds(entry.path):
            continue
        if entry.kind is EntryKind.DIRECTORY:
            kind, what = "d", ""
        elif entry.kind is EntryKind.FILE:
            kind, what = "x" if entry.executable else "f", entry.digest or "unread"
        else:
            kind, what = ("l", entry.target or "") if entry.kind is EntryKind.SYMLINK else ("o", "")
        for part in (kind, what, entry.path):
            data = part.encode("utf-8", "surrogateescape")
            digest.update(b"%d:%b," % (len(data), data))
    for fault in tree.faults:
        # What could not be listed or changed meanwhile is not the same as anything.
        if fault.code in _HIDING:
            digest.update(f"!{fault.code}:{fault.path}".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


_HIDING = frozenset({"changed-while-reading", "not-listed", "unreadable", "mount", "special-file"})
