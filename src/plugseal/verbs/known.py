"""Find what is recorded about a plugin by its ID, its path or its name; the plugin itself may be gone."""

from __future__ import annotations

import os

from plugseal.errors import NothingToJudgeError, StateError, UsageError
from plugseal.model.identity import subject_id
from plugseal.trust.paths import path_key
from plugseal.trust.record import Record
from plugseal.trust.store import Broken, Store
from plugseal.verbs.select import ID, select

_MAX_LISTED = 20


def known_records(store: Store) -> tuple[list[Record], list[Broken]]:
    """Return all records by the order of their IDs, and those that can't be believed.

    Raises:
        StateError: the state folder can't be used.
    """
    records: list[Record] = []
    broken: list[Broken] = []
    for found in store.records():
        (broken if isinstance(found, Broken) else records).append(found)  # type: ignore[arg-type]  # by kind
    return sorted(records, key=lambda record: subject_id(record.subject)), broken


def find_record(word: str, store: Store) -> Record:
    """Return the one record that a word means.

    Args:
        word: an ID, a path that is or was a plugin's root, or a name as recorded.
        store: where to look.

    Raises:
        NothingToJudgeError: nothing is recorded under it.
        UsageError: it fits more than one.
        StateError: the record can't be believed.
    """
    records, broken = known_records(store)
    fits = [record for record in records if subject_id(record.subject) == word]
    if not fits and not ID.fullmatch(word):
        real = path_key(os.path.realpath(word))
        fits = [record for record in records if path_key(record.subject.root) == real] or [
            record
            for record in records
            if word in (record.subject.name, f"{record.subject.system}:{record.subject.name}")
        ]
    if not fits and ID.fullmatch(word):
        fits = _by_scan_id(word, records)
    if len(fits) == 1:
        return fits[0]
    if fits:
        rows = [f"{subject_id(record.subject)}  {record.subject.root}" for record in fits[:_MAX_LISTED]]
        raise UsageError(f"`{word}` fits {len(fits)} recorded plugins", details=rows, hint="give the ID")
    if broken:
        first: StateError = broken[0].error
        raise first
    raise NothingToJudgeError(f"nothing is recorded about `{word}`", hint=_hint(word, records))


def records_meant(word: str, store: Store) -> list[Record]:
    """Return the one record that a word means, or all of them for no word.

    Raises:
        NothingToJudgeError: nothing is recorded.
        UsageError: the word fits more than one.
        StateError: one of them can't be believed.
    """
    if word:
        return [find_record(word, store)]
    records, broken = known_records(store)
    if broken:
        raise broken[0].error
    if not records:
        raise NothingToJudgeError("nothing is recorded", hint="trust a plugin first: `plugseal review PLUGIN`")
    return records


def _hint(word: str, records: list[Record]) -> str:
    from difflib import get_close_matches

    known = {name for record in records for name in (record.subject.name, subject_id(record.subject))}
    near = get_close_matches(word[:100], sorted(name[:100] for name in known), n=1, cutoff=0.6)
    if near:
        return f"did you mean `{near[0]}`?"
    if not word:
        return "see what is recorded with `plugseal list`"
    return f"it was never trusted; read it with `plugseal review {word}`"


def _by_scan_id(word: str, records: list[Record]) -> list[Record]:
    """Return the record of the plugin that a scan of the current folder calls by this ID."""
    try:
        root = os.path.realpath(select(word).path)
    except UsageError:
        return []
    system = word.partition(":")[0]
    return [record for record in records if record.subject.root == root and record.subject.system == system]
