"""Judge one receipt: whether it is genuine, by whom, and whether it counts now.

The steps are in the order in which nothing is believed before it is shown: form, key, signature, whose key, revoked,
when, for whom. The first that fails gives the status. Nothing here looks at a plugin.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from plugseal.encode.dsse import Envelope, pae, parse_envelope
from plugseal.encode.sshsig import MAGIC, SshSignature, parse_blob
from plugseal.encode.statement import parse_statement, parse_time, payload_digest
from plugseal.errors import DataError, KeyRefusedError
from plugseal.model.statement import JudgedReceipt, ReceiptStatus, SignedBy, Statement
from plugseal.signing.keys import PublicKey, is_certificate
from plugseal.signing.keys import parse_blob as parse_key
from plugseal.signing.signature import SignatureError, verify_dsse, verify_sshsig
from plugseal.signing.signers import Entry
from plugseal.signing.team import Team

if TYPE_CHECKING:
    from plugseal.signing.certificates import Certificate

SUFFIX: Final = ".dsse.json"
DOCUMENT: Final = "capabilities.json"
"""The capability document beside the receipts of a token."""
CLOCKS_DIFFER_SECONDS: Final = 300
_SHORT: Final = 16


class _RefusedError(Exception):
    """Carry the status of the step that failed."""

    def __init__(self, status: ReceiptStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class _Signed:
    """The key behind a signature that holds, and what else the signature says."""

    def __init__(self, key: PublicKey, *, presence: bool = False, certificate: Certificate | None = None) -> None:
        self.key = key
        self.presence = presence
        self.certificate = certificate


def receipt_name(keyid: str, digest: str) -> str:
    """Return the name of a receipt's file: two receipts never share one, so that git merges them."""
    return f"{keyid[:_SHORT]}-{digest[:_SHORT]}{SUFFIX}"


def judge_receipt(
    file: str, data: bytes, *, team: Team, now: int, known: Collection[str] | None = None, in_place: bool = False
) -> JudgedReceipt:
    """Return what becomes of one receipt.

    Args:
        file: where it is from, for messages; its last two parts where `in_place`.
        data: its bytes.
        team: who may sign.
        now: seconds since 1970.
        known: digests of the receipts that were there before, where that is known: a retired key adds no new ones.
        in_place: whether its name and folder must be those of what it holds.
    """
    judged = JudgedReceipt(file, ReceiptStatus.MALFORMED, "")
    try:
        # (1) The envelope and the statement are exactly of the form that is signed.
        envelope, statement = _parse(data)
        judged = judged._replace(digest=payload_digest(envelope.payload), statement=statement)
        # (2, 3) The key is known, and the signature is over these bytes by it.
        signed = _verify_signature(envelope, team)
        # (4) The key belongs to the reviewer that the statement names, for reviews.
        entry = _verify_reviewer(signed, statement, team)
        judged = judged._replace(signer=_signed_by(envelope, signed, entry))
        # (5) Neither key nor certificate is revoked: whatever time the receipt says, its owner may have made it up.
        _verify_not_revoked(signed, team)
        # (6) The audience is this team.
        if team.audience is not None and statement.audience != team.audience:
            raise _RefusedError(ReceiptStatus.WRONG_AUDIENCE, f"it is for `{statement.audience}`")
        # (7) The key was current when it was made; the receipt is current now.
        status = _verify_times(signed, entry, statement, judged.digest, now=now, known=known)
        _verify_age(statement, team, now)
        # (8) It lies where it belongs.
        if in_place:
            _verify_place(file, envelope, statement)
    except _RefusedError as refused:
        return judged._replace(status=refused.status, reason=refused.reason)
    return judged._replace(status=status)


def signed_by(envelope: Envelope, team: Team, *, now: int) -> SignedBy | None:
    """Return whose signature an envelope holds, by a key that is current and not revoked now; None where nobody's.

    Args:
        envelope: around whatever payload.
        team: who may sign.
        now: seconds since 1970.
    """
    try:
        signed = _verify_signature(envelope, team)
        _verify_not_revoked(signed, team)
    except _RefusedError:
        return None
    if signed.certificate is not None:
        return None  # It names its principals, not one person.
    entries = [one for one in _entries_of(signed, team) if one.may_review and one.is_current(now)]
    entry = min(entries, key=lambda one: not one.names_one_person, default=None)
    return None if entry is None else _signed_by(envelope, signed, entry)


def _parse(data: bytes) -> tuple[Envelope, Statement]:
    try:
        envelope = parse_envelope(data)
        return envelope, parse_statement(envelope.payload)
    except DataError as error:
        raise _RefusedError(ReceiptStatus.MALFORMED, error.message) from error


def _verify_signature(envelope: Envelope, team: Team) -> _Signed:
    if envelope.signature.startswith(MAGIC) and len(envelope.signature) > 64:
        return _verify_ssh(envelope, team)
    entries = team.by_key.get(envelope.keyid)
    if not entries:
        raise _RefusedError(ReceiptStatus.UNKNOWN_KEY, f"the key {envelope.keyid[:_SHORT]} is not among the signers")
    key = entries[0].key
    try:
        verify_dsse(key, pae(envelope.payload_type, envelope.payload), envelope.signature)
    except SignatureError as error:
        raise _RefusedError(ReceiptStatus.BAD_SIGNATURE, str(error)) from error
    return _Signed(key)


def _verify_ssh(envelope: Envelope, team: Team) -> _Signed:
    try:
        signature = parse_blob(envelope.signature)
        certificate = _certificate(signature.key) if is_certificate(signature.key) else None
        key = certificate.key if certificate else parse_key(signature.key)
    except (DataError, KeyRefusedError) as error:
        raise _RefusedError(ReceiptStatus.MALFORMED, error.message) from error
    if key.keyid != envelope.keyid:
        raise _RefusedError(ReceiptStatus.MALFORMED, "the signature is by another key than the envelope names")
    known = team.by_key.get(key.keyid, ()) if certificate is None else _of_authority(certificate, team)
    if not known:
        raise _RefusedError(ReceiptStatus.UNKNOWN_KEY, f"the key {envelope.keyid[:_SHORT]} is not among the signers")
    presence = _verify_message(key, signature, envelope.payload)
    return _Signed(key, presence=presence, certificate=certificate)


def _certificate(blob: bytes) -> Certificate:
    from plugseal.signing.certificates import parse_certificate

    return parse_certificate(blob)


def _verify_message(key: PublicKey, signature: SshSignature, payload: bytes) -> bool:
    try:
        presence = verify_sshsig(key, signature, payload, namespace=signature.namespace)
    except SignatureError as error:
        raise _RefusedError(ReceiptStatus.BAD_SIGNATURE, str(error)) from error
    # Told apart from a bad signature: it is genuine, but for another purpose.
    try:
        verify_sshsig(key, signature, payload)
    except SignatureError as error:
        raise _RefusedError(ReceiptStatus.WRONG_NAMESPACE, f"it was signed as `{signature.namespace}`") from error
    if key.kind.on_security_key and not presence:
        raise _RefusedError(ReceiptStatus.NO_PRESENCE, "nobody touched the security key")
    return presence


def _of_authority(certificate: Certificate, team: Team) -> tuple[Entry, ...]:
    return tuple(entry for entry in team.authorities if entry.key == certificate.authority)


def _entries_of(signed: _Signed, team: Team) -> tuple[Entry, ...]:
    if signed.certificate is not None:
        return _of_authority(signed.certificate, team)
    return team.by_key.get(signed.key.keyid, ())


def _verify_reviewer(signed: _Signed, statement: Statement, team: Team) -> Entry:
    reviewer = statement.reviewer
    entries = [entry for entry in _entries_of(signed, team) if entry.is_for(reviewer)]
    if not entries or (signed.certificate is not None and reviewer not in signed.certificate.principals):
        raise _RefusedError(ReceiptStatus.WRONG_REVIEWER, f"the key is not that of `{reviewer}`")
    allowed = [entry for entry in entries if entry.may_review]
    if not allowed:
        raise _RefusedError(ReceiptStatus.WRONG_NAMESPACE, f"the key of `{reviewer}` is not listed for reviews")
    created = parse_time(statement.created)
    current = [entry for entry in allowed if entry.is_current(created)]
    # One that names a single person first, so that a pattern beside it takes nothing away.
    return min(current or allowed, key=lambda entry: not entry.names_one_person)


def _signed_by(envelope: Envelope, signed: _Signed, entry: Entry) -> SignedBy:
    alone = signed.certificate is None and entry.names_one_person
    name = entry.principals[0] if alone else ",".join(entry.principals)
    raw = hashlib.sha256(signed.key.raw).hexdigest()
    return SignedBy(envelope.keyid, signed.key.kind.value, name, alone, signed.presence, raw)


def _verify_not_revoked(signed: _Signed, team: Team) -> None:
    certificate = signed.certificate
    if team.revoked.holds(signed.key) or (
        certificate is not None and team.revoked.holds_certificate(certificate.certified)
    ):
        raise _RefusedError(ReceiptStatus.REVOKED_KEY, "the key is revoked, whenever it signed")


def _verify_times(
    signed: _Signed,
    entry: Entry,
    statement: Statement,
    digest: str,
    *,
    now: int,
    known: Collection[str] | None,
) -> ReceiptStatus:
    created = parse_time(statement.created)
    if created > now + CLOCKS_DIFFER_SECONDS:
        raise _RefusedError(ReceiptStatus.FROM_THE_FUTURE, f"it was made at {statement.created}")
    if entry.after is not None and created < entry.after:
        raise _RefusedError(ReceiptStatus.KEY_NOT_YET, f"the key was not yet valid at {statement.created}")
    if not entry.is_current(created):
        raise _RefusedError(ReceiptStatus.KEY_EXPIRED, f"the key was valid no more at {statement.created}")
    if signed.certificate is not None and not signed.certificate.is_current(created):
        raise _RefusedError(ReceiptStatus.KEY_EXPIRED, f"the certificate was not valid at {statement.created}")
    is_retired = not entry.is_current(now) or (
        signed.certificate is not None and not signed.certificate.is_current(now)
    )
    if not is_retired:
        return ReceiptStatus.VALID
    if known is not None and digest not in known:
        raise _RefusedError(
            ReceiptStatus.NEW_BY_RETIRED_KEY, "the key is retired, and the receipt was not there before"
        )
    return ReceiptStatus.RETIRED_KEY


def _verify_age(statement: Statement, team: Team, now: int) -> None:
    if now >= parse_time(statement.expires):
        raise _RefusedError(ReceiptStatus.EXPIRED, f"it expired at {statement.expires}")
    if team.max_age_seconds is not None and now >= parse_time(statement.created) + team.max_age_seconds:
        raise _RefusedError(ReceiptStatus.TOO_OLD, f"it was made at {statement.created}")


def _verify_place(file: str, envelope: Envelope, statement: Statement) -> None:
    folder, _, last = file.replace("\\", "/").rpartition("/")
    name = receipt_name(envelope.keyid, payload_digest(envelope.payload))
    if last != name or folder.rpartition("/")[2] != statement.token:
        raise _RefusedError(ReceiptStatus.WRONG_PLACE, f"its name must be `{statement.token[:8]}…/{name}`")
