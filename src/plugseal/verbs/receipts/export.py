"""Give a receipt to other people's tools: as a Sigstore bundle, as an SSH signature, as its parts."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from plugseal.encode.bundle import Bundle, render_bundle
from plugseal.encode.dsse import Envelope, pae, parse_envelope
from plugseal.encode.sshsig import MAGIC, parse_blob, render_armor
from plugseal.encode.statement import parse_statement, payload_digest
from plugseal.errors import KeyRefusedError, UsageError
from plugseal.model.statement import Statement
from plugseal.signing.folder import read_receipt
from plugseal.signing.sign import sign_message
from plugseal.verbs.receipts.sign import SigningKey

FORMS: Final = ("sigstore", "sshsig", "statement", "pae")


def open_receipt(path: Path) -> tuple[Envelope, Statement]:
    """Return what a receipt holds, without asking whether its signature does.

    Raises:
        IntakeError: it can't be read.
        DataError: it is no receipt.
    """
    envelope = parse_envelope(read_receipt(path).data)
    return envelope, parse_statement(envelope.payload)


def digest_of(envelope: Envelope) -> str:
    """Return the digest that names the payload in an envelope."""
    return payload_digest(envelope.payload)


def is_ssh(envelope: Envelope) -> bool:
    """Say whether the signature in an envelope is SSHSIG."""
    return envelope.signature.startswith(MAGIC) and len(envelope.signature) > 64


def export_receipt(path: Path, form: str, *, key: SigningKey | None = None) -> bytes:
    """Return a receipt in another form.

    Args:
        path: of the receipt.
        form: one of `FORMS`.
        key: the key that signed it, to make an SSH signature where the receipt holds none.

    Raises:
        UsageError: the receipt has no such form.
        KeyRefusedError: the key is another one.
        PlugsealError: as `open_receipt`.
    """
    envelope, _ = open_receipt(path)
    if form == "statement":
        return envelope.payload
    if form == "pae":
        return pae(envelope.payload_type, envelope.payload)
    if form == "sshsig":
        return _sshsig(envelope, key)
    if is_ssh(envelope):
        raise UsageError(
            "the receipt holds an SSH signature, which no Sigstore tool reads",
            hint="export it with `--as sshsig`, or sign with `--dsse`",
        )
    return render_bundle(Bundle(envelope))


def _sshsig(envelope: Envelope, key: SigningKey | None) -> bytes:
    if is_ssh(envelope):
        return render_armor(parse_blob(envelope.signature)).encode("ascii")
    if key is None:
        raise UsageError(
            "the receipt holds no SSH signature, so its key must make one", hint="name the key with `--key KEY`"
        )
    if key.public.keyid != envelope.keyid:
        raise KeyRefusedError("the receipt was signed by another key")
    return render_armor(sign_message(envelope.payload, key.signer)).encode("ascii")
