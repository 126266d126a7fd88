"""The policy that binds the gate on this machine, loaded from where no workspace and no variable can name another."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Final

from plugseal.errors import CouldNotJudgeError, RefusedError, StateError
from plugseal.model.decision import Reason
from plugseal.model.policy import GatePolicy
from plugseal.policy.load import SYSTEM, combine_policies, read_system_policy
from plugseal.trust.files import open_folder
from plugseal.trust.store import Store

PINNED: Final = "policy.toml"
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
        texts = {str(system): read_system_policy(system)}
        folder = open_folder(store.home)
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
        )
    except CouldNotJudgeError as error:
        raise RefusedError(
            Reason.POLICY_DENIES.value,
            f"the policy can't be believed, so nothing starts: {error.message}",
            place=error.place,
            details=error.details,
            hint="mend it, then `plugseal policy pin FILE`",
        ) from error


def pin_policy(store: Store, data: bytes) -> None:
    """Pin a policy that was found valid.

    Raises:
        StateError: it can't be written.
    """
    folder = open_folder(store.home, create=True)
    if folder is None:
        raise StateError("the state folder went away", place=str(store.home))
    with folder, folder.locked(PINNED):
        folder.write(PINNED, data)


def _name(origin: str) -> str:
    return sha256(origin.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _read_compiled(store: Store, origin: str) -> bytes | None:
    folder = open_folder(store.home / _FOLDER)
    if folder is None:
        return None
    with folder:
        return folder.read(_name(origin))


def _write_compiled(store: Store, origin: str, data: bytes) -> None:
    folder = open_folder(store.home / _FOLDER, create=True)
    if folder is not None:
        with folder, folder.locked(_name(origin)):
            folder.write(_name(origin), data)
