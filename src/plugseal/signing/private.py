"""Private keys in files: read, make, sign. Never makes one that nobody asked for, never tries another one.

A file is OpenSSH's own format, Ed25519 or P-256, readable by its owner alone. A passphrase comes from a descriptor or a
file, never from an argument or a variable; a key made with one resists guessing by 128 rounds of bcrypt.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from plugseal.errors import KeyRefusedError
from plugseal.signing.files import read_regular, why_unread
from plugseal.signing.keys import KeyKind, PublicKey, parse_blob

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    _Any = Ed25519PrivateKey | EllipticCurvePrivateKey

ROUNDS: Final = 128
_MAX_KEY_BYTES: Final = 64 * 1024
_MAX_PASSPHRASE_BYTES: Final = 1024
_OTHERS: Final = 0o077
_BEGIN: Final = b"-----BEGIN OPENSSH PRIVATE KEY-----"
_OTHER_FORMAT: Final = "convert it with `ssh-keygen -p -f KEY`, or use an agent"


class Signer(Protocol):
    """Whatever signs for one public key."""

    public: PublicKey

    def sign_dsse(self, message: bytes) -> bytes:
        """Return the signature that a DSSE envelope holds."""

    def sign_ssh(self, message: bytes) -> bytes:
        """Return the signature in SSH's wire format."""


class PrivateKey:
    """A private key that was read from a file or has just been made."""

    def __init__(self, key: _Any) -> None:
        self._key = key
        self.public = _public_of(key)

    def sign_dsse(self, message: bytes) -> bytes:
        """Return a raw Ed25519 signature, or a reproducible ECDSA one in DER."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        if isinstance(self._key, Ed25519PrivateKey):
            return self._key.sign(message)
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.hashes import SHA256

        return self._key.sign(message, ec.ECDSA(SHA256(), deterministic_signing=True))

    def sign_ssh(self, message: bytes) -> bytes:
        """Return a signature as ssh-keygen makes it."""
        from plugseal.encode.sshwire import ssh_integer, ssh_string

        signature = self.sign_dsse(message)
        if self.public.kind is KeyKind.ED25519:
            return ssh_string(b"ssh-ed25519") + ssh_string(signature)
        from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

        r, s = decode_dss_signature(signature)
        return ssh_string(b"ecdsa-sha2-nistp256") + ssh_string(ssh_integer(r) + ssh_integer(s))

    def render(self, passphrase: bytes | None) -> bytes:
        """Return the key as a file, encrypted where there is a passphrase."""
        from cryptography.hazmat.primitives import serialization as forms

        encryption: forms.KeySerializationEncryption = forms.NoEncryption()
        if passphrase is not None:
            encryption = forms.PrivateFormat.OpenSSH.encryption_builder().kdf_rounds(ROUNDS).build(passphrase)
        return self._key.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.OpenSSH, encryption)


def make_key(kind: KeyKind) -> PrivateKey:
    """Return a new key.

    Raises:
        KeyRefusedError: keys of this kind are not made here.
    """
    if kind is KeyKind.ED25519:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return PrivateKey(Ed25519PrivateKey.generate())
    if kind is KeyKind.P256:
        from cryptography.hazmat.primitives.asymmetric import ec

        return PrivateKey(ec.generate_private_key(ec.SECP256R1()))
    raise KeyRefusedError(f"a key of the type `{kind.value}` is not made here", hint="make it with `ssh-keygen`")


def read_private_key(path: Path, passphrase: bytes | None = None) -> PrivateKey:
    """Return the private key in a file.

    Raises:
        KeyRefusedError: others can read it, it is of another format or type, or the passphrase is missing or wrong.
    """
    return parse_private_key(read_owned(path, max_bytes=_MAX_KEY_BYTES, what="key"), passphrase, place=str(path))


def parse_private_key(data: bytes, passphrase: bytes | None, *, place: str) -> PrivateKey:
    """Return the private key in bytes.

    Raises:
        KeyRefusedError: as `read_private_key`.
    """
    if not data.lstrip().startswith(_BEGIN):
        raise KeyRefusedError("is no private key in OpenSSH's format", place=place, hint=_OTHER_FORMAT)
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_ssh_private_key

    try:
        key = load_ssh_private_key(data, passphrase)
    except TypeError as error:
        needs = passphrase is None
        message = "the key needs its passphrase" if needs else "the key has no passphrase, but one was given"
        hint = "give it by `--passphrase-file` or `--passphrase-fd`" if needs else "leave the passphrase out"
        raise KeyRefusedError(message, place=place, hint=hint) from error
    except (ValueError, UnsupportedAlgorithm) as error:
        message = "the passphrase is wrong, or the key is damaged" if passphrase else "the key is damaged"
        raise KeyRefusedError(message, place=place) from error
    if isinstance(key, EllipticCurvePrivateKey) and key.curve.name == "secp256r1":
        return PrivateKey(key)
    if isinstance(key, Ed25519PrivateKey):
        return PrivateKey(key)
    raise KeyRefusedError("a key file holds Ed25519 or P-256", place=place, hint="other types sign through an agent")


def read_passphrase(*, descriptor: int | None = None, path: Path | None = None) -> bytes | None:
    """Return the passphrase from a descriptor or a private file, without the line end; None where neither is given.

    Raises:
        KeyRefusedError: it can't be read, is empty or too long, or others can read the file.
    """
    if path is not None:
        data = read_owned(path, max_bytes=_MAX_PASSPHRASE_BYTES, what="passphrase file")
    elif descriptor is not None:
        data = _read_descriptor(descriptor)
    else:
        return None
    passphrase = data.removesuffix(b"\n").removesuffix(b"\r")
    if not passphrase or b"\n" in passphrase or b"\0" in passphrase:
        raise KeyRefusedError("a passphrase is one line that is not empty")
    return passphrase


def _read_descriptor(descriptor: int) -> bytes:
    parts, left = [], _MAX_PASSPHRASE_BYTES + 1
    try:
        while left and (part := os.read(descriptor, left)):
            parts.append(part)
            left -= len(part)
    except OSError as error:
        raise KeyRefusedError(f"the passphrase can't be read from descriptor {descriptor}") from error
    if not left:
        raise KeyRefusedError(f"the passphrase is longer than {_MAX_PASSPHRASE_BYTES:,} bytes")
    return b"".join(parts)


def read_owned(path: Path, *, max_bytes: int, what: str) -> bytes:
    """Return the bytes of a secret file: regular, the user's own, closed to others, not behind a link.

    Raises:
        KeyRefusedError: it is not so, or can't be read.
    """
    place = str(path)

    def judge(found: os.stat_result) -> None:
        if found.st_uid != os.geteuid():
            raise KeyRefusedError(f"the {what} belongs to user {found.st_uid}, not to you", place=place)
        if found.st_mode & _OTHERS:
            mode = f"{stat.S_IMODE(found.st_mode):04o}"
            raise KeyRefusedError(f"others can use the {what} (mode {mode})", place=place, hint=f"`chmod 600 {place}`")
        if not found.st_mode & stat.S_IRUSR:
            # The superuser could read it all the same; whoever took the right away meant it.
            raise KeyRefusedError(f"its owner may not read the {what}", place=place, hint=f"`chmod 600 {place}`")

    try:
        data = read_regular(path, max_bytes=max_bytes, judge=judge)
    except (OSError, ValueError) as error:
        raise KeyRefusedError(f"the {what} can't be read: {why_unread(error)}", place=place) from error
    if len(data) > max_bytes:
        raise KeyRefusedError(f"the {what} is larger than {max_bytes:,} bytes", place=place)
    return data


def _public_of(key: _Any) -> PublicKey:
    from cryptography.hazmat.primitives import serialization as forms

    line = key.public_key().public_bytes(forms.Encoding.OpenSSH, forms.PublicFormat.OpenSSH)
    from plugseal.signing.keys import decode_word

    return parse_blob(decode_word(line.split()[1].decode("ascii")))
