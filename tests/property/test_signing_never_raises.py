"""Whatever bytes stand where keys, lists and signatures are read: our errors, never another, never an endless read."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugseal.encode.bundle import Bundle, parse_bundle, render_bundle
from plugseal.encode.dsse import parse_envelope
from plugseal.encode.sshsig import parse_armor, parse_blob, render_armor
from plugseal.encode.statement import parse_statement
from plugseal.errors import PlugsealError
from plugseal.signing.certificates import parse_certificate
from plugseal.signing.keys import KeyKind, parse_public_key, parse_spki
from plugseal.signing.keys import parse_blob as parse_key
from plugseal.signing.private import parse_private_key
from plugseal.signing.revoked import parse_revoked
from plugseal.signing.signature import SignatureError, dsse_of_ssh, verify_dsse, verify_ssh
from plugseal.signing.signers import parse_signers
from plugseal.signing.team import build_team
from tests import reviewers as people

ALICE, BOB = people.Reviewer("alice"), people.Reviewer("bob", KeyKind.P256)
RECEIPT, SSH_RECEIPT = ALICE.sign()[1], ALICE.sign(as_ssh=True)[1]
ENVELOPE = parse_envelope(SSH_RECEIPT)
BLOB = ENVELOPE.signature
SSH_SIGNATURE = parse_blob(BLOB).signature
KRL = (
    b"SSHKRL\n\0"
    + (1).to_bytes(4, "big")
    + b"\0" * 24
    + b"\0" * 8
    + b"\x01\0\0\0\x24"
    + b"\0" * 8
    + b"\x22\0\0\0\x10"
    + (3).to_bytes(8, "big")
    + b"\0\0\0\x04\0\xff\x0f\x01"
    + b"\x20\0\0\0\x02\x01\x02"
)
READERS: dict[str, tuple[Callable[[bytes], object], bytes]] = {
    "an envelope": (parse_envelope, RECEIPT),
    "a statement": (parse_statement, ENVELOPE.payload),
    "a bundle": (parse_bundle, render_bundle(Bundle(parse_envelope(RECEIPT)))),
    "an SSH signature": (parse_blob, BLOB),
    "armour": (lambda data: parse_armor(data.decode("utf-8", "replace")), render_armor(parse_blob(BLOB)).encode()),
    "a key": (parse_key, BOB.public.blob),
    "a key in PEM": (parse_public_key, BOB.public.pem.encode()),
    "a key's line": (parse_public_key, f"{ALICE.public.line} alice\n".encode()),
    "SubjectPublicKeyInfo": (parse_spki, bytes.fromhex("30820122300d06092a864886f70d01010105000382010f003082010a")),
    "a certificate": (parse_certificate, BLOB),
    "a private key": (lambda data: parse_private_key(data, None, place=""), ALICE.key.render(None)),
    "a list of signers": (parse_signers, ALICE.line('namespaces="a,b",valid-after="20270101Z"').encode()),
    "a list of revoked keys": (parse_revoked, KRL),
    "a plain list of revoked keys": (parse_revoked, f"{ALICE.public.line}\n".encode()),
    "a team": (
        lambda data: build_team({"allowed_signers": ALICE.line().encode(), "team.toml": data}),
        b'audience = "x"\nthreshold = 2\n',
    ),
    "an SSH signature to verify": (lambda data: verify_ssh(BOB.public, b"m", data), SSH_SIGNATURE),
    "a signature to verify": (lambda data: verify_dsse(BOB.public, b"m", data), BOB.key.sign_dsse(b"m")),
    "an agent's signature": (lambda data: dsse_of_ssh(BOB.public, data), BOB.key.sign_ssh(b"m")),
}


@pytest.mark.parametrize(("read", "valid"), READERS.values(), ids=READERS)
@given(st.data())
def test_no_bytes_raise_anything_but_our_errors(
    read: Callable[[bytes], object], valid: bytes, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(valid)))
    cut = data.draw(st.integers(0, 8))
    put = data.draw(st.binary(max_size=12))
    with contextlib.suppress(PlugsealError, SignatureError):
        read(valid[:at] + put + valid[at + cut :])


@pytest.mark.parametrize(("read", "valid"), READERS.values(), ids=READERS)
def test_every_cut_is_one_of_our_errors(read: Callable[[bytes], object], valid: bytes) -> None:
    for at in range(len(valid)):
        with contextlib.suppress(PlugsealError, SignatureError):
            read(valid[:at])


@given(st.binary(max_size=300), st.booleans())
def test_any_file_has_a_status(data: bytes, inside: bool) -> None:
    team = people.team_of_lines(ALICE.line())
    text = RECEIPT[:100] + data + RECEIPT[100 + len(data) :] if inside else data
    assert not people.judge(("x", text), team).status.holds
