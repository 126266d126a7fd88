"""Change what a team is judged by, as TUF rotates its root: signed by enough people of the old keys and of the new.

A signature counts for one person of a team by a key that is current and not revoked there now; people and keys are
distinct. Whoever signs says from which policy and keys to which and after which changes, so that nobody's signature
carries another change, or the same once more; and on which day, so that no change that was given up comes back.
Where a policy wants a touched key for reviews, or no old ones, it wants that here.
See: https://theupdateframework.github.io/specification/latest/#key-management-and-migration
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from datetime import date, datetime, timezone
from typing import Final

from plugseal.encode.dsse import Envelope, parse_envelope, render_envelope
from plugseal.encode.rotation import Rotation, parse_rotation, render_rotation
from plugseal.encode.statement import payload_digest
from plugseal.errors import DataError
from plugseal.limits import MAX_ROTATION_DAYS
from plugseal.model.statement import SignedBy
from plugseal.records import NamedTuple
from plugseal.signing.judge import receipt_name, signed_by
from plugseal.signing.private import Signer
from plugseal.signing.sign import sign_payload
from plugseal.signing.signers import person_of
from plugseal.signing.team import Team

FOLDER: Final = "plugseal-rotation"
"""Beside the policy: one file for each signature. They stay, so that none counts twice."""


class Side(NamedTuple):
    """Who may sign for one side of a change."""

    team: Team
    must_touch: bool = False
    """Whether only keys on a device count, each touched for it."""
    max_age_days: int = MAX_ROTATION_DAYS
    """Older signatures count for nobody."""


class Approved(NamedTuple):
    """Who signed a change."""

    old: tuple[str, ...]
    """People of the team as it was, sorted; hostile text."""
    new: tuple[str, ...]
    """People of the team as it would be, sorted; hostile text."""
    outdated: int = 0
    """Signatures that are too old for one of the sides, or of a day to come."""


def sign_rotation(rotation: Rotation, signer: Signer, *, as_ssh: bool, now: int) -> tuple[str, bytes]:
    """Return the name and the bytes of a signature's file.

    Args:
        rotation: the change.
        signer: who signs.
        as_ssh: whether the signature is SSHSIG rather than DSSE's own.
        now: seconds since 1970.

    Raises:
        DataError: a name can't be written.
        KeyRefusedError: the signer refuses, or makes a signature that does not hold.
    """
    payload = render_rotation(rotation, _day(now))
    signature = sign_payload(payload, signer, as_ssh=as_ssh)
    keyid = signer.public.keyid
    return receipt_name(keyid, payload_digest(payload)), render_envelope(Envelope(payload, keyid, signature))


def signatures_digest(files: Mapping[str, bytes]) -> str:
    """Return what names all signatures of a folder, by their names."""
    lines = "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()


def approved(files: Iterable[tuple[str, bytes]], rotation: Rotation, *, old: Side, new: Side, now: int) -> Approved:
    """Return who signed exactly this change; what is anything else counts for nobody.

    Args:
        files: (name, bytes) of signatures.
        rotation: the change.
        old: the team as it was, and what its policy asks.
        new: the team as it would be, likewise.
        now: seconds since 1970.
    """
    signed = [one for _, data in sorted(files) if (one := _about(data, rotation, now)) is not None]
    outdated = sum(not all(_is_current(age, side) for side in (old, new)) for age, _ in signed)
    was, will = (_people([one for age, one in signed if _is_current(age, side)], side, now) for side in (old, new))
    return Approved(was, will, outdated)


def _about(data: bytes, rotation: Rotation, now: int) -> tuple[int, Envelope] | None:
    """Return a signature of this change with its age in days."""
    try:
        envelope = parse_envelope(data)
        signed = parse_rotation(envelope.payload)
    except DataError:
        return None
    return ((_day(now) - signed.day).days, envelope) if signed.rotation == rotation else None


def _is_current(age: int, side: Side) -> bool:
    # Clocks differ: it may be tomorrow where somebody signs.
    return -1 <= age <= side.max_age_days


def _day(now: int) -> date:
    return datetime.fromtimestamp(now, timezone.utc).date()


def _people(envelopes: Iterable[Envelope], side: Side, now: int) -> tuple[str, ...]:
    found: list[SignedBy] = []
    for envelope in envelopes:
        signer = signed_by(envelope, side.team, now=now)
        if signer is None or not signer.counts_alone or (side.must_touch and not signer.presence):
            continue
        person = person_of(signer.principal)
        if all(person != person_of(other.principal) and signer.raw != other.raw for other in found):
            found.append(signer)
    return tuple(sorted(signer.principal for signer in found))
