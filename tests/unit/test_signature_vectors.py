"""Official vectors of signatures: DSSE, SSHSIG, Wycheproof, edge cases of Ed25519, and how cosign hints at a key."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from plugseal.encode.dsse import pae
from plugseal.encode.sshsig import parse_armor, render_armor
from plugseal.errors import DataError, KeyRefusedError
from plugseal.signing.keys import KeyKind, PublicKey, parse_line, parse_public_key, verify_ed25519, verify_p256
from plugseal.signing.signature import SignatureError, verify_dsse, verify_sshsig

VECTORS = Path(__file__).parents[1] / "vectors"
SSHSIG = json.loads((VECTORS / "sshsig.json").read_text(encoding="utf-8"))
UNSUPPORTED = {"ecdsa_sk_webauthn": "webauthn", "mldsa44-ed25519": "a type of 2026"}


def holds(key: PublicKey, message: bytes, signature: bytes) -> bool:
    try:
        verify_dsse(key, message, signature)
    except SignatureError:
        return False
    return True


def test_the_vector_of_dsse_s_specification_holds() -> None:
    # See: https://github.com/secure-systems-lab/dsse/blob/master/protocol.md
    x = 46950820868899156662930047687818585632848591499744589407958293238635476079160
    y = 5640078356564379163099075877009565129882514886557779369047442380624545832820
    key = PublicKey(KeyKind.P256, b"\x04" + x.to_bytes(32, "big") + y.to_bytes(32, "big"))
    signature = base64.b64decode(
        "A3JqsQGtVsJ2O2xqrI5IcnXip5GToJ3F+FnZ+O88SjtR6rDAajabZKciJTfUiHqJPcIAriEGAHTVeCUjW2JIZA=="
    )
    message = pae("http://example.com/HelloWorld", b"hello world")

    assert holds(key, message, signature)
    assert not holds(key, message + b".", signature)


@pytest.mark.parametrize("name", sorted(set(SSHSIG["signatures"]) - set(UNSUPPORTED)))
def test_a_vector_of_openssh_holds(name: str) -> None:
    vector = SSHSIG["signatures"][name]
    key, _ = parse_line(vector["key"])
    signature = parse_armor(vector["signature"])

    presence = verify_sshsig(key, signature, SSHSIG["message"].encode(), namespace=SSHSIG["namespace"])
    assert presence is name.endswith("_sk")
    assert render_armor(signature) == vector["signature"]
    with pytest.raises(SignatureError):
        verify_sshsig(key, signature, SSHSIG["message"].encode() + b".", namespace=SSHSIG["namespace"])
    with pytest.raises(SignatureError):
        verify_sshsig(key, signature, SSHSIG["message"].encode(), namespace="another")


@pytest.mark.parametrize("name", sorted(UNSUPPORTED))
def test_a_vector_of_a_type_that_is_not_supported_is_refused(name: str) -> None:
    vector = SSHSIG["signatures"][name]
    with pytest.raises((SignatureError, KeyRefusedError, DataError)):
        key, _ = parse_line(vector["key"])
        signature = parse_armor(vector["signature"])
        verify_sshsig(key, signature, SSHSIG["message"].encode(), namespace=SSHSIG["namespace"])


class Case(NamedTuple):
    key: bytes
    number: str
    is_valid: bool
    message: bytes
    signature: bytes


def wycheproof(name: str) -> Iterator[Case]:
    key = b""
    for row in (VECTORS / name).read_text(encoding="ascii").splitlines():
        words = row.split()
        if words[0] == "key":
            key = bytes.fromhex(words[1])
        elif words[0] != "#":
            message, signature = (bytes.fromhex(word) if word != "-" else b"" for word in words[2:])
            yield Case(key, words[0], words[1] == "valid", message, signature)


@pytest.mark.parametrize(
    ("name", "kind", "cases"),
    [
        ("wycheproof-ed25519.txt", KeyKind.ED25519, 151),
        ("wycheproof-p256-der.txt", KeyKind.P256, 484),
        ("wycheproof-p256-raw.txt", KeyKind.P256, 262),
    ],
)
def test_every_vector_of_wycheproof_is_judged_right(name: str, kind: KeyKind, cases: int) -> None:
    found = list(wycheproof(name))
    wrong = []
    for case in found:
        (verify_ed25519 if kind is KeyKind.ED25519 else verify_p256)(case.key)
        judged = holds(PublicKey(kind, case.key), case.message, case.signature)
        # A file of DER tests calls 64 bytes a wrong form, and the other way round; both are forms of ours.
        other_form = kind is KeyKind.P256 and judged and not case.is_valid and _is_other_form(name, case.signature)
        if judged is not case.is_valid and not other_form:
            wrong.append(case.number)

    assert wrong == []
    assert len(found) == cases


def _is_other_form(name: str, signature: bytes) -> bool:
    return (len(signature) == 64) is name.endswith("der.txt")


def test_no_key_of_low_order_or_in_a_second_spelling_is_taken() -> None:
    rows = (VECTORS / "ed25519-edge-cases.txt").read_text(encoding="ascii").splitlines()
    vectors = [row.split() for row in rows if not row.startswith("#")]
    accepted, refused = [], 0
    for key, signature, message, flags in vectors:
        try:
            verify_ed25519(bytes.fromhex(key))
        except KeyRefusedError:
            refused += 1
            assert {"low_order_A", "non_canonical_A"} & set(flags.split(",")), key
            continue
        public = PublicKey(KeyKind.ED25519, bytes.fromhex(key))
        if holds(public, message.replace("_", " ").encode(), bytes.fromhex(signature)):
            accepted.append(flags)

    assert len(vectors) == 914
    assert refused == sum("low_order_A" in flags or "non_canonical_A" in flags for *_, flags in vectors)
    assert not [flags for flags in accepted if "low_order_A" in flags or "non_canonical" in flags]


def test_a_key_is_named_as_cosign_hints_at_it() -> None:
    # The key and hint of sigstore-conformance's managed-key-happy-path.
    pem = (
        "-----BEGIN PUBLIC KEY-----\n"
        "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAExRRST79+PsrRBnGAI4cMu6Omz2Jh\n"
        "fwlMW+gIutNKVRaMyS4rQKvgngc5p8UbLj55pVHhIoAxi/SRgURZI0J3Xw==\n"
        "-----END PUBLIC KEY-----\n"
    )
    key, _ = parse_public_key(pem.encode())

    assert base64.b64encode(bytes.fromhex(key.keyid)).decode() == "TLMsSDfG3ajPsWge+z/vX5T/zluXnmvbkTkwLIV68Tk="
    with pytest.raises(KeyRefusedError):
        # That of managed-key-wrong-key_fail: no point of the curve.
        parse_public_key(pem.replace("SRgURZI0J3X", "++++wrongkey").encode())
