"""The trails: verify them, take checkpoints away, export them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from plugseal.errors import DataError, IntakeError, NothingToJudgeError, StateError, TrailError
from plugseal.model.identity import subject_id
from plugseal.model.trust import Verified
from plugseal.trust.checkpoint import Checkpoint, parse_checkpoints, render_checkpoints
from plugseal.trust.export import parse_exports, render_export
from plugseal.trust.record import Record
from plugseal.trust.store import Store, subject_key
from plugseal.trust.trail import Trail, verify_since
from plugseal.verbs.known import find_record, known_records
from plugseal.verbs.piped import read_soon

_MAX_FILE_BYTES: Final = 64 * 1024 * 1024


def verify_log(store: Store, word: str = "", *, since: Path | None = None) -> tuple[Verified, ...]:
    """Return the judgement on each trail.

    Args:
        store: where the trails are.
        word: whose; those of all plugins for no word, broken ones included, and also where a record that can't be
            believed may be the one that is meant.
        since: a file of checkpoints that were taken away earlier.

    Raises:
        IntakeError: that file can't be read.
        DataError: it is no file of checkpoints.
        NothingToJudgeError: nothing is recorded under that word.
        UsageError: it fits more than one plugin.
        StateError: the state folder can't be used at all.
    """
    checkpoints = () if since is None else parse_checkpoints(_read(since))
    installation = store.installation()
    rows: list[Verified] = []
    records, broken = known_records(store)
    if word:
        try:
            records, broken = [find_record(word, store)], []
        except StateError:
            records = []
    rows += [Verified("", "reviews", 0, 0, _kind(one.error), one.error.message, one.file) for one in broken]
    used: set[Checkpoint] = set()
    ours = [one for one in checkpoints if one.installation == installation]
    for record in records:
        row = _judge(record, "reviews", record.reviews, ours, used)
        rows.append(row._replace(message=row.message or _told_of_head(store, record)))
        try:
            runs = store.runs(record.subject)
        except StateError as error:
            rows.append(
                Verified(subject_id(record.subject), "runs", 0, 0, _kind(error), error.message, error.place or "")
            )
        else:
            row = _judge(record, "runs", runs.trail, ours, used)
            note = "an incomplete write stands at its end: the next entry replaces it" if runs.torn else row.message
            rows.append(row._replace(message=note))
    if word and checkpoints and records and not used:  # what compares nothing proves nothing
        rows.append(rows[-1]._replace(kind="missing", message="none of the checkpoints is about it"))
    if not word:
        unbelieved = {Path(one.file).stem for one in broken}
        left = [one for one in checkpoints if one not in used and one.key not in unbelieved]
        rows += [_unmatched(one, installation) for one in left]
    return tuple(rows)


def verify_export(store: Store, path: Path) -> tuple[Verified, ...]:
    """Return the judgement on the trails of an export.

    Raises:
        IntakeError: the file can't be read.
    """
    try:
        exports = parse_exports(_read(path), store.secret())
    except (StateError, DataError) as error:
        return (Verified(str(path), "export", 0, 0, _kind(error), error.message, str(path)),)
    return tuple(Verified(one.id, one.trail_name, one.trail.size, len(one.trail.tail), "", "", "") for one in exports)


def take_checkpoints(store: Store, records: Sequence[Record]) -> str:
    """Return checkpoints of all trails of some plugins, and remember them in the trails.

    Raises:
        StateError: a trail can't be believed or written.
        NothingToJudgeError: nothing is recorded.
    """
    installation = store.installation()
    if not records or installation is None:
        raise NothingToJudgeError("nothing is recorded, so there is nothing to take a checkpoint of")
    found = []
    for record in records:
        anchored, runs = store.anchor(record.subject)
        key = subject_key(record.subject)
        trails = (("reviews", anchored.reviews), ("runs", runs.trail))
        found += [Checkpoint(installation, key, name, trail.size, trail.root()) for name, trail in trails if trail.size]
    return render_checkpoints(found)


def export_log(store: Store, records: Sequence[Record]) -> Iterator[str]:
    """Yield the trails of some plugins as lines of JSON: a header, then the entries that stand whole.

    Raises:
        StateError: a trail can't be believed.
    """
    secret = store.secret()
    for record in records:
        name = subject_id(record.subject)
        yield from render_export("reviews", record.reviews, secret, id=name)
        runs = store.runs(record.subject)
        if runs.trail.size:
            yield from render_export("runs", runs.trail, secret, id=name)


def _told_of_head(store: Store, record: Record) -> str:
    """Return what is to be said of a plugin's head; the trails are what they say either way."""
    lacks = store.lacks_head(record.subject)
    after = f"its head {lacks}: cut, or never written, so that older trails put back are told by a checkpoint alone"
    return f"{after}; the next entry writes it" if lacks else ""


def _judge(
    record: Record, name: str, trail: Trail, checkpoints: Sequence[Checkpoint], used: set[Checkpoint]
) -> Verified:
    row = Verified(subject_id(record.subject), name, trail.size, len(trail.tail), "", "", record.subject.root)
    key = subject_key(record.subject)
    for one in checkpoints:
        if (one.key, one.trail) == (key, name):
            used.add(one)
            try:
                verify_since(trail, size=one.size, root=one.root)
            except TrailError as error:
                return row._replace(kind=error.kind, message=error.message)
    return row


def _unmatched(one: Checkpoint, installation: str | None) -> Verified:
    if one.installation != installation:
        return Verified(one.origin, one.trail, 0, 0, "other", "is a checkpoint of another installation", "")
    message = f"there were {one.size:,} entries, now the plugin has no record"
    return Verified(one.origin, one.trail, 0, 0, "missing", message, "")


def _kind(error: Exception) -> str:
    return error.kind if isinstance(error, TrailError) else "malformed"


def _read(path: Path) -> bytes:
    try:
        data = read_soon(path, max_bytes=_MAX_FILE_BYTES)
    except OSError as error:
        what = (error.strerror or "").lower()
        raise IntakeError(
            f"the file can't be read: {what}",
            place=str(path),
            hint="name a file that `log checkpoint` or `log export` made",
        ) from error
    if len(data) > _MAX_FILE_BYTES:
        raise IntakeError(f"the file is larger than {_MAX_FILE_BYTES:,} bytes", place=str(path))
    return data
