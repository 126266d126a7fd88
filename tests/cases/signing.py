"""Checks of signed receipts: keys, receipts and what is done to them, put to the command line."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

Run = Callable[..., Any]
"""Runs a command line and returns its exit code, output and errors."""


class Made(NamedTuple):
    """A signed receipt of a case's plugin, with the key that signed it."""

    folder: Path
    plugin: Path
    key: Path
    public: Path
    receipt: Path


def make(case: Any, run: Run, *, name: str = "alice", kind: str = "ed25519") -> Made:
    """Make a key and sign the case's plugin by it."""
    folder = Path(case.root) / "signing"
    key = folder / f"{name}.key"
    if not key.exists():
        assert run("key", "new", str(folder / name), "--type", kind).code == 0
    plugin = Path(case.main_tree) / "plugin"
    reviews = folder / f"reviews-{name}"
    ran = run("receipt", "sign", str(plugin), "--key", str(key), "--reviews", str(reviews))
    assert ran.code == 0, ran.errors
    (receipt,) = reviews.rglob("*.dsse.json")
    return Made(folder, plugin, key, folder / f"{name}.pub", receipt)


def verify(made: Made, run: Run, *, data: bytes | None = None, public: Path | None = None) -> tuple[int, str]:
    """Verify a receipt, or other bytes in its place; return the exit code and the status."""
    path = made.receipt
    if data is not None:
        path = made.folder / "changed.dsse.json"
        path.write_bytes(data)
    words = ("receipt", "verify", str(path), "--key", str(public or made.public), "--format", "json")
    ran = run(*words)
    return ran.code, json.loads(ran.out)["receipts"][0]["status"]


def mutate_every_leaf(case: Any, check: dict[str, Any], run: Run) -> None:
    """Change each value of a receipt, in the envelope and in what is signed, and ask each time."""
    made = make(case, run)
    assert verify(made, run) == (0, "valid")
    envelope = json.loads(made.receipt.read_bytes())
    for changed in [*_mutations(envelope), *_signed_mutations(envelope)]:
        code, status = verify(made, run, data=json.dumps(changed).encode())
        assert (code, check["expect"]) == (1, "invalid"), status


def _signed_mutations(envelope: dict[str, Any]) -> Iterator[dict[str, Any]]:
    statement = json.loads(base64.b64decode(envelope["payload"]))
    for changed in _mutations(statement):
        payload = json.dumps(changed, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
        yield {**envelope, "payload": base64.b64encode(payload).decode()}


def _mutations(value: Any) -> Iterator[Any]:
    """Yield copies of a document with one leaf changed, one removed or one put beside it."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield {k: v for k, v in value.items() if k != key}
            yield from ({**value, key: changed} for changed in _mutations(below))
        yield {**value, "another": 1}
    elif isinstance(value, list):
        for at, below in enumerate(value):
            yield [*value[:at], *value[at + 1 :]]
            yield from ([*value[:at], changed, *value[at + 1 :]] for changed in _mutations(below))
        yield [*value, *value[-1:]]
    elif isinstance(value, str):
        yield from (value + "x", value[:-1] + ("0" if not value.endswith("0") else "1"), None)
    elif isinstance(value, int):
        yield from (value + 1, str(value), not value)
    else:
        yield from ("x", 0)


def verify_invalid(case: Any, check: dict[str, Any], run: Run) -> None:
    """Try each trick that a file of the case names."""
    made = make(case, run)
    other = make(case, run, name="mallory", kind="p256")
    envelope = json.loads(made.receipt.read_bytes())
    foreign = json.loads(other.receipt.read_bytes())["signatures"][0]
    own = envelope["signatures"][0]
    tricks: dict[str, bytes] = {
        "no-signature": _laid({**envelope, "signatures": []}),
        "empty-signature": _laid({**envelope, "signatures": [{**own, "sig": ""}]}),
        "alg-none": _laid({**envelope, "signatures": [{**own, "sig": "", "alg": "none"}]}),
        "alg-confusion": _laid({**envelope, "signatures": [{**own, "sig": foreign["sig"]}]}),
        "foreign-signature": _laid({**envelope, "signatures": [foreign]}),
        "wrong-kid": _laid({**envelope, "signatures": [{**own, "keyid": foreign["keyid"]}]}),
        "one-of-two-bad": _laid({**envelope, "signatures": [own, foreign]}),
        "trailing-data": made.receipt.read_bytes() + b"{}",
    }
    for trick in json.loads((Path(case.main_tree) / check["file"]).read_text("utf-8")):
        assert trick in tricks, f"no adapter for the trick `{trick}` yet"
        code, status = verify(made, run, data=tricks[trick])
        assert code == 1, f"{trick}: {status}"


def _laid(envelope: dict[str, Any]) -> bytes:
    return json.dumps(envelope).encode()


def verify_statuses(case: Any, check: dict[str, Any], run: Run) -> None:
    """Sign by a current, a retired and an unknown key, damage one, and compare what is said of each."""
    current, retired = make(case, run), make(case, run, name="bob", kind="p256")
    unknown = make(case, run, name="mallory")
    lines = [
        f'alice namespaces="plugin-review@plugseal" {current.public.read_text()}',
        f'bob namespaces="plugin-review@plugseal",valid-before="20200101000000Z" {retired.public.read_text()}',
    ]
    team = current.folder / "team"
    team.mkdir()
    (team / "allowed_signers").write_text("".join(lines))
    old = _backdated(retired)
    damaged = json.loads(current.receipt.read_bytes())
    flipped = bytearray(base64.b64decode(damaged["signatures"][0]["sig"]))
    flipped[0] ^= 1
    damaged["signatures"][0]["sig"] = base64.b64encode(flipped).decode()
    found = []
    for data in (current.receipt.read_bytes(), old, unknown.receipt.read_bytes(), _laid(damaged)):
        path = current.folder / "one.dsse.json"
        path.write_bytes(data)
        ran = run("receipt", "verify", str(path), "--team", str(team), "--format", "json")
        status = json.loads(ran.out)["receipts"][0]["status"]
        assert ran.code == (0 if status.startswith("valid") else 1)
        found.append(status)
    assert found == check["expect"]


def _backdated(made: Made) -> bytes:
    """Return a receipt by the same key that was made before the key was retired."""
    from plugseal.encode.dsse import parse_envelope
    from plugseal.encode.statement import parse_statement
    from plugseal.signing.private import read_private_key
    from plugseal.signing.sign import sign_statement

    statement = parse_statement(parse_envelope(made.receipt.read_bytes()).payload)
    old = statement._replace(created="2019-06-01T00:00:00Z")
    return sign_statement(old, read_private_key(made.key), as_ssh=False).data


def sign_refuses(case: Any, check: dict[str, Any], run: Run) -> None:
    """Try to sign without a key that may be used; nothing may be written, and no key made."""
    made = make(case, run)
    key = made.key.read_bytes()
    variants: dict[str, list[str]] = {"no-key": []}
    for name in ("unreadable-key", "world-readable-key", "wrong-passphrase", "wrong-type"):
        variants[name] = ["--key", str(made.folder / f"{name}.key")]
    for name in ("unreadable-key", "world-readable-key"):
        (made.folder / f"{name}.key").write_bytes(key)
    (made.folder / "unreadable-key.key").chmod(0)
    (made.folder / "world-readable-key.key").chmod(0o644)
    _encrypted(made.folder, run)
    variants["wrong-passphrase"] += ["--passphrase-file", str(made.folder / "wrong")]
    _wrong_type(made.folder / "wrong-type.key")
    for name in check["variants"]:
        assert name in variants, f"no adapter for the variant `{name}` yet"
        reviews = made.folder / f"reviews-{name}"
        before = sorted(os.listdir(made.folder))
        ran = run("receipt", "sign", str(made.plugin), *variants[name], "--reviews", str(reviews))
        assert ran.code != 0, name
        assert ran.errors.startswith("error: "), name
        assert sorted(os.listdir(made.folder)) == before, name


def _encrypted(folder: Path, run: Run) -> None:
    for name in ("right", "wrong"):
        (folder / name).write_text(f"{name} passphrase\n")
        (folder / name).chmod(0o600)
    name = str(folder / "wrong-passphrase")
    assert run("key", "new", name, "--passphrase-file", str(folder / "right")).code == 0


def _wrong_type(path: Path) -> None:
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    path.chmod(0o600)


def verify_layouts(case: Any, check: dict[str, Any], run: Run) -> None:
    """Change a receipt's layout as git, editors and formatters do; it holds all the same."""
    made = make(case, run)
    data = made.receipt.read_bytes()
    value = json.loads(data)
    layouts = {
        "crlf": data.replace(b"\n", b"\r\n"),
        "bom": b"\xef\xbb\xbf" + data,
        "reindent": json.dumps(value, indent=4).encode() + b"\n",
        "sorted-keys": json.dumps(value, sort_keys=True, indent=2).encode(),
        "no-final-newline": data.rstrip(b"\n"),
    }
    document = made.receipt.with_name("capabilities.json")
    reviewed = json.loads(document.read_bytes())
    for name in json.loads((Path(case.main_tree) / check["file"]).read_text("utf-8")):
        assert name in layouts, f"no adapter for the layout `{name}` yet"
        made.receipt.write_bytes(layouts[name])
        document.write_text(json.dumps(reviewed, indent=3))
        ran = run("receipt", "verify", str(made.receipt), str(made.plugin), "--key", str(made.public))
        assert (ran.code, check["expect"]) == (0, "valid"), f"{name}: {ran.out}"


CHECKS: dict[str, Callable[[Any, dict[str, Any], Run], None]] = {
    "mutate_every_leaf": mutate_every_leaf,
    "verify_invalid": verify_invalid,
    "verify_statuses": verify_statuses,
    "sign_refuses": sign_refuses,
    "verify_layouts": verify_layouts,
}
