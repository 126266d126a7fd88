"""SSH certificates of users: an authority says which principals a key belongs to, and when.

Read here: only what a signature over a review needs. A critical option, an authority that is itself a certificate, a
certificate of a host: refused. See: https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.certkeys
"""

from __future__ import annotations

from typing import Final

from plugseal.encode.sshwire import Reader
from plugseal.errors import DataError, KeyRefusedError
from plugseal.records import NamedTuple
from plugseal.signing.keys import CERTIFICATE_SUFFIX, SSH_NAMES, PublicKey, parse_blob, read_key
from plugseal.signing.revoked import Certified
from plugseal.signing.signature import SignatureError, verify_ssh

_USER: Final = 1
_FOREVER: Final = 2**64 - 1


class Certificate(NamedTuple):
    """A key with what its authority says of it; the authority's signature was verified."""

    key: PublicKey
    authority: PublicKey
    certified: Certified
    principals: tuple[str, ...]
    """Hostile text."""
    after: int
    """Seconds since 1970; valid from then."""
    before: int | None
    """Valid until then; None for ever."""

    def is_current(self, moment: int) -> bool:
        """Say whether it is valid at a moment."""
        return self.after <= moment and (self.before is None or moment < self.before)


def parse_certificate(blob: bytes) -> Certificate:
    """Return the certificate in bytes, its authority's signature verified.

    Raises:
        KeyRefusedError: it is damaged, of another kind, has a critical option, or its signature does not hold.
    """
    try:
        return _parse(blob)
    except (DataError, UnicodeDecodeError, SignatureError) as error:
        raise KeyRefusedError("the certificate is damaged") from error


def _parse(blob: bytes) -> Certificate:
    reader = Reader(blob)
    name = reader.string().decode("ascii").removesuffix(CERTIFICATE_SUFFIX)
    kind = SSH_NAMES.get(name) or SSH_NAMES.get(f"{name}@openssh.com")
    if kind is None:
        raise KeyRefusedError("a certificate of this type is not supported")
    reader.string()  # the nonce
    key = read_key(reader, kind)
    serial, use, key_id = reader.number(8), reader.number(), reader.string().decode("utf-8")
    names, after, before = Reader(reader.string()), reader.number(8), reader.number(8)
    critical = reader.string()
    reader.string()  # extensions: permissions for logging in, which say nothing about signing
    reader.string()
    authority = parse_blob(reader.string())
    signature = reader.string()
    reader.end()
    principals = []
    while not names.is_done:
        principals.append(names.string().decode("utf-8"))
    if use != _USER or critical or not principals:
        raise KeyRefusedError("the certificate is not one of a user with principals and without critical options")
    verify_ssh(authority, blob[: len(blob) - len(signature) - 4], signature)
    until = None if before == _FOREVER else before
    return Certificate(key, authority, Certified(authority.blob, serial, key_id), tuple(principals), after, until)
