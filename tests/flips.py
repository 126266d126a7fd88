"""Everything that can be changed by one bit in a receipt, a bundle and an SSH signature, and who still accepts it."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from plugseal.encode.bundle import Bundle, parse_bundle, render_bundle
from plugseal.encode.dsse import parse_envelope, render_envelope
from plugseal.encode.sshsig import parse_armor, parse_blob, render_armor
from plugseal.errors import DataError
from plugseal.signing.keys import KeyKind
from plugseal.signing.signature import SignatureError, verify_sshsig
from tests import reviewers as people


class Subject(NamedTuple):
    """Bytes that are accepted, and what says so."""

    name: str
    data: bytes
    accepts: Callable[[bytes], bool]


def subjects() -> Iterator[Subject]:
    """Yield a receipt of each kind, its bundle and its SSH signature."""
    for kind, as_ssh in ((KeyKind.ED25519, False), (KeyKind.P256, False), (KeyKind.ED25519, True)):
        alice = people.Reviewer("alice", kind)
        team = people.team_of_lines(alice.line())
        _, data = alice.sign(as_ssh=as_ssh)
        name = f"{kind.value} {'sshsig' if as_ssh else 'dsse'}"
        # Where the receipt lies says nothing here: its bytes alone must do.
        yield Subject(f"receipt {name}", data, lambda changed, team=team: _receipt(changed, team))
        if as_ssh:
            envelope = parse_envelope(data)
            armor = render_armor(parse_blob(envelope.signature)).encode()
            yield Subject(
                f"sshsig {kind.value}",
                armor,
                lambda changed, key=alice.public, payload=envelope.payload: _armor(changed, key, payload),
            )
        else:
            bundle = render_bundle(Bundle(parse_envelope(data)))
            yield Subject(f"bundle {name}", bundle, lambda changed, team=team: _bundle(changed, team))


def flipped(data: bytes, *, step: int = 1, start: int = 0) -> Iterator[bytes]:
    """Yield the data with one bit changed, each bit in turn or every `step`th."""
    for bit in range(start, len(data) * 8, step):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        yield bytes(changed)


def changed_fields(document: dict[str, Any]) -> Iterator[Any]:
    """Yield a receipt or a bundle with one field changed, removed or added, in the file and in what is signed."""
    yield from _changed(document)
    envelope = document.get("dsseEnvelope", document)
    statement = json.loads(base64.b64decode(envelope["payload"]))
    for changed in _changed(statement):
        payload = json.dumps(changed, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
        other = {**envelope, "payload": base64.b64encode(payload).decode()}
        yield {**document, "dsseEnvelope": other} if "dsseEnvelope" in document else other


def _changed(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, below in value.items():
            yield {k: v for k, v in value.items() if k != key}
            yield from ({**value, key: changed} for changed in _changed(below))
        yield {**value, "another": 1}
    elif isinstance(value, list):
        for at, below in enumerate(value):
            yield [*value[:at], *value[at + 1 :]]
            yield from ([*value[:at], changed, *value[at + 1 :]] for changed in _changed(below))
        yield [*value, *(value[-1:] or [1])]
    elif isinstance(value, str):
        yield from (value + "x", value[:-1] + ("0" if not value.endswith("0") else "1"), None)
    elif isinstance(value, int):
        yield from (value + 1, str(value), not value)
    else:
        yield from ("x", 0)


def _receipt(data: bytes, team: object) -> bool:
    from plugseal.signing.judge import judge_receipt

    return judge_receipt("x", data, team=team, now=people.NOW).status.holds  # type: ignore[arg-type]  # a team


def _bundle(data: bytes, team: object) -> bool:
    try:
        envelope = parse_bundle(data).envelope
    except DataError:
        return False
    return _receipt(render_envelope(envelope), team)


def _armor(data: bytes, key: object, payload: bytes) -> bool:
    try:
        verify_sshsig(key, parse_armor(data.decode("utf-8")), payload)  # type: ignore[arg-type]  # a key
    except (DataError, SignatureError, UnicodeDecodeError):
        return False
    return True
