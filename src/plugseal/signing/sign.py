"""Make receipts: put a statement behind the ones that its key signed before, sign it, and check what was made.

DSSE is signed as such by key files; by agents and security keys the payload is signed as SSHSIG, which carries our
namespace, and that signature stands in the envelope. What was signed is verified before anybody gets it.
"""

from __future__ import annotations

from collections.abc import Iterable

from plugseal.encode.dsse import PAYLOAD_TYPE, Envelope, pae, render_envelope
from plugseal.encode.sshsig import NAMESPACE, SshSignature, render_blob, signed_bytes
from plugseal.encode.statement import payload_digest, render_statement
from plugseal.errors import KeyRefusedError, ReceiptError
from plugseal.model.statement import JudgedReceipt, Statement
from plugseal.records import NamedTuple
from plugseal.signing.history import check_history, is_genuine, line_of
from plugseal.signing.judge import receipt_name
from plugseal.signing.keys import PublicKey
from plugseal.signing.private import Signer
from plugseal.signing.signature import SignatureError, verify_dsse, verify_sshsig


class Signed(NamedTuple):
    """A receipt as it was made."""

    statement: Statement
    keyid: str
    name: str
    """Of its file, below the folder of its token."""
    data: bytes


def sign_statement(statement: Statement, signer: Signer, *, as_ssh: bool) -> Signed:
    """Return a signed receipt.

    Args:
        statement: what is said.
        signer: who says it.
        as_ssh: whether the signature is SSHSIG rather than DSSE's own.

    Raises:
        DataError: the statement can't be written.
        KeyRefusedError: the signer refuses, or makes a signature that does not hold.
    """
    payload = render_statement(statement)
    key = signer.public
    signature = sign_payload(payload, signer, as_ssh=as_ssh)
    envelope = Envelope(payload, key.keyid, signature)
    return Signed(statement, key.keyid, receipt_name(key.keyid, payload_digest(payload)), render_envelope(envelope))


def sign_payload(payload: bytes, signer: Signer, *, as_ssh: bool) -> bytes:
    """Return the signature that an envelope around a payload holds.

    Raises:
        KeyRefusedError: as `sign_statement`.
    """
    return _sign_ssh(payload, signer) if as_ssh else _sign_dsse(payload, signer)


def sign_message(message: bytes, signer: Signer, *, namespace: str = NAMESPACE) -> SshSignature:
    """Return an SSH signature over a message.

    Raises:
        KeyRefusedError: as `sign_statement`.
    """
    key = signer.public
    signature = SshSignature(key.blob, namespace, signer.sign_ssh(signed_bytes(namespace, message)))
    try:
        presence = verify_sshsig(key, signature, message, namespace=namespace)
    except SignatureError as error:
        raise KeyRefusedError(f"the signature that was made does not hold: {error}") from error
    if key.kind.on_security_key and not presence:
        raise KeyRefusedError("the security key signed without being touched", hint="make a key that asks for it")
    return signature


def _sign_ssh(payload: bytes, signer: Signer) -> bytes:
    return render_blob(sign_message(payload, signer))


def _sign_dsse(payload: bytes, signer: Signer) -> bytes:
    message = pae(PAYLOAD_TYPE, payload)
    signature = signer.sign_dsse(message)
    try:
        verify_dsse(signer.public, message, signature)
    except SignatureError as error:
        raise KeyRefusedError(f"the signature that was made does not hold: {error}") from error
    return signature


def placed(statement: Statement, key: PublicKey, receipts: Iterable[JudgedReceipt]) -> Statement:
    """Return a statement with its place behind what is there: sequence, previous receipt and generation.

    Args:
        statement: without its place.
        key: that will sign it.
        receipts: all that there are, judged by the team or by the key alone.

    Raises:
        ReceiptError: what the key signed before is not whole, so that nothing can follow it.
    """
    genuine = [judged for judged in receipts if is_genuine(judged)]
    line = (key.keyid, *statement.line)
    gaps = [gap.message for gap in check_history(genuine) if gap.line == line]
    if gaps:
        raise ReceiptError(
            "history-broken",
            "receipts that this key signed before are missing",
            details=gaps,
            hint="bring them back from the repository's history",
        )
    own = {
        judged.statement.sequence: judged.digest
        for judged in genuine
        if judged.statement and judged.signer and line_of(judged.statement, judged.signer) == line
    }
    last = max(own, default=0)
    return statement._replace(sequence=last + 1, previous=own.get(last), generation=_generation(statement, genuine))


def _generation(statement: Statement, genuine: Iterable[JudgedReceipt]) -> int:
    """Return the generation of the token where it has one, else the next."""
    known: dict[str, int] = {}
    for judged in genuine:
        other = judged.statement
        if other is not None and other.line == statement.line:
            known[other.token] = max(known.get(other.token, 0), other.generation)
    return known.get(statement.token) or max(known.values(), default=0) + 1
