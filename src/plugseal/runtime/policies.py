"""The policy that binds the gate on this machine, loaded from where no workspace and no variable can name another."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Final

from plugseal.errors import CouldNotJudgeError, RefusedError, StateError
from plugseal.model.decision import Reason
from plugseal.model.policy import GatePolicy, PinnedTeam
from plugseal.policy import places
from plugseal.policy.load import SYSTEM, combine_policies, read_system_policy
from plugseal.runtime.teams import BESIDE, MAX_TEAM_BYTES, parse_team
from plugseal.trust.files import open_below, open_folder
from plugseal.trust.store import Store

PINNED: Final = places.PINNED
_FOLDER: Final = "policies"


def load_policy(store: Store, *, system: Path = SYSTEM) -> GatePolicy:
    """Return what the machine's policy and the pinned one ask of the gate together.

    Args:
        store: below whose folder a policy may be pinned.
        system: where the machine's policy would be.

    Raises:
        RefusedError: one of them is there and can't be believed.
    """
    try:
        folder = open_folder(store.home)
    except StateError as error:
        # Not the policy is at fault: nothing that lies there can be believed.
        reason = Reason.STATE_UNREADABLE.value
        message = f"the gate refuses: {reason}: {error.message}"
        raise RefusedError(reason, message, place=error.place, details=error.details, hint=error.hint) from error
    try:
        texts = {str(system): read_system_policy(system)}
        if folder is not None:
            with folder:
                texts[str(store.home / PINNED)] = folder.read(PINNED)
        found = {origin: data for origin, data in texts.items() if data is not None}
        if not found:
            return GatePolicy()
        return combine_policies(
            found,
            read_compiled=lambda origin: _read_compiled(store, origin),
            write_compiled=lambda origin, data: _write_compiled(store, origin, data),
            find_team=lambda origin, data: _find_team(store, origin, data, system),
        )
    except CouldNotJudgeError as error:
        about_team = isinstance(error, StateError) and BESIDE in (error.place or "")
        raise RefusedError(
            (Reason.REVIEWS_UNREADABLE if about_team else Reason.POLICY_DENIES).value,
            f"the policy can't be believed, so nothing starts: {error.message}",
            place=error.place,
            details=error.details,
            hint="mend it, then `plugseal policy pin FILE`",
        ) from error


def stamp_policies(store: Store, *, system: Path = SYSTEM) -> tuple[tuple[int, ...] | None, ...]:
    """Return what changes when a policy is pinned, unpinned or edited, without reading any.

    Args:
        store: as of `load_policy`.
        system: as of `load_policy`.
    """
    return tuple(map(_stamp, (system, store.home / PINNED)))


def _stamp(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def read_machine_team(system: Path = SYSTEM) -> PinnedTeam | None:
    """Return the team that is pinned beside the machine's policy, whatever a user pinned; None where there is none.

    Raises:
        StateError: it is there and can't be believed.
    """
    data = read_system_policy(system)
    return None if data is None else _find_machine_team(data, system)


def pin_policy(store: Store, data: bytes, *, team: bytes | None = None) -> None:
    """Pin a policy that was found valid.

    Args:
        store: below whose folder.
        data: the policy.
        team: what is pinned beside it, as `render_team` made it; None where it asks for no signed reviews.

    Raises:
        StateError: it can't be written.
    """
    folder = open_folder(store.home, create=True)
    if folder is None:
        raise StateError("the state folder went away", place=str(store.home))
    with folder, folder.locked(PINNED):
        if team is None:
            folder.write(PINNED, data)
            folder.remove(BESIDE)
        else:
            # First what the policy needs: between the two writes the gate finds a team of another policy, and refuses.
            folder.write(BESIDE, team)
            folder.write(PINNED, data)


def _find_team(store: Store, origin: str, policy: bytes, system: Path) -> PinnedTeam | None:
    """Return what is pinned beside a policy, read from where the policy itself was.

    Raises:
        StateError: it is there and can't be believed.
    """
    if origin == str(system):
        return _find_machine_team(policy, system)
    data = None
    folder = open_folder(store.home)
    if folder is not None:
        with folder:
            data = folder.read(BESIDE, max_bytes=MAX_TEAM_BYTES)
    return _parsed(data, policy, place=str(store.home / BESIDE))


def _find_machine_team(policy: bytes, system: Path) -> PinnedTeam | None:
    beside = system.with_name(BESIDE)
    return _parsed(read_system_policy(beside, max_bytes=MAX_TEAM_BYTES), policy, place=str(beside))


def _parsed(data: bytes | None, policy: bytes, *, place: str) -> PinnedTeam | None:
    try:
        return None if data is None else parse_team(data, policy)
    except StateError as error:
        error.message = f"the team pinned beside the policy {error.message}"
        error.place = error.place or place
        raise


def _name(origin: str) -> str:
    return sha256(origin.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _read_compiled(store: Store, origin: str) -> bytes | None:
    folder = open_below(store.home, _FOLDER)
    if folder is None:
        return None
    with folder:
        return folder.read(_name(origin))


def _write_compiled(store: Store, origin: str, data: bytes) -> None:
    folder = open_below(store.home, _FOLDER, create=True)
    if folder is not None:
        with folder, folder.locked(_name(origin)):
            folder.write(_name(origin), data)
