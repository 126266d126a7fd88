"""OpenSSH's own programs verify what we sign, and we verify what they sign; where both decide, we are never laxer."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from plugseal.encode.dsse import Envelope, parse_envelope, render_envelope
from plugseal.encode.sshsig import NAMESPACE, parse_armor, parse_blob, render_armor, render_blob
from plugseal.encode.statement import payload_digest, render_statement
from plugseal.errors import KeyRefusedError
from plugseal.model.statement import ReceiptStatus
from plugseal.signing.agent import Agent, AgentSigner, find_agent_key
from plugseal.signing.judge import receipt_name
from plugseal.signing.keys import KeyKind, parse_public_key
from plugseal.signing.private import read_private_key
from plugseal.signing.revoked import parse_revoked
from plugseal.signing.sign import sign_message, sign_statement
from plugseal.signing.signature import verify_sshsig
from tests import reviewers as people

pytestmark = pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="needs OpenSSH")
KEYGEN_TYPES = {"ed25519": ["-t", "ed25519"], "p256": ["-t", "ecdsa", "-b", "256"], "rsa": ["-t", "rsa", "-b", "3072"]}


def keygen(*words: str, stdin: bytes = b"", check: bool = True) -> int:
    environment = {"PATH": os.environ["PATH"], "TZ": "Asia/Tokyo", "HOME": "/nonexistent"}
    done = subprocess.run(["ssh-keygen", *words], input=stdin, capture_output=True, env=environment, timeout=60)
    assert not check or done.returncode == 0, done.stderr.decode()
    return done.returncode


def new_key(folder: Path, name: str, kind: str) -> Path:
    keygen("-q", *KEYGEN_TYPES[kind], "-N", "", "-C", name, "-f", str(folder / name))
    return folder / name


def keygen_verifies(
    folder: Path, message: bytes, signature: str, *, name: str, lines: str, more: tuple[str, ...] = ()
) -> bool:
    """Ask ssh-keygen what it says of a signature."""
    (folder / "allowed").write_text(lines)
    (folder / "m.sig").write_text(signature)
    words = ("-Y", "verify", "-f", "allowed", "-I", name, "-n", NAMESPACE, "-s", "m.sig", *more)
    here = os.getcwd()
    os.chdir(folder)
    try:
        return keygen(*words, stdin=message, check=False) == 0
    finally:
        os.chdir(here)


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    """Start an agent, and end it."""
    path = tmp_path / "agent.sock"
    program = subprocess.Popen(["ssh-agent", "-D", "-a", str(path)], stdout=subprocess.DEVNULL)
    try:
        for _ in range(1000):
            if path.exists():
                break
            program.poll()
            os.sched_yield()
            subprocess.run(["true"], check=True)
        yield Agent(str(path))
    finally:
        program.terminate()
        program.wait(timeout=60)


def add_to(agent_path: str, key: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "SSH_AUTH_SOCK": agent_path}
    subprocess.run(["ssh-add", "-q", str(key)], env=environment, check=True, timeout=60, capture_output=True)


@pytest.mark.parametrize("kind", [KeyKind.ED25519, KeyKind.P256])
def test_ssh_keygen_verifies_what_a_key_file_signs(tmp_path: Path, kind: KeyKind) -> None:
    alice = people.Reviewer("alice", kind)
    payload = render_statement(people.statement())
    signature = render_armor(sign_message(payload, alice.key))

    assert keygen_verifies(tmp_path, payload, signature, name="alice", lines=alice.line())
    assert not keygen_verifies(tmp_path, payload + b" ", signature, name="alice", lines=alice.line())


@pytest.mark.parametrize("kind", ["ed25519", "p256", "rsa"])
def test_we_verify_what_ssh_keygen_signs(tmp_path: Path, kind: str) -> None:
    path = new_key(tmp_path, "alice", kind)
    payload = render_statement(people.statement())
    (tmp_path / "m").write_bytes(payload)
    keygen("-q", "-Y", "sign", "-f", str(path), "-n", NAMESPACE, str(tmp_path / "m"))
    text = (tmp_path / "m.sig").read_text()
    public, _ = parse_public_key(path.with_suffix(".pub").read_bytes())
    signature = parse_armor(text)

    verify_sshsig(public, signature, payload)
    assert render_armor(signature) == text
    envelope = Envelope(payload, public.keyid, render_blob(signature))
    team = people.team_of_lines(f"alice {people.NAMESPACES} {public.line}")
    file = f"reviews/{people.TOKEN}/{receipt_name(public.keyid, payload_digest(payload))}"
    assert people.judge((file, render_envelope(envelope)), team).status is ReceiptStatus.VALID


def test_our_ssh_signature_by_ed25519_is_ssh_keygen_s_to_the_byte(tmp_path: Path) -> None:
    path = new_key(tmp_path, "alice", "ed25519")
    payload = render_statement(people.statement())
    (tmp_path / "m").write_bytes(payload)
    keygen("-q", "-Y", "sign", "-f", str(path), "-n", NAMESPACE, str(tmp_path / "m"))

    assert render_armor(sign_message(payload, read_private_key(path))) == (tmp_path / "m.sig").read_text()


@pytest.mark.parametrize("kind", ["ed25519", "p256", "rsa"])
def test_an_agent_s_receipts_hold_in_both_forms_and_ssh_keygen_verifies_them(
    tmp_path: Path, agent: Agent, kind: str
) -> None:
    path = new_key(tmp_path, "alice", kind)
    add_to(str(tmp_path / "agent.sock"), path)
    key = find_agent_key(agent, "alice").public
    team = people.team_of_lines(f"alice {people.NAMESPACES} {key.line}")

    for as_ssh in (True, False):
        signed = sign_statement(people.statement(), AgentSigner(agent, key), as_ssh=as_ssh)
        assert people.judge(people.file_of(signed), team).status is ReceiptStatus.VALID
    signed = sign_statement(people.statement(), AgentSigner(agent, key), as_ssh=True)
    envelope = parse_envelope(signed.data)
    armor = render_armor(parse_blob(envelope.signature))
    lines = f"alice {people.NAMESPACES} {key.line}\n"
    assert keygen_verifies(tmp_path, envelope.payload, armor, name="alice", lines=lines)


def test_an_agent_that_has_no_such_key_is_an_error(agent: Agent) -> None:
    with pytest.raises(KeyRefusedError):
        find_agent_key(agent, "alice")


def test_a_key_file_that_we_write_is_one_that_ssh_keygen_reads(tmp_path: Path) -> None:
    alice = people.Reviewer("alice")
    path = alice.write(tmp_path, b"a passphrase")
    done = subprocess.run(
        ["ssh-keygen", "-y", "-P", "a passphrase", "-f", str(path)], capture_output=True, text=True, timeout=60
    )

    assert done.stdout.split()[:2] == alice.public.line.split()
    with pytest.raises(KeyRefusedError, match="passphrase"):
        read_private_key(path, b"another")
    assert read_private_key(path, b"a passphrase").public == alice.public


NS = NAMESPACE
QUESTIONS = {
    "listed for reviews": ('alice namespaces="{ns}" {key}', "alice", True),
    "for git and reviews": ('alice namespaces="git,{ns}" {key}', "alice", True),
    "for a pattern of namespaces": ('alice namespaces="plugin-review@*" {key}', "alice", True),
    "for all but reviews": ('alice namespaces="!{ns},*" {key}', "alice", False),
    "for git alone": ('alice namespaces="git" {key}', "alice", False),
    "for anything": ("alice {key}", "alice", None),
    "another name": ('bob namespaces="{ns}" {key}', "alice", False),
    "another case": ('Alice namespaces="{ns}" {key}', "alice", False),
    "a pattern": ('ali* namespaces="{ns}" {key}', "alice", True),
    "a pattern that leaves alice out": ('"!alice,*" namespaces="{ns}" {key}', "alice", False),
    "several names": ('bob,alice namespaces="{ns}" {key}', "alice", True),
    "not yet": ('alice namespaces="{ns}",valid-after="20990101000000Z" {key}', "alice", False),
    "no more": ('alice namespaces="{ns}",valid-before="20200101000000Z" {key}', "alice", False),
    "now": ('alice namespaces="{ns}",valid-after="20200101Z",valid-before="20990101Z" {key}', "alice", True),
    "an option twice": ('alice namespaces="{ns}",namespaces="{ns}" {key}', "alice", False),
    "an unknown option": ('alice friend,namespaces="{ns}" {key}', "alice", False),
    "an authority, signed by its own key": ('alice cert-authority,namespaces="{ns}" {key}', "alice", False),
    "another key": ('alice namespaces="{ns}" {other}', "alice", False),
    "the second of two lines": ('bob namespaces="{ns}" {key}\nalice namespaces="{ns}" {key}', "alice", True),
    "a comment before": ('# alice\n\nalice namespaces="{ns}" {key} a comment', "alice", True),
}
"""A list, a name, and what ssh-keygen says; None where we are stricter on purpose."""


@pytest.mark.parametrize(("lines", "name", "expected"), QUESTIONS.values(), ids=QUESTIONS)
def test_who_may_sign_is_what_ssh_keygen_says(tmp_path: Path, lines: str, name: str, expected: bool | None) -> None:
    alice, other = people.Reviewer(name), people.Reviewer("other")
    text = lines.format(ns=NAMESPACE, key=alice.public.line, other=other.public.line) + "\n"
    signed = sign_statement(people.statement(reviewer=name), alice.key, as_ssh=True)
    envelope = parse_envelope(signed.data)
    armor = render_armor(parse_blob(envelope.signature))
    try:
        ours = people.judge(people.file_of(signed), people.team_of_lines(text)).status is ReceiptStatus.VALID
    except KeyRefusedError:
        ours = False
    more = ("-Overify-time=20270102120000",)

    theirs = keygen_verifies(tmp_path, envelope.payload, armor, name=name, lines=text, more=more)

    assert not ours or theirs, "we accept what ssh-keygen refuses"
    assert theirs is (True if expected is None else expected)
    assert ours is (False if expected is None else expected)


def test_a_time_without_its_zone_is_refused_since_it_depends_on_who_reads_it(tmp_path: Path) -> None:
    alice = people.Reviewer("alice")
    with pytest.raises(KeyRefusedError, match="`Z`"):
        people.team_of_lines(alice.line(f'{people.NAMESPACES},valid-before="20990101000000"'))


@pytest.mark.parametrize("as_krl", [True, False])
@pytest.mark.parametrize("revoked", ["alice", "bob"])
def test_a_revoked_key_is_refused_by_both(tmp_path: Path, as_krl: bool, revoked: str) -> None:
    alice, bob = people.Reviewer("alice"), people.Reviewer("bob")
    keys = {"alice": alice, "bob": bob}
    (tmp_path / "list").write_text(f"{keys[revoked].public.line}\n")
    if as_krl:
        keygen("-q", "-k", "-f", str(tmp_path / "krl"), str(tmp_path / "list"))
    path = tmp_path / ("krl" if as_krl else "list")
    signed = sign_statement(people.statement(), alice.key, as_ssh=True)
    envelope = parse_envelope(signed.data)
    armor = render_armor(parse_blob(envelope.signature))
    team = people.team_of_lines(alice.line(), revoked=parse_revoked(path.read_bytes()))

    theirs = keygen_verifies(
        tmp_path, envelope.payload, armor, name="alice", lines=alice.line(), more=("-r", str(path))
    )

    assert theirs is (revoked == "bob")
    status = people.judge(people.file_of(signed), team).status
    assert status is (ReceiptStatus.VALID if theirs else ReceiptStatus.REVOKED_KEY)


@pytest.mark.parametrize("how", ["sha256", "sha1", "hash"])
def test_a_key_that_is_revoked_by_its_fingerprint_is_refused(tmp_path: Path, how: str) -> None:
    alice = people.Reviewer("alice")
    blob = f"{how}: {alice.public.line}\n" if how == "sha1" else f"sha256: {alice.public.line}\n"
    if how == "hash":
        blob = f"hash: {alice.public.fingerprint}\n"
    (tmp_path / "spec").write_text(blob)
    keygen("-q", "-k", "-f", str(tmp_path / "krl"), str(tmp_path / "spec"))
    team = people.team_of_lines(alice.line(), revoked=parse_revoked((tmp_path / "krl").read_bytes()))
    signed = sign_statement(people.statement(), alice.key, as_ssh=True)

    assert people.judge(people.file_of(signed), team).status is ReceiptStatus.REVOKED_KEY
