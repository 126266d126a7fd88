"""Pin a policy: from then on the gate asks for what it says, wherever one stands."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from plugseal.errors import IntakeError, UsageError
from plugseal.model.policy import GatePolicy, PinnedTeam
from plugseal.policy.load import MAX_POLICY_BYTES, SYSTEM
from plugseal.policy.schema import parse_policy
from plugseal.runtime.policies import PINNED, pin_policy
from plugseal.runtime.reviews import genuine_receipts, read_reviews
from plugseal.runtime.seen import add_seen
from plugseal.runtime.teams import BESIDE, parse_team, render_team
from plugseal.trust.store import Store


class PinWish(NamedTuple):
    """What is pinned, and for whom."""

    system: bool = False
    """For every user of the machine, which root alone can do."""
    team: Path | None = None
    """The folder of the team, by default where the policy says, beside it."""
    reviews: Path | None = None
    """The folder of the receipts, by default where the policy says, beside it."""


class WasPinned(NamedTuple):
    """What was pinned."""

    policy: GatePolicy
    place: str
    team: PinnedTeam | None
    """Whose signatures count, None where the policy asks for none."""


def pin(path: Path, store: Store, wish: PinWish = PinWish()) -> WasPinned:  # noqa: B008  # a constant tuple
    """Pin a policy, and the team with it whose signed reviews it asks for.

    Args:
        path: of the policy.
        store: of the user for whom it is pinned.
        wish: for whom, and with which folders.

    Raises:
        CouldNotJudgeError: it is no policy: nothing was pinned.
        KeyRefusedError: the team is not understood: nothing was pinned.
        IntakeError: it can't be read, or others can write the folder of the receipts: nothing was pinned.
        UsageError: the machine's policy can't be written.
        StateError: it can't be written.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_POLICY_BYTES + 1)
    except OSError as error:
        raise IntakeError(f"the policy can't be read: {(error.strerror or '').lower()}", place=str(path)) from error
    policy = parse_policy(data, origin=str(path))
    team = _team(path, data, policy, wish)
    pinned = None if team is None else parse_team(team, data)
    if wish.system:
        _write_system(data, SYSTEM, team=team)
        return WasPinned(policy, str(SYSTEM), pinned)
    pin_policy(store, data, team=team)
    if pinned is not None:
        from plugseal.signing.team import build_team

        receipts = genuine_receipts(read_reviews(pinned.reviews), build_team(dict(pinned.files)))
        add_seen(store, pinned.pin, receipts, pins=(pinned.pin,))
    return WasPinned(policy, str(store.home / PINNED), pinned)


def _team(path: Path, data: bytes, policy: GatePolicy, wish: PinWish) -> bytes | None:
    """Return what is pinned beside a policy, None where it asks for no signed reviews."""
    if not policy.reviews:
        if wish.team or wish.reviews:
            raise UsageError("the policy asks for no signed reviews", hint="add `require-signatures` to `[gate]`")
        return None
    from plugseal.signing.team import read_team_files, team_in

    demand = policy.reviews[0].demand
    folder = wish.team or path.parent / demand.team
    files = read_team_files(folder)
    team = team_in(folder, files)
    reviews = os.path.realpath(wish.reviews or path.parent / demand.reviews)
    read_reviews(reviews)
    return render_team(data, files, digest=team.digest, reviews=reviews)


def _write_system(data: bytes, path: Path, *, team: bytes | None) -> None:
    beside = path.with_name(BESIDE)
    try:
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        if team is not None:
            # First what the policy needs: between the two the gate finds a team of another policy, and refuses.
            _replace(beside, team)
        _replace(path, data)
        if team is None:
            beside.unlink(missing_ok=True)
    except OSError as error:
        reason = (error.strerror or "").lower()
        raise UsageError(f"{path} can't be written: {reason}", hint="run it as root, or without `--system`") from error


def _replace(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(file.fileno(), 0o644)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
