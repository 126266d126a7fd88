"""What a policy asks of the audit trail that a team commits: exports that are whole, and go on from what was signed.

CI has no installation's secret, so the seal of an export tells nothing here. What tells is the tree over all entries:
it must be that of the entries in the file, go on from a checkpoint that somebody of the team signed, and, where a
change is judged by its base, go on from what the base held. What is cut, put back or replaced is named.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from plugseal.encode.note import Note, note_hash, parse_notes
from plugseal.errors import DataError, IntakeError, PlugsealError, TrailError
from plugseal.limits import MAX_COMMITTED_BYTES
from plugseal.model.checked import Objection, Verdict
from plugseal.model.team_policy import TrailDemand
from plugseal.signing.folder import read_file
from plugseal.signing.keys import KeyKind, PublicKey
from plugseal.signing.signature import SignatureError, verify_dsse
from plugseal.signing.team import Team
from plugseal.trust.checkpoint import Checkpoint, parse_checkpoints
from plugseal.trust.export import Exported, parse_exports
from plugseal.trust.trail import Trail, verify_since

SUFFIX: Final = ".jsonl"
_MAX_FILES: Final = 10_000
_KIND: Final = "trail"


@dataclass(frozen=True, slots=True)
class _Found:
    """One trail of the judged tree, and where it lies."""

    exported: Exported
    file: str


def judge_trail(
    path: Path, demand: TrailDemand, team: Team | None, *, before: Mapping[str, bytes] | None, now: int
) -> Verdict:
    """Return what is wrong with the trail of a repository, as of something that belongs to no plugin.

    Args:
        path: the repository.
        demand: what is asked.
        team: whose keys sign checkpoints; None where no signature is asked.
        before: the base's exports, by path; None where no base is judged by.
        now: seconds since 1970.
    """
    objections = tuple(_objections(path, demand, team, before, now))
    return Verdict("", "audit trail", "", demand.exports, objections, ())


def _objections(
    path: Path, demand: TrailDemand, team: Team | None, before: Mapping[str, bytes] | None, now: int
) -> Iterator[Objection]:
    found, broken = _read(path, demand)
    yield from broken
    if not found and not broken:
        yield Objection(_KIND, "no trail is exported there: `plugseal log export`", demand.line, demand.exports)
    for one in found:
        yield from _too_short(one, demand)
    if team is not None:
        yield from _unsigned(path, demand, found, team, now)
    if before is not None:
        yield from _cut(found, before, demand)


def _read(path: Path, demand: TrailDemand) -> tuple[list[_Found], list[Objection]]:
    found: list[_Found] = []
    broken: list[Objection] = []
    files = _files(path, demand.exports)
    if len(files) > _MAX_FILES:
        message = f"there are {len(files):,} exports, of which {_MAX_FILES:,} are read"
        broken.append(Objection(_KIND, message, demand.line, demand.exports))
    for file in files[:_MAX_FILES]:
        try:
            exports = parse_exports(read_file(path / file, max_bytes=MAX_COMMITTED_BYTES), None)
        except PlugsealError as error:
            kind = f"{error.kind}: " if isinstance(error, TrailError) else ""
            broken.append(Objection(_KIND, f"{kind}{error.message}", demand.line, file))
            continue
        known = {(one.exported.id, one.exported.trail_name) for one in found}
        for one in exports:
            if (one.id, one.trail_name) in known:
                broken.append(Objection(_KIND, f"the {_name(one)} is exported twice", demand.line, file))
            else:
                found.append(_Found(one, file))
    return found, broken


def _files(path: Path, folder: str) -> list[str]:
    try:
        names = sorted(entry.name for entry in (path / folder).iterdir() if entry.name.endswith(SUFFIX))
    except OSError:
        return []
    return [f"{folder}/{name}" for name in names]


def _too_short(one: _Found, demand: TrailDemand) -> Iterator[Objection]:
    trail = one.exported.trail
    wanted = min(demand.keep, trail.size)
    if len(trail.tail) < wanted:
        message = f"of the {_name(one.exported)} {len(trail.tail)} entries stand whole, {wanted} are asked"
        yield Objection(_KIND, message, demand.line, one.file)


def _unsigned(path: Path, demand: TrailDemand, found: list[_Found], team: Team, now: int) -> Iterator[Objection]:
    try:
        notes = parse_notes(read_file(path / demand.checkpoints, max_bytes=MAX_COMMITTED_BYTES))
        texts = dict.fromkeys(note.text for note in notes if _is_signed(note, team, now))
        signed = {one for text in texts for one in parse_checkpoints(text.encode())}
    except (DataError, IntakeError) as error:
        told = f"the signed checkpoints: {error.message}: `plugseal log checkpoint --key KEY -o {demand.checkpoints}`"
        yield Objection(_KIND, told, demand.line, demand.checkpoints)
        return
    whole: list[tuple[_Found, list[str]]] = []
    for one in found:
        origins = {checkpoint.origin for checkpoint in signed if _goes_on(one.exported, checkpoint)}
        current = [name for name in sorted(origins) if all(_goes_on(one.exported, c) for c in _newest(signed, name))]
        if not origins:
            message = f"the {_name(one.exported)} goes on from no checkpoint that somebody of the team signed"
            yield Objection(_KIND, message, demand.line, one.file)
        elif not current:
            message = f"the {_name(one.exported)} does not go on from the newest checkpoint that was signed of it"
            yield Objection(_KIND, message, demand.line, one.file)
        else:
            whole.append((one, current))
    yield from _doubled(whole, demand)


def _doubled(whole: list[tuple[_Found, list[str]]], demand: TrailDemand) -> Iterator[Objection]:
    """Yield exports that are no trails of their own: they name a plugin in words, a checkpoint by a digest."""
    owners: dict[str, _Found] = {}
    for one, origins in sorted(whole, key=lambda row: len(row[1])):
        free = next((origin for origin in origins if origin not in owners), None)
        if free is None:
            message = f"the {_name(one.exported)} is that of `{owners[origins[0]].exported.id}` under another name"
            yield Objection(_KIND, message, demand.line, one.file)
        else:
            owners[free] = one


def _newest(signed: Collection[Checkpoint], origin: str) -> list[Checkpoint]:
    """Return the checkpoints of a trail that tell of the most entries; two of them differ."""
    of_it = [checkpoint for checkpoint in signed if checkpoint.origin == origin]
    size = max(checkpoint.size for checkpoint in of_it)
    return [checkpoint for checkpoint in of_it if checkpoint.size == size]


def _is_signed(note: Note, team: Team, now: int) -> bool:
    """Say whether somebody signed a note who may review now."""
    keys = {
        entry.key
        for entry in team.entries
        if entry.key.kind is KeyKind.ED25519
        and entry.may_review
        and entry.names_one_person
        and (entry.after is None or entry.after <= now)
        and (entry.before is None or now < entry.before)
        and not team.revoked.holds(entry.key)
    }
    return any(
        _holds(key, note, name, hashed, signature) for name, hashed, signature in note.signatures for key in keys
    )


def _holds(key: PublicKey, note: Note, name: str, hashed: bytes, signature: bytes) -> bool:
    if hashed != note_hash(name, key.raw):
        return False
    try:
        verify_dsse(key, note.text.encode("utf-8"), signature)
    except SignatureError:
        return False
    return True


def _goes_on(exported: Exported, checkpoint: Checkpoint) -> bool:
    if checkpoint.trail != exported.trail_name or not checkpoint.size:
        return False
    return _since(exported.trail, checkpoint.size, checkpoint.root) is None


def _since(trail: Trail, size: int, root: bytes) -> TrailError | None:
    try:
        verify_since(trail, size=size, root=root)
    except TrailError as error:
        return error
    return None


def _cut(found: list[_Found], before: Mapping[str, bytes], demand: TrailDemand) -> Iterator[Objection]:
    """Yield the trails of the base from which the judged ones do not go on."""
    now = {(one.exported.id, one.exported.trail_name): one for one in found}
    for file in sorted(before):
        if not file.endswith(SUFFIX) or file.rpartition("/")[0] != demand.exports:
            continue  # Files of folders below are read on neither side.
        try:
            exports = parse_exports(before[file], None)
        except PlugsealError:
            continue  # What the base held was broken: it can't be gone on from.
        for then in exports:
            one = now.get((then.id, then.trail_name))
            if one is None:
                yield Objection(_KIND, f"missing: the {_name(then)} is gone", demand.line, file)
            elif then.trail.size:
                error = _since(one.exported.trail, then.trail.size, then.trail.root())
                if error is not None:
                    message = f"{error.kind}: the {_name(then)}: {error.message}"
                    yield Objection(_KIND, message, demand.line, one.file)


def _name(one: Exported) -> str:
    return f"trail `{one.trail_name}` of `{one.id}`"
