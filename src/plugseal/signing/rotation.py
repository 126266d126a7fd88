"""Change what a team is judged by, as TUF rotates its root: signed by enough people of the old keys and of the new.

A signature counts for one person of a team by a key that is current and not revoked there now; people and keys are
distinct. Whoever signs says from which policy and keys to which and after which changes, so that nobody's signature
carries another change, or the same once more. Where a policy wants a touched key for reviews, it wants one here.
See: https://theupdateframework.github.io/specification/latest/#key-management-and-migration
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from plugseal.encode.dsse import Envelope, parse_envelope, render_envelope
from plugseal.encode.rotation import Rotation, parse_rotation, render_rotation
from plugseal.encode.statement import payload_digest
from plugseal.errors import DataError
from plugseal.model.statement import SignedBy
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


class Approved(NamedTuple):
    """Who signed a change."""

    old: tuple[str, ...]
    """People of the team as it was, sorted; hostile text."""
    new: tuple[str, ...]
    """People of the team as it would be, sorted; hostile text."""


def sign_rotation(rotation: Rotation, signer: Signer, *, as_ssh: bool) -> tuple[str, bytes]:
    """Return the name and the bytes of a signature's file.

    Raises:
        DataError: a name can't be written.
        KeyRefusedError: the signer refuses, or makes a signature that does not hold.
    """
    payload = render_rotation(rotation)
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
    envelopes = [envelope for _, data in sorted(files) if (envelope := _about(data, rotation)) is not None]
    return Approved(*(_people(envelopes, side, now) for side in (old, new)))


def _about(data: bytes, rotation: Rotation) -> Envelope | None:
    try:
        envelope = parse_envelope(data)
        return envelope if parse_rotation(envelope.payload) == rotation else None
    except DataError:
        return None


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
