"""OpenSSL, securesystemslib, Sigstore's npm package and git verify what we sign, and we what securesystemslib signs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from plugseal.encode.bundle import Bundle, render_bundle
from plugseal.encode.dsse import PAYLOAD_TYPE, Envelope, pae, parse_envelope, render_envelope
from plugseal.encode.statement import payload_digest, render_statement
from plugseal.model.statement import ReceiptStatus
from plugseal.signing.judge import receipt_name
from plugseal.signing.keys import KeyKind
from tests import reviewers as people

HERE = Path(__file__).resolve().parent


KINDS = [KeyKind.ED25519, KeyKind.P256]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.skipif(not shutil.which("openssl"), reason="needs OpenSSL")
def test_openssl_verifies_the_signed_bytes(tmp_path: Path, kind: KeyKind) -> None:
    alice = people.Reviewer("alice", kind)
    _, data = alice.sign()
    envelope = parse_envelope(data)
    (tmp_path / "pae").write_bytes(pae(PAYLOAD_TYPE, envelope.payload))
    (tmp_path / "sig").write_bytes(envelope.signature)
    (tmp_path / "key.pem").write_text(alice.public.pem)
    words = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", "key.pem", "-rawin", "-in", "pae", "-sigfile", "sig"]
    if kind is KeyKind.P256:
        words += ["-digest", "sha256"]

    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert "Signature Verified Successfully" in done.stdout, done.stderr
    (tmp_path / "pae").write_bytes(pae(PAYLOAD_TYPE, envelope.payload + b" "))
    assert subprocess.run(words, cwd=tmp_path, capture_output=True, timeout=60).returncode != 0


@pytest.mark.parametrize("kind", KINDS)
def test_securesystemslib_verifies_what_we_sign(kind: KeyKind) -> None:
    dsse = pytest.importorskip("securesystemslib.dsse")
    signer = pytest.importorskip("securesystemslib.signer")
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    alice = people.Reviewer("alice", kind)
    _, data = alice.sign()
    envelope = dsse.Envelope.from_dict(json.loads(data))
    key = signer.SSlibKey.from_crypto(load_pem_public_key(alice.public.pem.encode()), keyid=alice.public.keyid)

    assert envelope.pae() == pae(PAYLOAD_TYPE, parse_envelope(data).payload)
    assert set(envelope.verify([key], 1)) == {alice.public.keyid}
    envelope.payload += b" "
    with pytest.raises(Exception, match="Accepted signatures do not match threshold"):
        envelope.verify([key], 1)


@pytest.mark.parametrize("kind", KINDS)
def test_we_verify_what_securesystemslib_signs(kind: KeyKind) -> None:
    dsse = pytest.importorskip("securesystemslib.dsse")
    signer = pytest.importorskip("securesystemslib.signer")

    alice = people.Reviewer("alice", kind)
    payload = render_statement(people.statement())
    theirs = dsse.Envelope(payload, PAYLOAD_TYPE, {})
    key = signer.SSlibKey.from_crypto(alice.key._key.public_key(), keyid=alice.public.keyid)
    theirs.sign(signer.CryptoSigner(alice.key._key, key))
    data = json.dumps(theirs.to_dict()).encode()
    file = f"reviews/{people.TOKEN}/{receipt_name(alice.public.keyid, payload_digest(payload))}"

    assert people.judge((file, data), people.team_of_lines(alice.line())).status is ReceiptStatus.VALID
    if kind is KeyKind.ED25519:
        assert render_envelope(parse_envelope(data)) == alice.sign()[1]


def _sigstore_folder() -> Path | None:
    """Return where `tests/setup.sh` put Sigstore's npm package."""
    named = os.environ.get("PLUGSEAL_TEST_NODE_MODULES")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = Path(named) if named else cache / "plugseal-tests" / "sigstore-3.1.1" / "node_modules"
    return folder if (folder / "@sigstore" / "verify").is_dir() else None


needs_sigstore = pytest.mark.skipif(
    not shutil.which("node") or _sigstore_folder() is None, reason="needs Node and @sigstore/verify: run tests/run"
)


def _sigstore_says(folder: Path, bundle: bytes, pem: str) -> str:
    (folder / "bundle.json").write_bytes(bundle)
    (folder / "key.pem").write_text(pem)
    modules = _sigstore_folder()
    assert modules is not None
    words = ["node", str(HERE / "verify_bundle.cjs"), str(modules), "bundle.json", "key.pem"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120)
    return done.stdout.strip() or done.stderr.strip()


@needs_sigstore
@pytest.mark.parametrize("kind", KINDS)
def test_sigstore_s_npm_package_verifies_our_bundle(tmp_path: Path, kind: KeyKind) -> None:
    alice, mallory = people.Reviewer("alice", kind), people.Reviewer("mallory", kind)
    envelope = parse_envelope(alice.sign()[1])

    assert _sigstore_says(tmp_path, render_bundle(Bundle(envelope)), alice.public.pem) == "verified"
    assert "SIGNATURE_ERROR" in _sigstore_says(tmp_path, render_bundle(Bundle(envelope)), mallory.public.pem)
    changed = bytearray(envelope.signature)
    changed[-1] ^= 1
    bundle = render_bundle(Bundle(envelope._replace(signature=bytes(changed))))
    assert "SIGNATURE_ERROR" in _sigstore_says(tmp_path, bundle, alice.public.pem)
    bundle = render_bundle(Bundle(envelope._replace(payload=envelope.payload + b" ")))
    assert "SIGNATURE_ERROR" in _sigstore_says(tmp_path, bundle, alice.public.pem)


def _git(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_DATE": "2027-01-02T03:04:05Z",
        "GIT_COMMITTER_DATE": "2027-01-02T03:04:05Z",
    }
    settings = {
        "user.name": "alice",
        "user.email": "alice@example.org",
        "gpg.format": "ssh",
        "user.signingkey": str(folder / "alice"),
        "gpg.ssh.allowedSignersFile": str(folder / "allowed_signers"),
    }
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    return subprocess.run(
        ["git", *options, *words], cwd=folder, capture_output=True, text=True, env=environment, timeout=60
    )


@pytest.mark.skipif(not shutil.which("git") or not shutil.which("ssh-keygen"), reason="needs git and OpenSSH")
def test_one_list_of_signers_verifies_a_commit_and_a_receipt(tmp_path: Path) -> None:
    alice = people.Reviewer("alice")
    alice.write(tmp_path)
    (tmp_path / "allowed_signers").write_text(alice.line(principals="alice"))
    file, data = alice.sign()
    for words in (("init", "-q"), ("commit", "-q", "-S", "--allow-empty", "-m", "x")):
        done = _git(tmp_path, *words)
        assert done.returncode == 0, done.stderr

    assert 'Good "git" signature for alice' in _git(tmp_path, "verify-commit", "HEAD").stderr
    team = people.team_of_lines((tmp_path / "allowed_signers").read_text())
    assert people.judge((file, data), team).status is ReceiptStatus.VALID
    (tmp_path / "allowed_signers").write_text(people.Reviewer("mallory").line())
    assert _git(tmp_path, "verify-commit", "HEAD").returncode != 0


def test_an_envelope_names_its_key_as_cosign_hints_at_it() -> None:
    alice = people.Reviewer("alice", KeyKind.P256)
    envelope = parse_envelope(alice.sign()[1])
    assert isinstance(envelope, Envelope)
    import hashlib

    assert envelope.keyid == hashlib.sha256(alice.public.spki).hexdigest()
