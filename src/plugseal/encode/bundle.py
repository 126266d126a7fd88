"""Sigstore bundles with a key of the team's own: an envelope that `cosign` and the Sigstore clients verify offline.

Version 0.3, the key named by a hint, no certificate, no log. See: https://github.com/sigstore/protobuf-specs
"""

from __future__ import annotations

from typing import Final

from plugseal.encode.dsse import Envelope, envelope_json, envelope_of, parse_base64, render_base64
from plugseal.encode.plain import PlainJson, parse_signed_json, render_signed_json
from plugseal.errors import DataError
from plugseal.records import NamedTuple

MEDIA_TYPE: Final = "application/vnd.dev.sigstore.bundle.v0.3+json"
_MAX_BYTES: Final = 1024 * 1024


class Bundle(NamedTuple):
    """An envelope and the hint of its key."""

    envelope: Envelope
    """Its `keyid` is that of the hint."""


def render_bundle(bundle: Bundle) -> bytes:
    """Return a bundle as one line of JSON."""
    envelope = envelope_json(bundle.envelope)
    # In a bundle the key is named once, by the hint: Sigstore's signatures carry no ID.
    envelope["signatures"] = [{"keyid": "", "sig": render_base64(bundle.envelope.signature)}]
    document: dict[str, PlainJson] = {
        "mediaType": MEDIA_TYPE,
        "verificationMaterial": {
            "publicKey": {"hint": render_base64(bytes.fromhex(bundle.envelope.keyid))},
            "tlogEntries": [],
        },
        "dsseEnvelope": envelope,
    }
    return render_signed_json(document) + b"\n"


def parse_bundle(data: bytes) -> Bundle:
    """Return the bundle that `render_bundle` made, in any layout.

    Raises:
        DataError: it is another one; one with a certificate or log entries is not ours to judge.
    """
    value = parse_signed_json(data, max_bytes=_MAX_BYTES)
    if not isinstance(value, dict) or value.keys() != {"mediaType", "verificationMaterial", "dsseEnvelope"}:
        raise DataError("a bundle has `mediaType`, `verificationMaterial` and `dsseEnvelope`, and nothing else")
    material, envelope = value["verificationMaterial"], value["dsseEnvelope"]
    if value["mediaType"] != MEDIA_TYPE:
        raise DataError("is no Sigstore bundle of version 0.3")
    if (
        not isinstance(material, dict)
        or material.keys() != {"publicKey", "tlogEntries"}
        or material["tlogEntries"] != []
    ):
        raise DataError("only a bundle with a public key's hint and without a log is read")
    key = material["publicKey"]
    if not isinstance(key, dict) or key.keys() != {"hint"}:
        raise DataError("the bundle names no key")
    keyid = parse_base64(key["hint"]).hex()
    return Bundle(envelope_of(_with_id(envelope, keyid)))


def _with_id(envelope: object, keyid: str) -> object:
    if not isinstance(envelope, dict):
        return envelope
    signatures = envelope.get("signatures")
    if not isinstance(signatures, list) or not all(isinstance(s, dict) and s.get("keyid") == "" for s in signatures):
        raise DataError("the signature of a bundle has no key ID of its own")
    return {**envelope, "signatures": [{**signature, "keyid": keyid} for signature in signatures]}
