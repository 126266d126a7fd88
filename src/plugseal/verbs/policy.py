"""Pin a policy: from then on the gate asks for what it says, wherever one stands."""

from __future__ import annotations

import os
from pathlib import Path

from plugseal.errors import IntakeError, UsageError
from plugseal.model.policy import GatePolicy
from plugseal.policy.load import MAX_POLICY_BYTES, SYSTEM
from plugseal.policy.schema import parse_policy
from plugseal.runtime.policies import PINNED, pin_policy
from plugseal.trust.store import Store


def pin(path: Path, store: Store, *, system: bool = False) -> tuple[GatePolicy, str]:
    """Pin a policy and return what it asks for and where it is kept.

    Args:
        path: of the policy.
        store: of the user for whom it is pinned.
        system: pin it for every user of the machine instead, which root alone can do.

    Raises:
        CouldNotJudgeError: it is no policy: nothing was pinned.
        IntakeError: it can't be read.
        UsageError: the machine's policy can't be written.
        StateError: it can't be written.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_POLICY_BYTES + 1)
    except OSError as error:
        raise IntakeError(f"the policy can't be read: {(error.strerror or '').lower()}", place=str(path)) from error
    policy = parse_policy(data, origin=str(path))
    if not system:
        pin_policy(store, data)
        return policy, str(store.home / PINNED)
    _write_system(data, SYSTEM)
    return policy, str(SYSTEM)


def _write_system(data: bytes, path: Path) -> None:
    try:
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
        try:
            os.write(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        temporary.replace(path)
    except OSError as error:
        reason = (error.strerror or "").lower()
        raise UsageError(f"{path} can't be written: {reason}", hint="run it as root, or without `--system`") from error
