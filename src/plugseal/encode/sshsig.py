"""SSHSIG: signatures that `ssh-keygen -Y verify` verifies, as bytes and in armour.

    blob   = "SSHSIG" u32(1) string(public key) string(namespace) string("") string(hash) string(signature)
    signed = "SSHSIG" string(namespace) string("") string(hash) string(H(message))

Only one spelling is read: version 1, nothing reserved, nothing behind the end, armour as ssh-keygen writes it.
See: https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.sshsig
"""

from __future__ import annotations

import hashlib
from typing import Final

from plugseal.encode.dsse import parse_base64, render_base64
from plugseal.encode.sshwire import Reader, ssh_string
from plugseal.errors import DataError
from plugseal.records import NamedTuple

NAMESPACE: Final = "plugin-review@plugseal"
MAGIC: Final = b"SSHSIG"
MAX_BLOB_BYTES: Final = 64 * 1024
_VERSION: Final = 1
_HASHES: Final = ("sha256", "sha512")
_BEGIN: Final = "-----BEGIN SSH SIGNATURE-----"
_END: Final = "-----END SSH SIGNATURE-----"
_COLUMNS: Final = 70


class SshSignature(NamedTuple):
    """One signature over a message, with the key that made it."""

    key: bytes
    """The public key or certificate, in SSH's wire format."""
    namespace: str
    signature: bytes
    """In SSH's wire format: algorithm and signature."""
    hash: str = "sha512"


def signed_bytes(namespace: str, message: bytes, *, hash_name: str = "sha512") -> bytes:
    """Return the bytes that an SSH key signs for a message."""
    digest = hashlib.new(hash_name, message).digest()
    fields = (namespace.encode("utf-8"), b"", hash_name.encode("ascii"), digest)
    return MAGIC + b"".join(map(ssh_string, fields))


def render_blob(signature: SshSignature) -> bytes:
    """Return a signature's bytes.

    `parse_blob(render_blob(x)) == x`
    """
    fields = (signature.key, signature.namespace.encode(), b"", signature.hash.encode(), signature.signature)
    return MAGIC + _VERSION.to_bytes(4, "big") + b"".join(map(ssh_string, fields))


def parse_blob(data: bytes) -> SshSignature:
    """Return the signature in bytes.

    Raises:
        DataError: it is of another version, or not spelled in the only way.
    """
    if len(data) > MAX_BLOB_BYTES:
        raise DataError("the SSH signature is too large")
    reader = Reader(data)
    if reader.take(len(MAGIC)) != MAGIC or reader.number() != _VERSION:
        raise DataError("is no SSH signature of version 1")
    key, namespace, reserved = reader.string(), reader.string(), reader.string()
    hash_name, signature = reader.string(), reader.string()
    reader.end()
    if reserved:
        raise DataError("a reserved field of the SSH signature is used")
    try:
        found = SshSignature(key, namespace.decode("ascii"), signature, hash_name.decode("ascii"))
    except UnicodeDecodeError as error:
        raise DataError("the namespace of the SSH signature is no ASCII") from error
    if not found.namespace or found.hash not in _HASHES:
        raise DataError("the SSH signature has no namespace, or a hash that is not allowed")
    return found


def render_armor(signature: SshSignature) -> str:
    """Return a signature as ssh-keygen writes it to a file."""
    text = render_base64(render_blob(signature))
    rows = (text[start : start + _COLUMNS] for start in range(0, len(text), _COLUMNS))
    return "\n".join([_BEGIN, *rows, _END, ""])


def parse_armor(text: str) -> SshSignature:
    """Return the signature in an armoured file; ends of lines may be of any system.

    Raises:
        DataError: it is anything else than one such signature.
    """
    rows = [row.rstrip("\r") for row in text.split("\n")]
    while rows and not rows[-1]:
        rows.pop()
    if len(rows) < 3 or rows[0] != _BEGIN or rows[-1] != _END:
        raise DataError("is no armoured SSH signature")
    found = parse_blob(parse_base64("".join(rows[1:-1])))
    if rows != render_armor(found).split("\n")[:-1]:
        raise DataError("the armour of the SSH signature is not as ssh-keygen writes it")
    return found
