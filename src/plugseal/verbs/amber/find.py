"""Find one of amber's plugins by its ID, in the order in which amber looks; or by a path, or by what is recorded."""

from __future__ import annotations

import os
from pathlib import Path
from shlex import quote

from plugseal.errors import NothingToJudgeError, UsageError
from plugseal.model.look import Look
from plugseal.model.origin import Origin
from plugseal.records import NamedTuple
from plugseal.runtime.amber.manifest import SYSTEM
from plugseal.trust.record import Record
from plugseal.trust.store import Store
from plugseal.verbs.amber.places import ID, amber_roots
from plugseal.verbs.anchor import anchor_of
from plugseal.verbs.known import find_record, known_records
from plugseal.verbs.look import look
from plugseal.verbs.select import Selection, select


class Found(NamedTuple):
    """One plugin at its place."""

    path: Path
    record: Record | None
    """What is recorded about it, None for nothing."""

    @property
    def is_there(self) -> bool:
        """Say whether the place is still there."""
        return self.path.is_dir()


def find_amber(word: str, store: Store, *, workspace: Path) -> Found:
    """Return the plugin that a word means.

    Args:
        word: amber's ID of it (then the first that amber finds), a path, or our ID.
        store: where to look for what is recorded.
        workspace: whose `.amber/plugins` is looked into.

    Raises:
        NothingToJudgeError: nothing is called so.
        UsageError: more than one is.
        StateError: what is recorded can't be believed.
    """
    if ID.match(word):
        for root in amber_roots(workspace):
            path = Path(root.path) / word
            if path.is_dir():
                return Found(path, _record_at(path, store))
        named = _by_name(word, store)
        if named is not None:
            return named
    elif Path(word).is_dir():
        return Found(Path(word), _record_at(Path(word), store))
    return _elsewhere(word, store)


def look_at(found: Found) -> Look:
    """Return a plugin as it is on disk now, under the scope in which it is recorded.

    Raises:
        IntakeError: it can't be read.
        NothingToJudgeError: it is no plugin of amber's.
    """
    scope = "workspace" if found.record is None else found.record.subject.scope
    base = "" if scope == "workspace" else os.path.realpath(found.path)
    return look(Selection(found.path, origin=Origin(scope, base, anchor_of(found.path))), system=SYSTEM)


def review_words(found: Found, seen: Look | None = None) -> str:
    """Return the command that reviews a plugin.

    Args:
        found: the plugin.
        seen: a look at it, which knows whether another system sees a plugin at the same place.
    """
    which = f" --system {SYSTEM}" if seen is not None and seen.shared else ""
    return f"plugseal review {quote(str(found.path))}{which}"


def _by_name(word: str, store: Store) -> Found | None:
    records, _ = known_records(store)
    fits = [record for record in records if (record.subject.system, record.subject.name) == (SYSTEM, word)]
    fits = [record for record in fits if not record.standing.forgotten]
    if len(fits) > 1:
        rows = [record.subject.root for record in fits[:20]]
        raise UsageError(f"`{word}` fits {len(fits)} recorded plugins", details=rows, hint="give a path")
    return Found(Path(fits[0].subject.root), fits[0]) if fits else None


def _record_at(path: Path, store: Store) -> Record | None:
    fits = records_at(path, store)
    return next((record for record in fits if record.standing.trust is not None), next(iter(fits), None))


def records_at(path: Path, store: Store) -> list[Record]:
    """Return what is recorded about amber's plugin at a place: once for each scope under which it was trusted.

    Raises:
        StateError: nothing is, and something can't be believed.
    """
    root = os.path.realpath(path)
    records, broken = known_records(store)
    fits = [record for record in records if (record.subject.system, record.subject.root) == (SYSTEM, root)]
    if not fits and broken:
        raise broken[0].error
    return fits


def _elsewhere(word: str, store: Store) -> Found:
    """Return what our own ways of naming a plugin find: an ID, or a name below the current folder."""
    try:
        record = find_record(word, store)
        if record.subject.system == SYSTEM:
            return Found(Path(record.subject.root), record)
    except NothingToJudgeError:
        pass
    try:
        path = select(word).path
    except UsageError as error:
        raise NothingToJudgeError(
            f"amber has no plugin `{word}`", hint="see which there are with `plugseal amber list`"
        ) from error
    return Found(path, _record_at(path, store))
