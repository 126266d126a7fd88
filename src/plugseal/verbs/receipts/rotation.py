"""Change what a repository is judged by: sign the change, and see whether enough people of old and new keys did."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plugseal.encode.rotation import Governed, Rotation
from plugseal.errors import CouldNotJudgeError, PlugsealError, UsageError
from plugseal.limits import MAX_ROTATION_DAYS
from plugseal.model.checked import Objection
from plugseal.model.team_policy import TeamPolicy
from plugseal.policy.team import parse_team_policy
from plugseal.signing.folder import read_file
from plugseal.signing.judge import SUFFIX
from plugseal.signing.rotation import FOLDER, Side, approved, sign_rotation, signatures_digest
from plugseal.signing.team import Team, build_team, read_team_files
from plugseal.verbs.receipts.folder import write_receipt

if TYPE_CHECKING:
    from plugseal.policy.base import Base
    from plugseal.verbs.receipts.sign import SigningKey

_MAX_BYTES = 1024 * 1024
_MAX_FILES = 1_000
_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Turn:
    """A change of what a repository is judged by, with both sides of it."""

    rotation: Rotation
    policy: TeamPolicy
    """Of the base."""
    next_policy: TeamPolicy
    """Of the head."""
    team: Team
    next_team: Team


@dataclass(frozen=True, slots=True)
class WrittenRotation:
    """A signature that was made, and where it lies."""

    path: Path
    keyid: str
    rotation: Rotation


def turn_of(
    path: Path, before: TeamPolicy, after: TeamPolicy, *, team: Mapping[str, bytes], earlier: Mapping[str, bytes]
) -> Turn | None:
    """Return the change from a base to what lies at a path; None where nothing changes.

    Args:
        path: the repository.
        before: the base's policy.
        after: the one that lies there.
        team: files of the base's team.
        earlier: signatures that the base holds, by their names.

    Raises:
        CouldNotJudgeError: a policy asks for no signatures, so that nobody could sign.
        PlugsealError: one of the two sides does not hold.
    """
    folders = [one.team for one in (before.receipts, after.receipts) if one is not None]
    if len(folders) != 2:
        raise CouldNotJudgeError(
            "both policies need `[receipts]`: they say how many people must sign", place=before.name
        )
    old = build_team({file: data for file, data in team.items() if file != "README.md"})
    new = build_team(read_team_files(path / folders[1]))
    was, will = Governed(before.digest, old.digest), Governed(after.digest, new.digest)
    rotation = Rotation(was, will, before.name, folders[1], signatures_digest(earlier))
    return None if was == will else Turn(rotation, before, after, old, new)


def judge_turn(path: Path, turn: Turn, *, now: int) -> tuple[bool, str]:
    """Return whether enough people signed a change, and what is to be said of that.

    Args:
        path: the repository.
        turn: the change.
        now: seconds since 1970.
    """
    old, new = _side(turn.policy, turn.team), _side(turn.next_policy, turn.next_team)
    people = approved(_signatures(path), turn.rotation, old=old, new=new, now=now)
    wanted = (_threshold(turn.policy, turn.team), _threshold(turn.next_policy, turn.next_team))
    counts = (len(people.old), len(people.new))
    told = f"by {counts[0]} of {wanted[0]} people of the old keys and {counts[1]} of {wanted[1]} of the new"
    if people.outdated:
        told += f" ({people.outdated:,} too old or of a day to come: sign anew)"
    return all(count >= least for count, least in zip(counts, wanted, strict=True)), told


def sign_turn(path: Path, base: str, key: SigningKey, *, name: str, as_ssh: bool) -> WrittenRotation:
    """Sign the change from a base revision to what lies at a path, and write the signature beside the policy.

    Args:
        path: the repository.
        base: an object ID or `refs/…`.
        key: who signs.
        name: of the policy, below the repository.
        as_ssh: whether the signature is SSHSIG rather than DSSE's own.

    Raises:
        UsageError: nothing changes.
        PlugsealError: the base, a policy or a team can't be read, or the key refuses.
    """
    from plugseal.policy.base import Base

    name = name.removeprefix("./")
    with Base(path, base) as revision:
        policy = revision.read(name)
        if policy is None:
            raise CouldNotJudgeError("the base revision has no policy", place=f"{revision.id}:{name}")
        before = parse_team_policy(policy, name=name, origin=f"of the base {revision.id[:12]}")
        after = parse_team_policy(read_file(path / name, max_bytes=_MAX_BYTES), name=name, origin="of the head")
        folder = "" if before.receipts is None else before.receipts.team
        files = {file[len(folder) + 1 :]: data for file, data in revision.files(folder)} if folder else {}
        turn = turn_of(path, before, after, team=files, earlier=earlier_signatures(revision))
    if turn is None:
        raise UsageError("neither the policy nor the keys are others than in the base, so there is nothing to sign")
    file, data = sign_rotation(turn.rotation, key.signer, as_ssh=as_ssh, now=int(time.time()))
    place = write_receipt(path / FOLDER, file, data, None)
    return WrittenRotation(place, key.public.keyid, turn.rotation)


def earlier_signatures(base: Base) -> dict[str, bytes]:
    """Return the signatures of earlier changes that a base holds, by their names.

    Raises:
        CouldNotJudgeError: they can't be read.
    """
    return {file[len(FOLDER) + 1 :]: data for file, data in base.files(FOLDER)}


def find_gone(path: Path, earlier: Mapping[str, bytes]) -> tuple[Objection, ...]:
    """Return the signatures of earlier changes that are not there any more: without them, they could count again.

    Args:
        path: the repository.
        earlier: those of the base, by their names.
    """
    return tuple(
        Objection("governance", "a signature of an earlier change is gone", 0, f"{FOLDER}/{name}", 0)
        for name, data in sorted(earlier.items())
        if not _is_still(path / FOLDER / name, data)
    )


def settle(
    path: Path, turn: Turn | None, governance: tuple[Objection, ...], *, now: int
) -> tuple[tuple[Objection, ...], tuple[str, ...]]:
    """Return what of a change's loosenings still fails, and notes about who signed it.

    Args:
        path: the repository.
        turn: the change; None where it can't be signed.
        governance: what it loosens.
        now: seconds since 1970.
    """
    if turn is None or not governance or not (path / FOLDER).is_dir():
        return governance, ()
    holds, told = judge_turn(path, turn, now=now)
    if not holds:
        return governance, (f"the change of the rules is signed {told}: not enough",)
    return (), (f"the change of the rules is signed {told}", *(f"signed: {one.message}" for one in governance))


def _side(policy: TeamPolicy, team: Team) -> Side:
    """Return who may sign for a side, by what its policy and its team ask of reviews."""
    demand, days = policy.receipts, MAX_ROTATION_DAYS
    if demand is not None and demand.max_age_days:
        days = min(days, demand.max_age_days)
    if team.max_age_seconds is not None:
        days = min(days, team.max_age_seconds // _DAY)
    return Side(team, demand is not None and demand.require_human, days)


def _is_still(path: Path, data: bytes) -> bool:
    try:
        return read_file(path, max_bytes=len(data)) == data
    except PlugsealError:
        return False


def _threshold(policy: TeamPolicy, team: Team) -> int:
    return max(team.threshold, 1 if policy.receipts is None else policy.receipts.threshold)


def _signatures(path: Path) -> list[tuple[str, bytes]]:
    found = []
    try:
        names = sorted(entry.name for entry in (path / FOLDER).iterdir() if entry.name.endswith(SUFFIX))
        for name in names[:_MAX_FILES]:
            found.append((name, read_file(path / FOLDER / name, max_bytes=_MAX_BYTES)))
    except (OSError, PlugsealError):
        return []  # What can't be read is signed by nobody.
    return found
