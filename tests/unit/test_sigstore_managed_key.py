"""The cases of sigstore-conformance that are signed with a key of one's own: the key is named and judged as there.

What those bundles sign is a file, not a review: as receipts all of them are refused.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from plugseal.encode.bundle import parse_bundle
from plugseal.errors import DataError, KeyRefusedError
from plugseal.signing.keys import KeyKind, PublicKey, parse_public_key
from plugseal.signing.signature import SignatureError, verify_dsse
from plugseal.signing.team import team_of_key

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "sigstore-managed-key.json").read_text(encoding="ascii"))
ARTIFACT = base64.b64decode(VECTORS["artifact"])
CASES = {case["name"]: case for case in VECTORS["cases"]}


def _key(case: dict[str, Any]) -> PublicKey:
    return parse_public_key(case["key"].encode())[0]


def _signature(case: dict[str, Any]) -> bytes:
    return base64.b64decode(case["bundle"]["messageSignature"]["signature"])


@pytest.mark.parametrize("name", ["managed-key-happy-path", "managed-key-and-trusted-root"])
def test_what_the_key_signed_holds_and_the_key_is_the_one_that_is_hinted_at(name: str) -> None:
    case = CASES[name]
    key = _key(case)
    verify_dsse(key, ARTIFACT, _signature(case))
    with pytest.raises(SignatureError):
        verify_dsse(key, ARTIFACT + b" ", _signature(case))
    hint = base64.b64decode(case["bundle"]["verificationMaterial"]["publicKey"]["hint"])
    assert (key.kind, key.keyid) == (KeyKind.P256, hint.hex())


def test_the_wrong_key_is_no_key() -> None:
    with pytest.raises(KeyRefusedError):
        _key(CASES["managed-key-wrong-key_fail"])


def test_without_the_key_nobody_is_known() -> None:
    case = CASES["managed-key-no-key_fail"]
    hint = base64.b64decode(case["bundle"]["verificationMaterial"]["publicKey"]["hint"]).hex()
    from plugseal.signing.private import make_key

    assert case["key"] is None
    assert hint not in team_of_key(make_key(KeyKind.P256).public).by_key


@pytest.mark.parametrize("name", CASES)
def test_a_bundle_over_a_file_is_no_review(name: str) -> None:
    with pytest.raises(DataError):
        parse_bundle(json.dumps(CASES[name]["bundle"]).encode())
