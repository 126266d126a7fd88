"""Find the policies that bind the gate: the machine's, which root alone can write, and the one pinned by the user.

Never from a workspace, never from a variable. The stricter of both holds in everything. What is there and can't be
believed is an error, which the gate turns into a refusal: nobody gets rid of a policy by breaking it.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from plugseal.errors import CouldNotJudgeError, StateError
from plugseal.model.policy import DemandedReviews, DeniedAbility, GatePolicy, PinnedTeam
from plugseal.policy import places

if TYPE_CHECKING:
    from plugseal.model.team_policy import ReceiptDemand

SYSTEM: Final = Path(places.SYSTEM)
MAX_POLICY_BYTES: Final = 1024 * 1024
_FORMAT: Final = "plugseal.compiled-policy/2"
_WRITABLE_BY_OTHERS: Final = 0o022


def read_system_policy(path: Path = SYSTEM, *, max_bytes: int = MAX_POLICY_BYTES) -> bytes | None:
    """Return the bytes of the machine's policy or of what is pinned beside it, None where there is none.

    Raises:
        StateError: it is there, and root alone is not the one who can write it.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StateError(f"the policy can't be read: {(error.strerror or '').lower()}", place=str(path)) from error
    with os.fdopen(descriptor, "rb") as file:
        for found in (os.fstat(descriptor), os.stat(path.parent)):  # noqa: PTH116  # beside the descriptor's
            if found.st_uid != 0 or found.st_mode & _WRITABLE_BY_OTHERS:
                raise StateError("the policy is not root's alone", place=str(path), hint=f"`sudo chown root {path}`")
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise StateError("the policy is no regular file", place=str(path))
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise StateError(f"the policy is larger than {max_bytes:,} bytes", place=str(path))
    return data


def compile_policy(data: bytes, *, origin: str) -> bytes:
    """Return a policy as plain data, which `parse_compiled` reads without any library.

    Raises:
        CouldNotJudgeError: it is no policy.
    """
    from plugseal.policy.schema import parse_policy

    policy = parse_policy(data, origin=origin)
    found = {"format": _FORMAT, "digest": sha256(data).hexdigest(), "policy": policy._asdict()}
    return json.dumps(found, sort_keys=True).encode("ascii")


def parse_compiled(compiled: bytes, data: bytes) -> GatePolicy | None:
    """Return the policy that was compiled from exactly this text, None where it was another.

    Args:
        compiled: as `compile_policy` made it.
        data: the text of the policy.
    """
    try:
        found = json.loads(compiled)
        if found["format"] != _FORMAT or found["digest"] != sha256(data).hexdigest():
            return None
        values = found["policy"]
        if set(values) != set(GatePolicy._fields):
            return None
        lists = {key: None if values[key] is None else tuple(values[key]) for key in ("deny", "allow", "authorize")}
        denied = tuple(_denied(*row) for row in values["denied"])
        reviews = tuple(DemandedReviews(_demand(*demand), origin) for demand, origin, _ in values["reviews"])
        return GatePolicy(**{**values, **lists, "denied": denied, "reviews": reviews})
    except (ValueError, KeyError, TypeError, IndexError):
        return None


def _denied(
    system: str, name: str, content: str, capability: str, objects: list[str] | None, why: str
) -> DeniedAbility:
    return DeniedAbility(system, name, content, capability, None if objects is None else tuple(objects), why)


def _demand(
    team: str,
    reviews: str,
    threshold: int,
    max_age_days: int,
    require_human: bool,
    scanner: str,
    rules: list[str],
    line: int,
) -> ReceiptDemand:
    from plugseal.model.team_policy import ReceiptDemand

    return ReceiptDemand(team, reviews, threshold, max_age_days, require_human, scanner, tuple(rules), line)


def combine_policies(
    texts: dict[str, bytes],
    *,
    read_compiled: Callable[[str], bytes | None],
    write_compiled: Callable[[str, bytes], None],
    find_team: Callable[[str, bytes], PinnedTeam | None],
) -> GatePolicy:
    """Return what all policies together ask of the gate.

    Args:
        texts: from an origin to the text of a policy.
        read_compiled: returns what was compiled from an origin's policy before, None for nothing.
        write_compiled: keeps what was compiled now.
        find_team: returns what was pinned beside an origin's policy with exactly this text; asked where one wants it.

    Raises:
        CouldNotJudgeError: one of them is no policy.
    """
    policy: GatePolicy | None = None
    for origin, data in texts.items():
        one = parse_compiled(read_compiled(origin) or b"", data)
        if one is None:
            compiled = compile_policy(data, origin=origin)
            write_compiled(origin, compiled)
            one = parse_compiled(compiled, data)
        if one is None:
            raise CouldNotJudgeError("that is no policy", place=origin)
        if one.reviews:
            team = find_team(origin, data)
            one = one._replace(reviews=tuple(asked._replace(pinned=team) for asked in one.reviews))
        policy = one if policy is None else policy.with_other(one)
    return policy or GatePolicy()
