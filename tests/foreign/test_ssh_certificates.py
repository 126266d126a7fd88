"""Certificates and security keys, differential with ssh-keygen; the security key is played by software."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from plugseal.encode.dsse import Envelope, render_envelope
from plugseal.encode.sshsig import NAMESPACE, SshSignature, parse_armor, render_armor, render_blob, signed_bytes
from plugseal.encode.sshwire import ssh_integer, ssh_string
from plugseal.encode.statement import payload_digest, render_statement
from plugseal.model.statement import ReceiptStatus
from plugseal.signing.judge import receipt_name
from plugseal.signing.keys import KeyKind, PublicKey, parse_public_key
from plugseal.signing.private import PrivateKey, make_key
from plugseal.signing.revoked import Revoked, parse_revoked
from plugseal.signing.team import Team
from tests import reviewers as people

pytestmark = pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="needs OpenSSH")
AT = "-Overify-time=20270102120000"


def run(*words: str, cwd: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    environment = {"PATH": os.environ["PATH"], "TZ": "UTC"}
    return subprocess.run(words, input=stdin, cwd=cwd, capture_output=True, env=environment, timeout=60)


def theirs(folder: Path, payload: bytes, armor: str, lines: str, *more: str) -> bool:
    (folder / "allowed").write_text(lines)
    (folder / "x.sig").write_text(armor)
    words = ("ssh-keygen", "-Y", "verify", "-f", "allowed", "-I", "alice", "-n", NAMESPACE, "-s", "x.sig", AT, *more)
    return run(*words, cwd=folder, stdin=payload).returncode == 0


def ours(payload: bytes, armor: str, team: Team, keyid: str) -> ReceiptStatus:
    envelope = Envelope(payload, keyid, render_blob(parse_armor(armor)))
    file = f"reviews/{people.TOKEN}/{receipt_name(keyid, payload_digest(payload))}"
    status: ReceiptStatus = people.judge((file, render_envelope(envelope)), team).status
    return status


def certified(folder: Path, *options: str, kind: str = "ed25519") -> tuple[bytes, str, PublicKey, str]:
    """Sign a statement by a certified key; return payload, armour, the key and the authority's line."""
    for name in ("ca", "user"):
        done = run("ssh-keygen", "-q", "-t", kind, "-N", "", "-C", name, "-f", name, cwd=folder)
        assert done.returncode == 0, done.stderr
    words = ("ssh-keygen", "-q", "-s", "ca", "-I", "the id", "-z", "7", *options, "user.pub")
    done = run(*words, cwd=folder)
    assert done.returncode == 0, done.stderr
    payload = render_statement(people.statement())
    (folder / "m").write_bytes(payload)
    done = run("ssh-keygen", "-q", "-Y", "sign", "-f", "user-cert.pub", "-n", NAMESPACE, "m", cwd=folder)
    assert done.returncode == 0, done.stderr
    user, _ = parse_public_key((folder / "user.pub").read_bytes())
    authority = " ".join((folder / "ca.pub").read_text().split()[:2])
    return payload, (folder / "m.sig").read_text(), user, authority


CERTIFICATES = {
    "for alice": (("-n", "alice"), True),
    "for alice and bob": (("-n", "bob,alice"), True),
    "for bob": (("-n", "bob"), False),
    "of a host": (("-h", "-n", "alice"), False),
    "not yet": (("-n", "alice", "-V", "20990101000000Z:20990201000000Z"), False),
    "no more": (("-n", "alice", "-V", "20200101000000Z:20200201000000Z"), False),
    "now": (("-n", "alice", "-V", "20200101000000Z:20990201000000Z"), True),
}


@pytest.mark.parametrize(("options", "expected"), CERTIFICATES.values(), ids=CERTIFICATES)
@pytest.mark.parametrize("kind", ["ed25519", "ecdsa", "rsa"])
def test_a_certified_key_signs_as_ssh_keygen_says(
    tmp_path: Path, options: tuple[str, ...], expected: bool, kind: str
) -> None:
    payload, armor, key, authority = certified(tmp_path, *options, kind=kind)
    lines = f'* cert-authority,namespaces="{NAMESPACE}" {authority}\n'

    assert theirs(tmp_path, payload, armor, lines) is expected
    assert ours(payload, armor, people.team_of_lines(lines), key.keyid).holds is expected


def test_a_certificate_by_somebody_who_is_no_authority_is_unknown(tmp_path: Path) -> None:
    payload, armor, key, authority = certified(tmp_path, "-n", "alice")
    lines = f'alice namespaces="{NAMESPACE}" {authority}\n'

    assert not theirs(tmp_path, payload, armor, lines)
    assert ours(payload, armor, people.team_of_lines(lines), key.keyid) is ReceiptStatus.UNKNOWN_KEY


def test_a_changed_certificate_is_refused(tmp_path: Path) -> None:
    payload, armor, key, authority = certified(tmp_path, "-n", "alice")
    team = people.team_of_lines(f'* cert-authority,namespaces="{NAMESPACE}" {authority}\n')
    signature = parse_armor(armor)
    for at in range(0, len(signature.key), 7):
        changed = bytearray(signature.key)
        changed[at] ^= 1
        status = ours(payload, render_armor(signature._replace(key=bytes(changed))), team, key.keyid)
        assert not status.holds, at


@pytest.mark.parametrize("what", ["serial: 7", "serial: 1-9", "serial: 8", "id: the id", "id: another", "key", "ca"])
def test_a_revoked_certificate_is_refused_as_by_ssh_keygen(tmp_path: Path, what: str) -> None:
    payload, armor, key, authority = certified(tmp_path, "-n", "alice")
    spec = {"key": (tmp_path / "user.pub").read_text(), "ca": (tmp_path / "ca.pub").read_text()}
    (tmp_path / "spec").write_text(spec.get(what, what + "\n"))
    done = run("ssh-keygen", "-q", "-k", "-f", "krl", "-s", "ca.pub", "spec", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = f'* cert-authority,namespaces="{NAMESPACE}" {authority}\n'
    revoked = parse_revoked((tmp_path / "krl").read_bytes())
    status = ours(payload, armor, people.team_of_lines(lines, revoked=revoked), key.keyid)

    assert theirs(tmp_path, payload, armor, lines, "-r", "krl") is status.holds
    assert status is (ReceiptStatus.VALID if what in ("serial: 8", "id: another") else ReceiptStatus.REVOKED_KEY)


class SecurityKey:
    """A FIDO security key, played by software."""

    def __init__(self, kind: KeyKind) -> None:
        self._key: PrivateKey = make_key(KeyKind.P256 if kind is KeyKind.SK_P256 else KeyKind.ED25519)
        self.public = PublicKey(kind, self._key.public.raw, b"ssh:")

    def sign(self, message: bytes, *, flags: int) -> bytes:
        state = bytes((flags,)) + (5).to_bytes(4, "big")
        digests = [hashlib.sha256(part).digest() for part in (b"ssh:", message)]
        raw = self._key.sign_dsse(digests[0] + state + digests[1])
        name = "sk-ssh-ed25519@openssh.com"
        if self.public.kind is KeyKind.SK_P256:
            from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

            r, s = decode_dss_signature(raw)
            raw, name = ssh_integer(r) + ssh_integer(s), "sk-ecdsa-sha2-nistp256@openssh.com"
        return ssh_string(name.encode()) + ssh_string(raw) + state


@pytest.mark.parametrize("kind", [KeyKind.SK_ED25519, KeyKind.SK_P256])
@pytest.mark.parametrize(("flags", "expected"), [(1, True), (5, True), (0, False), (4, False)])
def test_a_security_key_counts_only_if_it_was_touched(
    tmp_path: Path, kind: KeyKind, flags: int, expected: bool
) -> None:
    token = SecurityKey(kind)
    payload = render_statement(people.statement())
    raw = token.sign(signed_bytes(NAMESPACE, payload), flags=flags)
    armor = render_armor(SshSignature(token.public.blob, NAMESPACE, raw))
    lines = f'alice namespaces="{NAMESPACE}" {token.public.line}\n'
    status = ours(payload, armor, people.team_of_lines(lines), token.public.keyid)

    assert status is (ReceiptStatus.VALID if expected else ReceiptStatus.NO_PRESENCE)
    assert theirs(tmp_path, payload, armor, lines) or not expected


def test_nothing_is_revoked_by_an_empty_list() -> None:
    assert not Revoked().holds(make_key(KeyKind.ED25519).public)
