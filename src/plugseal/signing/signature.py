"""Verify one signature by one key: over DSSE's bytes, or as an SSH key signs.

The mathematics is that of `cryptography`; which bytes are signed, and how, is judged here.
Every function raises; none answers with a truth value that somebody could forget to look at.
"""

from __future__ import annotations

import hashlib
from enum import Enum
from typing import Final

from plugseal.encode.sshsig import NAMESPACE, SshSignature, signed_bytes
from plugseal.encode.sshwire import Reader, ssh_integer
from plugseal.errors import DataError
from plugseal.signing.keys import SSH_NAMES, KeyKind, PublicKey, is_certificate, rsa_numbers

PRESENCE: Final = 0x01
_KNOWN_FLAGS: Final = 0x05
"""User presence and user verification; any other flag says something that nobody here knows."""
_P256_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


class _Hash(Enum):
    SHA256 = "sha256"
    SHA512 = "sha512"


class SignatureError(Exception):
    """Report inside this part that a signature does not hold; callers turn it into a status."""


def verify_dsse(key: PublicKey, message: bytes, signature: bytes) -> None:
    """Verify a signature over DSSE's bytes: pure Ed25519, ECDSA with SHA-256, or RSA PKCS#1 v1.5 with SHA-512.

    Raises:
        SignatureError: it does not hold.
    """
    if key.kind is KeyKind.ED25519:
        _verify_ed25519(key.raw, message, signature)
    elif key.kind is KeyKind.P256:
        _verify_p256(key.raw, message, signature)
    elif key.kind is KeyKind.RSA:
        _verify_rsa(key.raw, message, signature, _Hash.SHA512)
    else:
        raise SignatureError("a security key signs by SSHSIG alone")


def verify_sshsig(key: PublicKey, signature: SshSignature, message: bytes, *, namespace: str = NAMESPACE) -> bool:
    """Verify an SSH signature over a message, by the key that it names or that its certificate is of.

    Returns:
        Whether a person was present: False for keys that can't tell.

    Raises:
        SignatureError: it does not hold, or was made for something else.
    """
    if signature.key != key.blob and not is_certificate(signature.key):
        raise SignatureError("the signature names another key")
    if signature.namespace != namespace:
        raise SignatureError("the signature was made for another purpose")
    signed = signed_bytes(namespace, message, hash_name=signature.hash)
    return verify_ssh(key, signed, signature.signature)


def verify_ssh(key: PublicKey, message: bytes, blob: bytes) -> bool:
    """Verify a signature in SSH's wire format over bytes.

    Returns:
        Whether a person was present: False for keys that can't tell.

    Raises:
        SignatureError: it does not hold.
    """
    try:
        reader = Reader(blob)
        name, signature = reader.string().decode("ascii"), reader.string()
        if key.kind.on_security_key:
            flags, counter = reader.number(1), reader.take(4)
            reader.end()
            return _verify_security_key(key, message, name, signature, flags, counter)
        reader.end()
        _verify_plain(key, message, name, signature)
    except (DataError, UnicodeDecodeError) as error:
        raise SignatureError("the signature is damaged") from error
    return False


def dsse_of_ssh(key: PublicKey, blob: bytes) -> bytes:
    """Return the signature that DSSE holds for one that an agent made over the same bytes.

    Raises:
        SignatureError: it has no such form.
    """
    try:
        reader = Reader(blob)
        name, signature = reader.string(), reader.string()
        reader.end()
        if key.kind is KeyKind.P256:
            return der_of(*_points(signature))
    except DataError as error:
        raise SignatureError("the agent's signature is damaged") from error
    if key.kind is KeyKind.RSA and name != b"rsa-sha2-512":
        raise SignatureError("the agent signed by another hash than it was asked for")
    return signature


def der_of(r: int, s: int) -> bytes:
    """Return an ECDSA signature in DER.

    Raises:
        SignatureError: the numbers can't be of one by P-256.
    """
    if not (0 < r < _P256_ORDER and 0 < s < _P256_ORDER):
        raise SignatureError("the numbers of the signature are out of range")
    numbers = b"".join(b"\x02" + bytes((len(part) - 4,)) + part[4:] for part in (ssh_integer(r), ssh_integer(s)))
    return b"\x30" + bytes((len(numbers),)) + numbers


def _verify_plain(key: PublicKey, message: bytes, name: str, signature: bytes) -> None:
    if key.kind is KeyKind.ED25519 and name == "ssh-ed25519":
        _verify_ed25519(key.raw, message, signature)
    elif key.kind is KeyKind.P256 and name == "ecdsa-sha2-nistp256":
        _verify_p256(key.raw, message, der_of(*_points(signature)))
    elif key.kind is KeyKind.RSA and name in ("rsa-sha2-512", "rsa-sha2-256"):
        _verify_rsa(key.raw, message, signature, _Hash.SHA512 if name.endswith("512") else _Hash.SHA256)
    else:
        raise SignatureError("the signature is of another type than the key")


def _verify_security_key(
    key: PublicKey, message: bytes, name: str, signature: bytes, flags: int, counter: bytes
) -> bool:
    if SSH_NAMES.get(name) is not key.kind:
        raise SignatureError("the signature is of another type than the key")
    if flags & ~_KNOWN_FLAGS:
        raise SignatureError("the security key says something that is not known")
    digests = (hashlib.sha256(part).digest() for part in (key.application, message))
    signed = bytes((flags,)).join((next(digests), b"")) + counter + next(digests)
    if key.kind is KeyKind.SK_ED25519:
        _verify_ed25519(key.raw, signed, signature)
    else:
        _verify_p256(key.raw, signed, der_of(*_points(signature)))
    return bool(flags & PRESENCE)


def _points(signature: bytes) -> tuple[int, int]:
    reader = Reader(signature)
    r, s = reader.integer(), reader.integer()
    reader.end()
    return r, s


def _verify_ed25519(raw: bytes, message: bytes, signature: bytes) -> None:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    if len(signature) != 64:
        raise SignatureError("an Ed25519 signature has 64 bytes")
    try:
        Ed25519PublicKey.from_public_bytes(raw).verify(signature, message)
    except (InvalidSignature, ValueError) as error:
        raise SignatureError("the signature is not of these bytes by this key") from error


def _verify_p256(raw: bytes, message: bytes, signature: bytes) -> None:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.hashes import SHA256

    if len(signature) == 64:
        signature = der_of(int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))
    if len(signature) > 72:
        raise SignatureError("a P-256 signature is DER, or 64 bytes")
    try:
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), raw)
        key.verify(signature, message, ec.ECDSA(SHA256()))
    except (InvalidSignature, ValueError) as error:
        raise SignatureError("the signature is not of these bytes by this key") from error


def _verify_rsa(raw: bytes, message: bytes, signature: bytes, hash_name: _Hash) -> None:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers
    from cryptography.hazmat.primitives.hashes import SHA256, SHA512

    modulus, exponent = rsa_numbers(raw)
    if len(signature) != (modulus.bit_length() + 7) // 8:
        raise SignatureError("an RSA signature is as long as its key")
    try:
        key = RSAPublicNumbers(exponent, modulus).public_key()
        key.verify(signature, message, PKCS1v15(), SHA512() if hash_name is _Hash.SHA512 else SHA256())
    except (InvalidSignature, ValueError) as error:
        raise SignatureError("the signature is not of these bytes by this key") from error
