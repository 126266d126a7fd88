"""What stands in a plugin's copy and at its source, hashed in processes of their own while this one goes on.

`hash_ahead` begins before the gate is loaded, which takes as long as half of the hashing: a guess of what the gate will
ask. The gate reads the record by itself, once the state is watched, and takes only what was hashed for that very
approval. What is not as it should be is read again before anything is said about it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from plugseal.encode.source import source_digest
from plugseal.errors import PlugsealError
from plugseal.intake.plain import read_plain
from plugseal.intake.stage import verify_stage
from plugseal.policy import places
from plugseal.runtime.approved import parse_document
from plugseal.runtime.beside import Beside
from plugseal.trust.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugseal.model.tree import Tree
    from plugseal.model.trust import Approval, Subject
    from plugseal.trust.store import Store

STAGE: Final = "stage"
"""Folder of the copies, below the state folder."""
_SOUND: Final = b"sound"


class Hashed:
    """Copy and source of one approval; close it."""

    def __init__(self, store: Store, record: Record, approval: Approval, *, copy: bool, source: bool) -> None:
        """Begin.

        Args:
            store: what was trusted.
            record: of the plugin.
            approval: that of the record.
            copy: whether to hash the copy in a process of its own, too; else this one does when it is asked for.
            source: whether to hash the source.
        """
        self._store = store
        self._record = record
        self._approval = approval
        self._copy = Beside(self._hash_copy) if copy else None
        self._source = Beside(self._hash_source) if source and approval.source else None

    def is_of(self, record: Record) -> bool:
        """Say whether it is what this record is about."""
        return (self._record.subject, self._approval) == (record.subject, record.standing.trust)

    def verify_copy(self) -> None:
        """Refuse a copy that is not what was trusted.

        Raises:
            StageError: it is not.
        """
        if self._copy is None or self._copy.result() != _SOUND:
            self._hash_copy()

    def source_digest(self) -> str:
        """Return the digest of the source as it lies there; what was not hashed in time is hashed now.

        Raises:
            IntakeError: it can't be read.
            StateError: the state can't be believed.
        """
        found = b"" if self._source is None else self._source.result()
        if found != self._approval.source.encode("ascii"):
            found = self._hash_source()
        return found.decode("ascii")

    def close(self) -> None:
        """End what is under way; safe to call again."""
        for other in (self._copy, self._source):
            if other is not None:
                other.close()

    def __enter__(self) -> Hashed:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _hash_copy(self) -> bytes:
        verify_stage(self._store.home / STAGE / self._approval.content, self._approval.content)
        return _SOUND

    def _hash_source(self) -> bytes:
        root = Path(self._record.subject.root)
        covers = parse_document(self._store.document(self._approval.capability)).covers
        tree = _as_before_wrap(read_plain(root) or _read(root), str(root), self._store)
        return source_digest(tree, None if covers is None else _covered(covers)).encode("ascii")


def hash_ahead(store: Store, plugin: str, *, name: Callable[[Subject], str]) -> Hashed | None:
    """Begin to hash what the gate will most likely ask about; None where it will most likely refuse.

    Args:
        store: what was trusted.
        plugin: its ID.
        name: from a subject to its ID.
    """
    try:
        for found in store.records():
            if isinstance(found, Record) and name(found.subject) == plugin:
                approval = found.standing.trust
                if approval is None or not found.standing.enabled:
                    return None
                return Hashed(store, found, approval, copy=True, source=_source_must_match(store))
    except PlugsealError:
        return None  # the gate says what is wrong
    return None


def _source_must_match(store: Store) -> bool:
    # The default, without loading what reads policies.
    if not (os.path.lexists(places.SYSTEM) or os.path.lexists(store.home / places.PINNED)):
        return True
    from plugseal.runtime.policies import load_policy

    return load_policy(store).source_must_match


def _read(root: Path) -> Tree:
    from plugseal.intake.read import read_once  # slow to load, and what is plain does without

    return read_once(root)


def _as_before_wrap(tree: Tree, root: str, store: Store) -> Tree:
    """Return a tree in which configurations that `wrap` wrote stand as they were before."""
    from plugseal.trust.wraps import read_wraps

    wraps = read_wraps(store)
    if not wraps:
        return tree
    is_file = Path(root).is_file()
    entries = []
    for entry in tree.entries:
        wrap = wraps.get(root if is_file else f"{root}/{entry.path}")
        is_ours = wrap is not None and entry.digest == wrap.after
        entries.append(entry._replace(digest=wrap.before) if wrap is not None and is_ours else entry)
    return tree._replace(entries=tuple(entries))


def _covered(covers: tuple[str, ...]) -> Callable[[str], bool]:
    """Return what says which paths the unit of a client's configuration covers."""
    return lambda path: any(path == cover or path.startswith(f"{cover}/") for cover in covers)
