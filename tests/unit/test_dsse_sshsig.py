"""Envelopes, SSH signatures and bundles: one spelling in, the same bytes out."""

from __future__ import annotations

import base64
import json

import pytest

from plugseal.encode.bundle import Bundle, parse_bundle, render_bundle
from plugseal.encode.dsse import Envelope, pae, parse_envelope, render_envelope
from plugseal.encode.sshsig import SshSignature, parse_armor, render_armor
from plugseal.errors import DataError

ENVELOPE = Envelope(b'{"a":1}', "ab" * 32, b"\x01" * 64)
LAID_OUT = json.loads(render_envelope(ENVELOPE))


def test_the_bytes_that_are_signed_are_those_of_the_specification() -> None:
    assert pae("http://example.com/HelloWorld", b"hello world") == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )
    assert pae("application/vnd.in-toto+json", b"x" * 618).startswith(b"DSSEv1 28 application/vnd.in-toto+json 618 x")


def test_an_envelope_survives_a_round_trip() -> None:
    assert parse_envelope(render_envelope(ENVELOPE)) == ENVELOPE


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(json.dumps(LAID_OUT, indent=4).replace("\n", "\r\n").encode(), id="CRLF and indent"),
        pytest.param(b"\xef\xbb\xbf" + render_envelope(ENVELOPE), id="byte order mark"),
        pytest.param(json.dumps(dict(reversed(LAID_OUT.items()))).encode(), id="other order"),
        pytest.param(render_envelope(ENVELOPE).rstrip(b"\n"), id="no line end"),
    ],
)
def test_the_layout_of_an_envelope_is_free(data: bytes) -> None:
    assert parse_envelope(data) == ENVELOPE


def _with(**changes: object) -> bytes:
    return json.dumps({**LAID_OUT, **changes}).encode()


SIG = LAID_OUT["signatures"][0]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(_with(signatures=[]), id="no signature"),
        pytest.param(_with(signatures=[SIG, SIG]), id="two signatures"),
        pytest.param(_with(signatures=[{**SIG, "sig": ""}]), id="empty signature"),
        pytest.param(_with(signatures=[{**SIG, "alg": "none"}]), id="an algorithm of its own"),
        pytest.param(_with(signatures=[{"sig": SIG["sig"]}]), id="no key ID"),
        pytest.param(_with(signatures=[{**SIG, "keyid": SIG["keyid"].upper()}]), id="key ID in capitals"),
        pytest.param(_with(payloadType="application/json"), id="other type"),
        pytest.param(_with(extra=1), id="a field too many"),
        pytest.param(_with(payload="eyJhIjoxfR=="), id="spare bits set"),
        pytest.param(_with(payload="eyJhIjoxfQ"), id="no padding"),
        pytest.param(_with(payload="eyJh\nIjoxfQ=="), id="line break in base64"),
        pytest.param(render_envelope(ENVELOPE) + b"{}", id="trailing data"),
        pytest.param(render_envelope(ENVELOPE).replace(b'"payload":', b'"payload":"","payload":', 1), id="doubled key"),
        pytest.param(b"[" * 100_000, id="deep nesting"),
        pytest.param(b"\xff\xfe{}", id="no UTF-8"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_any_other_envelope_is_refused(data: bytes) -> None:
    with pytest.raises(DataError):
        parse_envelope(data)


def test_a_bundle_survives_a_round_trip_and_names_the_key_once() -> None:
    data = render_bundle(Bundle(ENVELOPE))
    assert parse_bundle(data) == Bundle(ENVELOPE)
    hint = json.loads(data)["verificationMaterial"]["publicKey"]["hint"]
    assert base64.b64decode(hint).hex() == ENVELOPE.keyid


def test_an_ssh_signature_survives_a_round_trip() -> None:
    signature = SshSignature(b"key", "plugin-review@plugseal", b"s" * 90)
    assert parse_armor(render_armor(signature)) == signature
    assert parse_armor(render_armor(signature).replace("\n", "\r\n")) == signature


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text: text.replace("BEGIN", "BEGAN"), id="other begin"),
        pytest.param(lambda text: text + "more\n", id="something behind"),
        pytest.param(lambda text: " " + text, id="something before"),
        pytest.param(lambda text: text.replace("\n", "\n\n", 1), id="empty line"),
        pytest.param(lambda text: "".join(text.split("\n")[:-2]), id="no end"),
    ],
)
def test_any_other_armour_is_refused(change: object) -> None:
    assert callable(change)
    with pytest.raises(DataError):
        parse_armor(change(render_armor(SshSignature(b"key", "n", b"s" * 90))))
