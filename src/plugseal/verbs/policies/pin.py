"""Pin a policy: from then on the gate asks for what it says, wherever one stands."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from plugseal.errors import IntakeError, StateError, UsageError
from plugseal.model.policy import GatePolicy, PinnedTeam
from plugseal.policy.load import MAX_POLICY_BYTES, SYSTEM
from plugseal.policy.schema import parse_policy
from plugseal.records import NamedTuple
from plugseal.runtime.policies import PINNED, pin_policy, read_machine_team
from plugseal.runtime.reviews import genuine_receipts, read_reviews
from plugseal.runtime.seen_receipts import Receipts, begin_seen, carry_seen
from plugseal.runtime.teams import BESIDE, parse_team, render_team
from plugseal.signing.files import read_regular, why_unread
from plugseal.trust.store import Store


class PinWish(NamedTuple):
    """What is pinned, and for whom."""

    system: bool = False
    """For every user of the machine, which root alone can do."""
    team: Path | None = None
    """The folder of the team, by default where the policy says, beside it."""
    reviews: Path | None = None
    """The folder of the receipts, by default where the policy says, beside it."""
    anew: bool = False
    """Whether receipts that were seen and are gone may be gone: after their folder was rewritten."""


class WasPinned(NamedTuple):
    """What was pinned."""

    policy: GatePolicy
    place: str
    team: PinnedTeam | None
    """Whose signatures count, None where the policy asks for none."""
    gone: tuple[str, ...] = ()
    """Receipts that were seen before and are not there; hostile text. They count all the same."""


def pin(
    path: Path,
    store: Store,
    wish: PinWish = PinWish(),  # noqa: B008  # a constant tuple
    *,
    system: Path = SYSTEM,
) -> WasPinned:
    """Pin a policy, and the team with it whose signed reviews it asks for.

    Args:
        path: of the policy.
        store: of the user for whom it is pinned.
        wish: for whom, and with which folders.
        system: where the machine's policy is.

    Raises:
        CouldNotJudgeError: it is no policy: nothing was pinned.
        KeyRefusedError: the team is not understood: nothing was pinned.
        IntakeError: it can't be read, or others can write the folder of the receipts: nothing was pinned.
        UsageError: the machine's policy can't be written.
        StateError: it can't be written.
    """
    try:
        data = read_regular(os.path.realpath(path), max_bytes=MAX_POLICY_BYTES)
    except (OSError, ValueError) as error:
        raise IntakeError(f"the policy can't be read: {why_unread(error)}", place=str(path)) from error
    policy = parse_policy(data, origin=str(path))
    team = _team(path, data, policy, wish)
    pinned = None if team is None else parse_team(team, data)
    if wish.system:
        _write_system(data, system, team=team)
        return WasPinned(policy, str(system), pinned)
    # First what was seen: a policy that holds before it would begin with nothing that is gone.
    gone = () if pinned is None else _remember(store, pinned, wish, system)
    pin_policy(store, data, team=team)
    return WasPinned(policy, str(store.home / PINNED), pinned, gone)


def _remember(store: Store, pinned: PinnedTeam, wish: PinWish, system: Path) -> tuple[str, ...]:
    """Remember the receipts of a new pinning and of those that it replaces, and return those that are not there."""
    from plugseal.signing.team import build_team

    team, there = build_team(dict(pinned.files)), read_reviews(pinned.reviews)
    others = _machine_pins(system)
    if wish.anew:
        begin_seen(store, pinned.pin, genuine_receipts(there, team), others=others)
        return ()
    found = genuine_receipts(there, team)

    def carried(before: Receipts) -> Receipts:
        return genuine_receipts((*found, *before), team, before=before) if before else found

    known = carry_seen(store, pinned.pin, carried, others=others)
    named = {file for file, _ in found}
    return tuple(file for file, _ in known if file not in named)


def _machine_pins(system: Path) -> frozenset[str]:
    """Return the name of the pinning of the machine's policy; none where it can't be believed: then nothing starts."""
    try:
        team = read_machine_team(system)
    except StateError:
        return frozenset()
    return frozenset() if team is None else frozenset({team.pin})


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
        with suppress(OSError):
            temporary.unlink()
        raise
