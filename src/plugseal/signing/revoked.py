"""Keys that must not be believed: OpenSSH's key revocation list (KRL), or a plain list of public keys.

Both are what `ssh-keygen -Y verify -r` reads. Certificates count too. A list that is not understood
to its end refuses everything: a part of it would revoke a part.
See: https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.krl
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.encode.sshwire import Reader
from plugseal.errors import DataError, KeyRefusedError
from plugseal.records import NamedTuple
from plugseal.signing.keys import PublicKey, parse_line

MAX_REVOKED_BYTES: Final = 4 * 1024 * 1024
_MAGIC: Final = b"SSHKRL\n\0"
_CERTIFICATES, _KEYS, _SHA1, _SIGNATURE, _SHA256, _EXTENSION = 1, 2, 3, 4, 5, 255
_SERIALS, _RANGE, _BITS, _IDS, _OPTION = 0x20, 0x21, 0x22, 0x23, 0x39
_MAX_BITS: Final = 1024 * 1024


class Certified(NamedTuple):
    """What names a certificate in a list of revoked ones."""

    authority: bytes
    """The authority's public key, in SSH's wire format."""
    serial: int
    key_id: str


class _Authority:
    """What is revoked of one authority, of every one where it has no key."""

    def __init__(self, key: bytes) -> None:
        self.key = key
        self.ranges: list[tuple[int, int]] = []
        self.key_ids: set[str] = set()

    def revokes(self, certificate: Certified) -> bool:
        """Say whether a certificate is revoked."""
        if self.key and self.key != certificate.authority:
            return False
        by_serial = certificate.serial and any(low <= certificate.serial <= high for low, high in self.ranges)
        return bool(by_serial) or certificate.key_id in self.key_ids


class Revoked:
    """The keys and certificates that are revoked."""

    def __init__(self, blobs: Iterable[bytes] = ()) -> None:
        self.blobs = set(blobs)
        """Keys in SSH's wire format."""
        self.sha1: set[bytes] = set()
        self.sha256: set[bytes] = set()
        self.authorities: list[_Authority] = []

    def holds(self, key: PublicKey) -> bool:
        """Say whether a key is revoked."""
        return self._holds_blob(key.blob)

    def holds_certificate(self, certificate: Certified) -> bool:
        """Say whether a certificate, or the authority that signed it, is revoked."""
        return self._holds_blob(certificate.authority) or any(one.revokes(certificate) for one in self.authorities)

    def _holds_blob(self, blob: bytes) -> bool:
        return (
            blob in self.blobs
            or hashlib.sha256(blob).digest() in self.sha256
            # The format's own hash, to find a key in a list: nothing rests on it but a refusal.
            or hashlib.sha1(blob, usedforsecurity=False).digest() in self.sha1
        )


def parse_revoked(data: bytes) -> Revoked:
    """Return what a list revokes.

    Raises:
        KeyRefusedError: it is neither a KRL nor a list of public keys, or a part of it is not understood.
    """
    if len(data) > MAX_REVOKED_BYTES:
        raise KeyRefusedError(f"the list of revoked keys is larger than {MAX_REVOKED_BYTES:,} bytes")
    try:
        return _krl(data) if data.startswith(_MAGIC) else _plain(data)
    except (DataError, UnicodeDecodeError) as error:
        raise KeyRefusedError("the list of revoked keys is damaged") from error


def union(lists: Iterable[Revoked]) -> Revoked:
    """Return what any of the lists revokes."""
    found = Revoked()
    for one in lists:
        found.blobs |= one.blobs
        found.sha1 |= one.sha1
        found.sha256 |= one.sha256
        found.authorities += one.authorities
    return found


def _plain(data: bytes) -> Revoked:
    found = Revoked()
    for row in data.decode("utf-8").splitlines():
        if row.strip() and not row.lstrip().startswith("#"):
            key, _ = parse_line(row)
            found.blobs.add(key.blob)
    return found


def _krl(data: bytes) -> Revoked:
    reader = Reader(data)
    reader.take(len(_MAGIC))
    if reader.number() != 1:
        raise KeyRefusedError("the list of revoked keys is of another version")
    reader.take(24)  # its own version, when it was made, flags
    reader.string()
    reader.string()
    found = Revoked()
    for kind, section in _sections(reader):
        _section(found, kind, section)
    return found


def _section(found: Revoked, kind: int, section: Reader) -> None:
    if kind == _CERTIFICATES:
        found.authorities.append(_authority(section))
    elif kind == _KEYS:
        found.blobs.update(_strings(section))
    elif kind == _SHA1:
        found.sha1.update(_strings(section))
    elif kind == _SHA256:
        found.sha256.update(_strings(section))
    else:
        # A signed list, an extension or a later section: whether it matters can't be told here.
        raise KeyRefusedError(f"the list of revoked keys has a section of the unknown type {kind}")


def _authority(section: Reader) -> _Authority:
    found = _Authority(section.string())
    section.string()
    for kind, part in _sections(section):
        if kind == _SERIALS:
            while not part.is_done:
                serial = part.number(8)
                found.ranges.append((serial, serial))
        elif kind == _RANGE:
            found.ranges.append((part.number(8), part.number(8)))
            part.end()
        elif kind == _BITS:
            start, bits = part.number(8), part.integer()
            part.end()
            found.ranges += _runs(start, bits)
        elif kind == _IDS:
            found.key_ids.update(text.decode("utf-8") for text in _strings(part))
        else:
            raise KeyRefusedError(f"the list of revoked certificates has a part of the unknown type {kind}")
    return found


def _runs(start: int, bits: int) -> Iterator[tuple[int, int]]:
    if bits.bit_length() > _MAX_BITS:
        raise KeyRefusedError("the list of revoked certificates is too large")
    yield from ((start + at, start + at) for at, bit in enumerate(reversed(f"{bits:b}")) if bit == "1")


def _sections(reader: Reader) -> Iterator[tuple[int, Reader]]:
    while not reader.is_done:
        yield reader.number(1), Reader(reader.string())


def _strings(reader: Reader) -> Iterator[bytes]:
    while not reader.is_done:
        yield reader.string()
