"""What is signed where a team changes the rules that it is judged by: from which policy and keys to which.

An in-toto Statement v1 of the type `urn:plugseal:rotation:v1`: its two subjects are the new policy file and the folder
of the team, its predicate holds the digests of the old ones, and of the signatures of all changes before: a change
that was undone since is signed anew. It says on which day it was signed: no signature holds for ever.
Strict: its bytes are those that it renders to.
See: https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md
"""

from __future__ import annotations

from datetime import date
from typing import Any, Final

from plugseal.encode.dsse import is_sha256
from plugseal.encode.plain import PlainJson, parse_signed_json, render_signed_json
from plugseal.errors import DataError
from plugseal.records import NamedTuple

PREDICATE_TYPE: Final = "urn:plugseal:rotation:v1"
_STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
_MAX_BYTES: Final = 64 * 1024
_MAX_NAME_CHARACTERS: Final = 400


class Governed(NamedTuple):
    """What a repository is judged by."""

    policy: str
    """SHA-256 of the policy file, in hex."""
    team: str
    """Digest of the folder of the team, in hex."""


class Rotation(NamedTuple):
    """A change of it."""

    before: Governed
    after: Governed
    policy_name: str
    """Path of the policy file in the repository."""
    team_name: str
    """Path of the folder of the team."""
    earlier: str
    """Digest of the signatures of the changes before it, in hex."""


class SignedRotation(NamedTuple):
    """A change as somebody signed it."""

    rotation: Rotation
    day: date
    """UTC."""


def render_rotation(rotation: Rotation, day: date) -> bytes:
    """Return the canonical bytes of the statement.

    Args:
        rotation: the change.
        day: on which it is signed.

    Raises:
        DataError: a name has no canonical bytes.
    """
    subjects: list[PlainJson] = [
        {"digest": {"sha256": rotation.after.policy}, "name": rotation.policy_name},
        {"digest": {"sha256": rotation.after.team}, "name": rotation.team_name},
    ]
    return render_signed_json(
        {
            "_type": _STATEMENT_TYPE,
            "predicate": {
                "before": {
                    "policy": rotation.before.policy,
                    "signatures": rotation.earlier,
                    "team": rotation.before.team,
                },
                "signed": day.isoformat(),
            },
            "predicateType": PREDICATE_TYPE,
            "subject": subjects,
        }
    )


def parse_rotation(payload: bytes) -> SignedRotation:
    """Return the change that a statement tells of, and its day.

    Raises:
        DataError: it is no statement of a change, or not in canonical bytes.
    """
    value: Any = parse_signed_json(payload, max_bytes=_MAX_BYTES)  # Any: JSON, of which what fits is rendered again
    try:
        policy, team = value["subject"]
        before = value["predicate"]["before"]
        found = Rotation(
            Governed(before["policy"], before["team"]),
            Governed(policy["digest"]["sha256"], team["digest"]["sha256"]),
            policy["name"],
            team["name"],
            before["signatures"],
        )
        day = date.fromisoformat(value["predicate"]["signed"])
    except (KeyError, TypeError, ValueError) as error:
        raise DataError("is no statement of a change of rules") from error
    names = (found.policy_name, found.team_name)
    if not all(map(is_sha256, (*found.before, *found.after, found.earlier))) or not all(
        isinstance(name, str) and 0 < len(name) <= _MAX_NAME_CHARACTERS for name in names
    ):
        raise DataError("is no statement of a change of rules")
    if render_rotation(found, day) != payload:
        raise DataError("a statement of a change of rules in other bytes than its own")
    return SignedRotation(found, day)
