"""DSSE: the envelope around a signed statement, and the bytes that are signed.

    PAE = "DSSEv1" SP len(type) SP type SP len(payload) SP payload

An envelope of ours holds one signature: one reviewer, one statement, one file. Its layout is free, so that git, editors
and formatters may change it; its fields are not. See: https://github.com/secure-systems-lab/dsse/blob/master/protocol.md
"""

from __future__ import annotations

import binascii
from typing import Final

from plugseal.encode.plain import PlainJson, parse_signed_json, render_signed_json
from plugseal.errors import DataError
from plugseal.records import NamedTuple

PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
MAX_ENVELOPE_BYTES: Final = 1024 * 1024
_HEX: Final = frozenset("0123456789abcdef")


class Envelope(NamedTuple):
    """A payload with its one signature."""

    payload: bytes
    keyid: str
    """64 hex digits; a hint until the key is found and the signature holds."""
    signature: bytes
    payload_type: str = PAYLOAD_TYPE


def pae(payload_type: str, payload: bytes) -> bytes:
    """Return the bytes that a DSSE signature is over."""
    kind = payload_type.encode("utf-8")
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def render_envelope(envelope: Envelope) -> bytes:
    """Return an envelope as one line of JSON.

    `parse_envelope(render_envelope(x)) == x`
    """
    return render_signed_json(envelope_json(envelope)) + b"\n"


def parse_envelope(data: bytes) -> Envelope:
    """Return the envelope in a file, whatever its layout.

    Raises:
        DataError: its fields are others, it has not exactly one signature, or a value could be spelled otherwise.
    """
    return envelope_of(parse_signed_json(data, max_bytes=MAX_ENVELOPE_BYTES))


def envelope_of(value: object) -> Envelope:
    """Return the envelope that parsed JSON is.

    Raises:
        DataError: as `parse_envelope`.
    """
    if not isinstance(value, dict) or value.keys() != {"payload", "payloadType", "signatures"}:
        raise DataError("an envelope has the fields `payload`, `payloadType` and `signatures`, and no others")
    if value["payloadType"] != PAYLOAD_TYPE:
        raise DataError(f"the payload type is not `{PAYLOAD_TYPE}`")
    signatures = value["signatures"]
    if not isinstance(signatures, list) or len(signatures) != 1:
        raise DataError("an envelope has exactly one signature")
    (one,) = signatures
    if not isinstance(one, dict) or one.keys() != {"keyid", "sig"}:
        raise DataError("a signature has the fields `keyid` and `sig`, and no others")
    if not is_sha256(one["keyid"]):
        raise DataError("a key's ID is 64 hex digits")
    signature = parse_base64(one["sig"])
    if not signature:
        raise DataError("the signature is empty")
    return Envelope(parse_base64(value["payload"]), str(one["keyid"]), signature)


def is_sha256(value: object) -> bool:
    """Say whether a value is a SHA-256 as it is written here: 64 lower-case hex digits."""
    return isinstance(value, str) and len(value) == 64 and _HEX.issuperset(value)


def parse_base64(text: object) -> bytes:
    """Return the bytes of base64 that has only one spelling.

    Raises:
        DataError: it is no text, or no base64, or its spare bits are not zero.
    """
    try:
        # The decoder passes over what is no base64; writing it again shows whether anything was.
        data = binascii.a2b_base64(text) if isinstance(text, str) else None
    except (binascii.Error, ValueError):
        data = None
    if data is None or render_base64(data) != text:
        raise DataError("is not base64 in its only spelling")
    return data


def render_base64(data: bytes) -> str:
    """Return bytes in base64."""
    return binascii.b2a_base64(data, newline=False).decode("ascii")


def envelope_json(envelope: Envelope) -> dict[str, PlainJson]:
    """Return an envelope as JSON data, for a document that holds one."""
    return {
        "payload": render_base64(envelope.payload),
        "payloadType": envelope.payload_type,
        "signatures": [{"keyid": envelope.keyid, "sig": render_base64(envelope.signature)}],
    }
