"""What stands in a plugin's copy and at its source, read in processes of their own while this one goes on.

`hash_ahead` begins before the gate is loaded, which takes as long as half of it: a guess of what the gate will ask. The
gate reads the record by itself, once the state is watched, and takes only what was found for that very approval. What
is not as it should be is read again before anything is said about it.

Where copy and source are read side by side already (`ahead`), what both digests are is known from there; where they
are not plain, or not the same, each is hashed in a process of its own.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from plugseal.errors import PlugsealError
from plugseal.model.identity import STAGE
from plugseal.policy import places
from plugseal.runtime.approved import parse_document
from plugseal.runtime.background import Background
from plugseal.trust.record import Record
from plugseal.trust.wraps import read_wraps

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugseal.model.tree import Tree
    from plugseal.model.trust import Approval, Subject
    from plugseal.runtime.prefetch import Prefetch
    from plugseal.trust.store import Store

_SOUND: Final = b"sound"


class Hashed:
    """Copy and source of one approval; close it."""

    def __init__(
        self,
        store: Store,
        record: Record,
        approval: Approval,
        *,
        copy: bool,
        source: bool,
        begun: Prefetch | None = None,
    ) -> None:
        """Begin.

        Args:
            store: what was trusted.
            record: of the plugin.
            approval: that of the record.
            copy: whether to hash the copy in a process of its own, too; else this one does when it is asked for.
            source: whether to hash the source.
            begun: what is being read already; becomes this one's, and is ended where it is of no use.
        """
        self._store = store
        self._record = record
        self._approval = approval
        self._wants_source = source and bool(approval.source)
        self._copy: Background | None = None
        self._source: Background | None = None
        self._begun = begun
        if begun is None or begun.is_in_vain():
            self._begin_each(copy=copy)

    def is_of(self, record: Record) -> bool:
        """Say whether it is what this record is about."""
        return (self._record.subject, self._approval) == (record.subject, record.standing.trust)

    def verify_copy(self) -> None:
        """Refuse a copy that is not what was trusted.

        Raises:
            StageError: it is not.
        """
        if self._begun is not None:
            found = self._found()
            if found is not None and found[0] == self._approval.content:
                return
            self._begin_each(copy=False)
        if self._copy is None or self._copy.result() != _SOUND:
            self._hash_copy()

    def source_digest(self) -> str:
        """Return the digest of the source as it lies there; what was not hashed in time is hashed now.

        Raises:
            IntakeError: it can't be read.
            StateError: the state can't be believed.
        """
        wanted = self._approval.source.encode("ascii")
        found = self._found_beside() if self._source is None else self._source.result()
        if found != wanted:
            found = self._hash_source()
        return found.decode("ascii")

    def close(self) -> None:
        """End what is under way; safe to call again."""
        for other in (self._begun, self._copy, self._source):
            if other is not None:
                other.close()

    def __enter__(self) -> Hashed:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _stage(self) -> Path:
        return self._store.home / STAGE / self._approval.content

    def _begin_each(self, *, copy: bool) -> None:
        """Begin to hash each by itself, in place of what was begun."""
        if self._begun is not None:
            self._begun.close()
            self._begun = None
        self._copy = Background(self._hash_copy) if copy else None
        self._source = Background(self._hash_source) if self._wants_source else None

    def _found(self) -> tuple[str, str] | None:
        return None if self._begun is None else self._begun.digests(str(self._stage), self._record.subject.root)

    def _found_beside(self) -> bytes:
        """Return the digest that was found beside the copy, empty where there is none or it does not count."""
        found, root = self._found(), self._record.subject.root
        # Configurations that `wrap` wrote count as they were before: who has any reads the source by itself.
        if found is None or any(path == root or path.startswith(f"{root}/") for path in read_wraps(self._store)):
            return b""
        return found[1].encode("ascii")

    def _hash_copy(self) -> bytes:
        from plugseal.intake.stage import verify_stage  # as all that reads: what was read beside needs none of it

        verify_stage(self._stage, self._approval.content)
        return _SOUND

    def _hash_source(self) -> bytes:
        return _digest_source(self._store, self._record, self._approval).encode("ascii")


def stands_but_for_wraps(store: Store, record: Record) -> bool:
    """Say whether a source is what was trusted, but that `wrap` wrote configurations in it.

    Raises:
        PlugsealError: it can't be read, or what is stored about it can't be believed.
    """
    approval, root = record.standing.trust, record.subject.root
    if approval is None or not approval.source:
        return False
    if not any(path.startswith(f"{root}/") for path in read_wraps(store)):
        return False
    return _digest_source(store, record, approval) == approval.source


def read_source(store: Store, record: Record, approval: Approval) -> tuple[Tree, Callable[[str], bool] | None]:
    """Return a source as it lies there, but for what `wrap` wrote, and what says which paths belong to the plugin.

    Args:
        store: what was trusted.
        record: of the plugin.
        approval: that of the record.

    Returns:
        The tree, and None where all of it belongs to the plugin.

    Raises:
        IntakeError: it can't be read.
        StateError: the state can't be believed.
    """
    from plugseal.intake.plain import read_plain

    root = Path(record.subject.root)
    covers = parse_document(store.document(approval.capability)).covers
    tree = _as_before_wrap(read_plain(root) or _read(root), str(root), store)
    return tree, None if covers is None else _covered(covers)


def _digest_source(store: Store, record: Record, approval: Approval) -> str:
    from plugseal.encode.source import source_digest

    return source_digest(*read_source(store, record, approval))


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
