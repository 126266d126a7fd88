"""Public keys: Ed25519, P-256 and RSA, plain or on a security key, in SSH's wire format.

A key is what its raw bytes say. Two keys are the same if these are, whatever their comments, containers or IDs.
Refused at load: points of low order, numbers in another spelling than the only one, points off the curve, RSA that is
short or has an odd exponent.
"""

from __future__ import annotations

import hashlib
import re
from enum import Enum
from typing import Final

from plugseal.encode.dsse import parse_base64, render_base64
from plugseal.encode.sshwire import Reader, ssh_integer, ssh_string
from plugseal.errors import DataError, KeyRefusedError
from plugseal.records import NamedTuple


class KeyKind(str, Enum):
    """What a key signs by."""

    ED25519 = "ed25519"
    P256 = "p256"
    RSA = "rsa"
    SK_ED25519 = "sk-ed25519"
    SK_P256 = "sk-p256"

    @property
    def on_security_key(self) -> bool:
        """Say whether the private part lies on a FIDO security key."""
        return self in (KeyKind.SK_ED25519, KeyKind.SK_P256)


SSH_NAMES: Final = {
    "ssh-ed25519": KeyKind.ED25519,
    "ecdsa-sha2-nistp256": KeyKind.P256,
    "ssh-rsa": KeyKind.RSA,
    "sk-ssh-ed25519@openssh.com": KeyKind.SK_ED25519,
    "sk-ecdsa-sha2-nistp256@openssh.com": KeyKind.SK_P256,
}
CERTIFICATE_SUFFIX: Final = "-cert-v01@openssh.com"
MIN_RSA_BITS: Final = 2048
MAX_RSA_BITS: Final = 8192
_P25519: Final = 2**255 - 19
_SIGN: Final = 1 << 255
_Y8: Final = 2707385501144840649318225287225658788936804267575313519463743609750303402022
_LOW_ORDER: Final = frozenset({0, 1, _P25519 - 1, _Y8, _P25519 - _Y8})
"""The y of every point whose order divides 8."""
_SPKI_ED25519: Final = bytes.fromhex("302a300506032b6570032100")
_SPKI_P256: Final = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d030107034200")
_RSA_ALGORITHM: Final = bytes.fromhex("300d06092a864886f70d0101010500")


class PublicKey(NamedTuple):
    """One public key."""

    kind: KeyKind
    raw: bytes
    """What makes it this key: 32 bytes, an uncompressed point, or the modulus and exponent in DER."""
    application: bytes = b""
    """What a security key is told that it signs for; empty elsewhere."""

    @property
    def blob(self) -> bytes:
        """Return the key in SSH's wire format."""
        name = ssh_string(_NAME_OF[self.kind].encode("ascii"))
        if self.kind is KeyKind.RSA:
            modulus, exponent = rsa_numbers(self.raw)
            return name + ssh_integer(exponent) + ssh_integer(modulus)
        curve = ssh_string(b"nistp256") if self.kind in (KeyKind.P256, KeyKind.SK_P256) else b""
        application = ssh_string(self.application) if self.kind.on_security_key else b""
        return name + curve + ssh_string(self.raw) + application

    @property
    def spki(self) -> bytes:
        """Return the raw key as SubjectPublicKeyInfo, in DER."""
        if self.kind in (KeyKind.ED25519, KeyKind.SK_ED25519):
            return _SPKI_ED25519 + self.raw
        if self.kind in (KeyKind.P256, KeyKind.SK_P256):
            return _SPKI_P256 + self.raw
        return _der(0x30, _RSA_ALGORITHM + _der(0x03, b"\0" + self.raw))

    @property
    def keyid(self) -> str:
        """Return the key's ID: SHA-256 of its SubjectPublicKeyInfo, of its SSH format where it is on a security key."""
        return hashlib.sha256(self.blob if self.kind.on_security_key else self.spki).hexdigest()

    @property
    def fingerprint(self) -> str:
        """Return the fingerprint that OpenSSH shows."""
        return "SHA256:" + render_base64(hashlib.sha256(self.blob).digest()).rstrip("=")

    @property
    def line(self) -> str:
        """Return the key as OpenSSH writes it, without a comment."""
        return f"{_NAME_OF[self.kind]} {render_base64(self.blob)}"

    @property
    def pem(self) -> str:
        """Return the raw key as other tools read it: SubjectPublicKeyInfo in PEM."""
        text = render_base64(self.spki)
        rows = [text[start : start + 64] for start in range(0, len(text), 64)]
        return "\n".join(["-----BEGIN PUBLIC KEY-----", *rows, "-----END PUBLIC KEY-----", ""])


_NAME_OF: Final = {kind: name for name, kind in SSH_NAMES.items()}


def parse_blob(blob: bytes) -> PublicKey:
    """Return the key in SSH's wire format.

    Raises:
        KeyRefusedError: it is of another kind, weak, or not in its only spelling.
    """
    try:
        reader = Reader(blob)
        name = reader.string().decode("ascii")
        if name not in SSH_NAMES:
            raise KeyRefusedError(f"a key of the type `{name[:60]}` is not supported", hint=_HINT)
        found = read_key(reader, SSH_NAMES[name])
        reader.end()
    except (DataError, UnicodeDecodeError) as error:
        raise KeyRefusedError("the key is damaged") from error
    if found.blob != blob:
        raise KeyRefusedError("the key is not in its only spelling")
    return found


def read_key(reader: Reader, kind: KeyKind) -> PublicKey:
    """Return the key whose fields come next, after its name.

    Raises:
        DataError: they are damaged.
        KeyRefusedError: it is weak.
    """
    if kind is KeyKind.RSA:
        exponent = reader.integer()
        return _rsa(reader.integer(), exponent)
    if kind in (KeyKind.P256, KeyKind.SK_P256) and reader.string() != b"nistp256":
        raise KeyRefusedError("the key is on another curve than it says")
    raw = reader.string()
    application = reader.string() if kind.on_security_key else b""
    if kind in (KeyKind.ED25519, KeyKind.SK_ED25519):
        verify_ed25519(raw)
    else:
        verify_p256(raw)
    return PublicKey(kind, raw, application)


def is_certificate(blob: bytes) -> bool:
    """Say whether bytes in SSH's wire format are a certificate rather than a key."""
    try:
        return Reader(blob).string().endswith(CERTIFICATE_SUFFIX.encode("ascii"))
    except DataError:
        return False


def parse_line(text: str) -> tuple[PublicKey, str]:
    """Return the key and the comment in one line as OpenSSH writes them.

    Raises:
        KeyRefusedError: it is no such line, or the key is refused.
    """
    # Only what OpenSSH takes for a space separates: another parser must not see other words.
    words = re.split(r"[ \t]+", text.strip(" \t\r\n"), maxsplit=2)
    if len(words) < 2 or words[0] not in SSH_NAMES:
        raise KeyRefusedError("is no public key of a supported type", hint=_HINT)
    key = parse_blob(decode_word(words[1]))
    if _NAME_OF[key.kind] != words[0]:
        raise KeyRefusedError("the key is of another type than its line says")
    return key, words[2].strip() if len(words) == 3 else ""


def decode_word(word: str) -> bytes:
    """Return the bytes of a key's base64.

    Raises:
        KeyRefusedError: it is no base64 in its only spelling.
    """
    try:
        blob = parse_base64(word)
    except DataError:
        blob = b""
    if not blob:
        raise KeyRefusedError("the key is no base64")
    return blob


def parse_public_key(data: bytes) -> tuple[PublicKey, str]:
    """Return the key and the comment in a file: OpenSSH's line, or SubjectPublicKeyInfo in PEM.

    Raises:
        KeyRefusedError: it holds anything else, or the key is refused.
    """
    try:
        text = data[: 64 * 1024].decode("utf-8")
    except UnicodeDecodeError as error:
        raise KeyRefusedError("is no public key") from error
    rows = [row for row in text.splitlines() if row.strip() and not row.startswith("#")]
    if rows and rows[0].strip() == "-----BEGIN PUBLIC KEY-----" and rows[-1].strip() == "-----END PUBLIC KEY-----":
        return parse_spki(decode_word("".join(row.strip() for row in rows[1:-1]))), ""
    if len(rows) != 1:
        raise KeyRefusedError("a file of a public key holds one line", hint=_HINT)
    return parse_line(rows[0])


def parse_spki(der: bytes) -> PublicKey:
    """Return the key in SubjectPublicKeyInfo.

    Raises:
        KeyRefusedError: it is of another kind, weak, or not in its only spelling.
    """
    if der.startswith(_SPKI_ED25519):
        raw = der[len(_SPKI_ED25519) :]
        verify_ed25519(raw)
        return PublicKey(KeyKind.ED25519, raw)
    if der.startswith(_SPKI_P256):
        raw = der[len(_SPKI_P256) :]
        verify_p256(raw)
        return PublicKey(KeyKind.P256, raw)
    at = der.find(_RSA_ALGORITHM)
    start = der.find(b"\0\x30", at)
    if 0 < at < start:
        modulus, exponent = rsa_numbers(der[start + 1 :])
        found = _rsa(modulus, exponent)
        if found.spki == der:
            return found
    raise KeyRefusedError("is no public key of a supported type", hint=_HINT)


def verify_ed25519(raw: bytes) -> None:
    """Refuse a point that no honest key is: of low order, or in a second spelling.

    Raises:
        KeyRefusedError: it is one.
    """
    if len(raw) != 32:
        raise KeyRefusedError("an Ed25519 key has 32 bytes")
    y = int.from_bytes(raw, "little") & (_SIGN - 1)
    if y >= _P25519:
        raise KeyRefusedError("the Ed25519 key is not in its only spelling")
    if y in _LOW_ORDER:
        raise KeyRefusedError("the Ed25519 key is a point of low order: anybody can sign for it")


def verify_p256(raw: bytes) -> None:
    """Refuse what is no uncompressed point of P-256.

    Raises:
        KeyRefusedError: it is none.
    """
    if len(raw) != 65 or raw[0] != 4:
        raise KeyRefusedError("a P-256 key is an uncompressed point")
    x, y = int.from_bytes(raw[1:33], "big"), int.from_bytes(raw[33:], "big")
    if x >= _P256 or y >= _P256 or (y * y - (x * x * x - 3 * x + _P256_B)) % _P256:
        raise KeyRefusedError("the P-256 key is no point of the curve")


_P256: Final = 2**256 - 2**224 + 2**192 + 2**96 - 1
_P256_B: Final = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B


def rsa_numbers(der: bytes) -> tuple[int, int]:
    """Return modulus and exponent of an RSAPublicKey.

    Raises:
        KeyRefusedError: it is none in its only spelling.
    """
    numbers = []
    at = _der_header(der, 0, 0x30)
    while at < len(der):
        start = _der_header(der, at, 0x02)
        size = _der_size(der, at)
        numbers.append(int.from_bytes(der[start : start + size], "big"))
        at = start + size
    if len(numbers) != 2 or _rsa_der(*numbers) != der:
        raise KeyRefusedError("the RSA key is damaged")
    return numbers[0], numbers[1]


def _rsa(modulus: int, exponent: int) -> PublicKey:
    if not MIN_RSA_BITS <= modulus.bit_length() <= MAX_RSA_BITS or not modulus % 2:
        raise KeyRefusedError(f"an RSA key has {MIN_RSA_BITS:,} to {MAX_RSA_BITS:,} bits", hint=_HINT)
    if exponent < 3 or not exponent % 2 or exponent.bit_length() > 64:
        raise KeyRefusedError("the exponent of the RSA key is weak")
    return PublicKey(KeyKind.RSA, _rsa_der(modulus, exponent))


def _rsa_der(modulus: int, exponent: int) -> bytes:
    return _der(0x30, b"".join(_der(0x02, ssh_integer(number)[4:]) for number in (modulus, exponent)))


def _der(tag: int, content: bytes) -> bytes:
    size = len(content)
    if size < 128:
        return bytes((tag, size)) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(length))) + length + content


def _der_header(der: bytes, at: int, tag: int) -> int:
    if at + 2 > len(der) or der[at] != tag:
        raise KeyRefusedError("the key is damaged")
    return at + 2 + (der[at + 1] & 0x7F if der[at + 1] >= 128 else 0)


def _der_size(der: bytes, at: int) -> int:
    first = der[at + 1]
    return first if first < 128 else int.from_bytes(der[at + 2 : at + 2 + (first & 0x7F)], "big")


_HINT: Final = "make one with `plugseal key new`, or use Ed25519, P-256 or RSA of at least 2,048 bits"
