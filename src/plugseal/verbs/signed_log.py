"""Checkpoints of trails that somebody signed: made, and verified before a trail is compared with them."""

from __future__ import annotations

from pathlib import Path

from plugseal.encode.note import note_hash, parse_notes, render_signature
from plugseal.errors import DataError, IntakeError, KeyRefusedError, ReceiptError
from plugseal.signing.folder import read_file
from plugseal.signing.keys import KeyKind, PublicKey, parse_public_key
from plugseal.signing.signature import SignatureError, verify_dsse
from plugseal.verbs.receipts.sign import SigningKey

_MAX_BYTES = 64 * 1024 * 1024
_MAX_KEY_BYTES = 64 * 1024


def sign_checkpoints(text: str, key: SigningKey) -> str:
    """Return checkpoints, each as a note signed by a key.

    Args:
        text: as `take_checkpoints` made it.
        key: Ed25519; its comment names the signer.

    Raises:
        KeyRefusedError: the key can't sign notes.
        DataError: the key's comment can't stand in a note.
    """
    public = _ed25519(key.public)
    name = key.comment or "plugseal"
    parts = [part.rstrip("\n") + "\n" for part in text.split("\n\n") if part.strip("\n")]
    return "\n".join(
        f"{part}\n{render_signature(name, public.raw, key.signer.sign_dsse(part.encode('utf-8')))}" for part in parts
    )


def verify_checkpoints(path: Path, key_path: Path) -> None:
    """Verify that every checkpoint in a file is signed by a key.

    Raises:
        IntakeError: a file can't be read.
        KeyRefusedError: the key is refused.
        DataError: the file holds no signed checkpoints.
        ReceiptError: one of them is not signed by the key.
    """
    try:
        public, _ = parse_public_key(read_file(key_path, max_bytes=_MAX_KEY_BYTES))
    except IntakeError as error:
        raise KeyRefusedError(f"the key {error.message}", place=error.place) from error
    raw = _ed25519(public).raw
    notes = parse_notes(read_file(path, max_bytes=_MAX_BYTES))
    if not notes:
        raise DataError("no signed checkpoint in it", hint="make one with `plugseal log checkpoint --key KEY`")
    for note in notes:
        ours = [signature for name, key_hash, signature in note.signatures if key_hash == note_hash(name, raw)]
        if not any(_holds(public, note.text, signature) for signature in ours):
            origin = note.text.partition("\n")[0]
            raise ReceiptError("bad-signature", "a checkpoint is not signed by the key", details=[origin])


def _holds(public: PublicKey, text: str, signature: bytes) -> bool:
    try:
        verify_dsse(public, text.encode("utf-8"), signature)
    except SignatureError:
        return False
    return True


def _ed25519(public: PublicKey) -> PublicKey:
    if public.kind is not KeyKind.ED25519:
        raise KeyRefusedError(
            "checkpoints are signed by Ed25519 keys", hint="name one, or make one: `plugseal key new`"
        )
    return public
