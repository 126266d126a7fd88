"""Say how two plugins differ, or a plugin and the copy of it that was trusted. Writes nothing."""

from __future__ import annotations

import json
from pathlib import Path

from plugseal.errors import NothingToJudgeError
from plugseal.intake.stage import verify_stage
from plugseal.model.change import WRAPPED, Change
from plugseal.model.identity import STAGE
from plugseal.model.look import Look
from plugseal.trust.store import Store
from plugseal.verbs.changes import compare, compare_files
from plugseal.verbs.trust import is_but_wrapped


def diff_looks(before: Look, after: Look) -> Change:
    """Return how one plugin differs from another.

    Raises:
        IntakeError: one of them can't be read any more.
    """
    roots = Path(before.subject.root), Path(after.subject.root)
    files, lists, fresh = compare_files(*roots, trees=(before.tree, after.tree))
    return compare(json.loads(before.document), json.loads(after.document), files, lists, added_lines=fresh)


def diff_trusted(look: Look, store: Store) -> Change:
    """Return how a plugin differs from the copy of it that was trusted.

    Raises:
        NothingToJudgeError: it is not trusted.
        StageError: the copy can't be believed.
        StateError: what is recorded can't be.
    """
    record = store.read(look.subject)
    trust = None if record is None else record.standing.trust
    if trust is None:
        raise NothingToJudgeError(
            "it is not trusted, so there is nothing to compare it with",
            place=look.path,
            hint="name a second plugin, or read it with `plugseal review`",
        )
    stage = store.home / STAGE / trust.content
    tree = verify_stage(stage, trust.content)
    files, lists, fresh = compare_files(stage, Path(look.subject.root), trees=(tree, look.tree))
    held = json.loads(store.document(trust.capability))
    change = compare(held, json.loads(look.document), files, lists, added_lines=fresh)
    is_wrapped = record is not None and not change.is_empty and is_but_wrapped(record, store)
    return change.of_class(WRAPPED) if is_wrapped else change
