"""The commands of receipts and keys: files, folders, repositories, and every way in which they refuse."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import plugseal
from plugseal.cli.main import main
from plugseal.model.statement import ReceiptStatus
from plugseal.verbs.receipts.reasons import RECEIPT_REASONS

SAMPLE = Path(__file__).parents[2] / "fixtures" / "sample" / "agent-tools"
PLUGIN = "plugins/deploy-helper"
SOURCE = Path(plugseal.__file__).parent


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run commands in a clone, beside which two people keep their keys."""
    shutil.copytree(SAMPLE, tmp_path / "clone")
    monkeypatch.chdir(tmp_path / "clone")
    for name in ("NO_COLOR", "FORCE_COLOR", "PLUGSEAL_FORMAT", "SSH_AUTH_SOCK"):
        monkeypatch.delenv(name, raising=False)

    def call(*words: str) -> Ran:
        code = main(list(words))
        return Ran(code, *capsys.readouterr())

    return call


@pytest.fixture
def team(run: Run, tmp_path: Path) -> Path:
    """Return the folder of a team of two, outside the clone."""
    folder = tmp_path / "trust"
    folder.mkdir()
    lines = []
    for name, kind in (("alice", "ed25519"), ("bob", "p256")):
        assert run("key", "new", f"../{name}", "--type", kind).code == 0
        lines.append(run("key", "show", f"../{name}.pub", "--quiet").out)
    (folder / "allowed_signers").write_text("".join(lines))
    (folder / "team.toml").write_text('audience = "platform"\nthreshold = 2\n')
    return folder


def sign(run: Run, name: str, *more: str, plugin: str = PLUGIN) -> Ran:
    return run("receipt", "sign", plugin, "--key", f"../{name}.key", "--team", "../trust", *more)


def receipts() -> list[Path]:
    return sorted(Path("reviews").rglob("*.dsse.json"), key=lambda path: path.stat().st_mtime_ns)


def test_a_key_is_the_user_s_alone_and_is_never_overwritten(run: Run) -> None:
    assert run("key", "new", "../carol").code == 0
    before = Path("../carol.key").read_bytes()
    assert stat.S_IMODE(Path("../carol.key").stat().st_mode) == 0o600
    assert "not encrypted" in run("key", "new", "../dave").out
    again = run("key", "new", "../carol")
    assert again.code == 4
    assert Path("../carol.key").read_bytes() == before


def test_a_key_that_could_not_be_written_whole_leaves_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    done = run("key", "new", "alice")
    assert done.code == 4
    assert "can't write the key: no space left on device" in done.err
    assert "`df -h " in done.err
    assert list(Path().glob("alice.*")) == []


@pytest.mark.parametrize("name", [".", "..", "../..", "/", ""])
def test_a_folder_is_no_name_of_a_key(name: str, run: Run) -> None:
    before = sorted(Path("..").iterdir())
    assert run("key", "new", name).code == 2
    assert sorted(Path("..").iterdir()) == before


@pytest.mark.parametrize("folder", [f"{PLUGIN}/reviews", f"{PLUGIN}/new/../reviews", "link/reviews"])
def test_no_receipt_is_written_into_what_it_is_about(folder: str, run: Run, team: Path) -> None:
    Path("link").symlink_to(PLUGIN)
    ran = sign(run, "alice", "--reviews", folder)
    assert (ran.code, "inside the plugin" in ran.err) == (2, True), ran.err
    assert list(Path(PLUGIN).glob("**/reviews")) == []
    # Beside a part of a folder there is room.
    Path("mine").mkdir()
    Path("mine/.mcp.json").write_text('{"mcpServers": {"x": {"command": "true"}}}')
    assert sign(run, "alice", "--reviews", "mine/reviews", plugin="mine/.mcp.json").code == 0


def test_a_passphrase_comes_from_a_private_file_or_a_descriptor(run: Run) -> None:
    Path("../pass").write_text("a long passphrase\n")
    assert "others can use" in run("key", "new", "../carol", "--passphrase-file", "../pass").err
    Path("../pass").chmod(0o600)
    assert "not encrypted" not in run("key", "new", "../carol", "--passphrase-file", "../pass").out
    key = ("receipt", "sign", PLUGIN, "--key", "../carol.key")
    assert "needs its passphrase" in run(*key).err
    reading, writing = os.pipe()
    os.write(writing, b"a long passphrase\n")
    os.close(writing)
    assert run(*key, "--passphrase-fd", str(reading)).code == 0
    os.close(reading)
    assert run(*key, "--passphrase-fd", "x").code == 2


def test_one_receipt_is_verified_by_one_key_step_by_step(run: Run, team: Path) -> None:
    assert sign(run, "alice").code == 0
    (receipt,) = receipts()
    ran = run("receipt", "verify", str(receipt), PLUGIN, "--key", "../alice.pub")
    assert ran.code == 0
    assert [row.split()[1] for row in ran.out.splitlines()[1:]] == (
        "envelope signature signer time decision content capability".split()
    )
    wrong = run("receipt", "verify", str(receipt), PLUGIN, "--key", "../bob.pub")
    assert wrong.code == 1
    assert "2 signature   no" in wrong.out
    assert "7 content     not reached" in wrong.out or "6 content     not reached" in wrong.out


def test_changed_content_does_not_hold(run: Run, team: Path) -> None:
    assert sign(run, "alice").code == 0
    (receipt,) = receipts()
    with (Path(PLUGIN) / "README.md").open("a") as stream:
        stream.write("more\n")
    ran = run("receipt", "verify", str(receipt), PLUGIN, "--key", "../alice.pub", "--format", "json")
    assert ran.code == 1
    assert json.loads(ran.out)["plugins"][0]["reason"] == "content-changed"


def test_a_team_of_two_needs_both(run: Run, team: Path) -> None:
    verify = ("receipt", "verify", "reviews", PLUGIN, "--team", "../trust")
    assert sign(run, "alice").code == 0
    alone = run(*verify)
    assert alone.code == 1
    assert "1 of 2 people trust it" in alone.out
    assert alone.out.endswith(f"next: `plugseal review {PLUGIN}`\n")
    assert run(*verify[:3], *verify[4:]).out.endswith("next: `plugseal explain too-few-people`\n")
    assert run(*verify, "--quiet").out.count("\n") == 1
    assert run(*verify, "--threshold", "1").code == 0
    assert sign(run, "bob").code == 0
    both = run(*verify)
    assert (both.code, "next:" in both.out) == (0, False)


def test_two_receipts_of_one_key_are_told_to_count_once(run: Run, team: Path) -> None:
    sign(run, "alice")
    sign(run, "alice", "--days", "30")
    done = run("receipt", "verify", "reviews", PLUGIN, "--team", str(team), "--threshold", "2")
    assert done.code == 1
    assert "1 of 2 people trust it; what is by one key or one person counts once" in " ".join(done.out.split())


def test_a_repository_is_judged_plugin_by_plugin(run: Run, team: Path) -> None:
    for name in ("alice", "bob"):
        assert sign(run, name).code == 0
    whole = ("receipt", "verify", ".", "--team", "../trust")
    ran = run(*whole)
    assert ran.code == 1
    assert "not reviewed: changelog 2.0.0" in ran.out
    for other in Path().glob("plugins/*"):
        if other != Path(PLUGIN):
            shutil.rmtree(other)
    shutil.rmtree("amness")
    assert run(*whole).code == 0


def test_a_revocation_wins_and_its_deletion_is_seen_from_an_older_copy(run: Run, team: Path) -> None:
    for name in ("alice", "bob"):
        assert sign(run, name).code == 0
    first = receipts()[0]
    assert sign(run, "alice", "--decision", "revoke", plugin=str(first)).code == 0
    shutil.copytree("reviews", "../before")
    verify = ("receipt", "verify", "reviews", PLUGIN, "--team", "../trust")
    assert "a reviewer refuses it" in run(*verify).out
    receipts()[-1].unlink()
    assert run(*verify).code == 0
    gone = run(*verify, "--since", "../before")
    assert gone.code == 1
    assert "was there before and is gone" in gone.out


def test_a_receipt_is_revoked_after_the_plugin_is_gone_but_not_trusted(run: Run, team: Path) -> None:
    assert sign(run, "alice").code == 0
    shutil.rmtree(PLUGIN)
    receipt = str(receipts()[0])
    assert sign(run, "alice", plugin=receipt).code == 2
    assert sign(run, "alice", "--decision", "revoke", plugin=receipt).code == 0


def test_the_second_receipt_of_a_key_follows_the_first(run: Run, team: Path) -> None:
    assert sign(run, "alice").code == 0
    with (Path(PLUGIN) / "README.md").open("a") as stream:
        stream.write("more\n")
    assert "receipt 2 of this key, generation 2" in sign(run, "alice").out
    first, second = receipts()
    shown = json.loads(run("receipt", "show", str(second), "--format", "json").out)
    assert shown["previous"] == json.loads(run("receipt", "show", str(first), "--format", "json").out)["payload_sha256"]
    first.unlink()
    third = sign(run, "alice")
    assert third.code == 1
    assert "are missing" in third.err


def test_nobody_signs_whom_the_team_does_not_list(run: Run, team: Path) -> None:
    assert run("key", "new", "../mallory").code == 0
    assert sign(run, "mallory").code == 2
    ran = sign(run, "mallory", "--reviewer", "alice")
    assert ran.code == 4
    assert "unknown-key" in ran.err
    assert not Path("reviews").exists()


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("allowed_signers", "alice not-an-option ssh-ed25519 AAAA\n", "public key"),
        ("allowed_signers", "", "names nobody"),
        ("allowed_signers", 'alice\0 namespaces="plugin-review@plugseal" ssh-ed25519 AAAA\n', "a NUL"),
        ("team.toml", "thresold = 2\n", "not known"),
        ("team.toml", "threshold = 0\n", "1 to 100"),
        ("team.toml", "threshold = true\n", "1 to 100"),
        ("revoked.krl", "SSHKRL\n\0rest", "revoked.krl"),
        ("revoked.krI", "", "not known"),
        ("revoked.krl", "", "revoked.krl"),
        ("revoked_keys", "\n", "is empty"),
        ("team.toml", "", "is empty"),
    ],
)
def test_a_team_that_is_not_understood_refuses_everything(
    run: Run, team: Path, name: str, text: str, what: str
) -> None:
    assert sign(run, "alice").code == 0
    (team / name).write_text(text)
    ran = run("receipt", "verify", "reviews", "--team", "../trust")
    assert ran.code == 4
    assert what in ran.err


def test_a_pinned_team_may_not_change(run: Run, team: Path) -> None:
    for name in ("alice", "bob"):
        assert sign(run, name).code == 0
    verify = ("receipt", "verify", "reviews", "--team", "../trust")
    pin = json.loads(run(*verify, "--format", "json").out)["signers"]["sha256"]
    assert run(*verify, "--pin", pin).code == 0
    with (team / "allowed_signers").open("a") as stream:
        stream.write("# a comment\n")
    assert run(*verify, "--pin", pin).code == 1


def test_a_stray_file_among_receipts_is_an_error(run: Run, team: Path) -> None:
    assert sign(run, "alice").code == 0
    (receipts()[0].parent / "extra.json").write_text("{}")
    assert run("receipt", "verify", "reviews", "--team", "../trust").code == 4


def test_a_repository_without_receipts_is_no_folder_of_receipts(run: Run, team: Path) -> None:
    Path(".git").mkdir()
    done = run("receipt", "verify", ".", "--team", str(team))
    assert done.code == 3
    assert "there is no receipt" in done.err


def test_exports_are_what_other_tools_read(run: Run, team: Path) -> None:
    assert sign(run, "alice").code == 0
    assert sign(run, "bob", "--sshsig").code == 0
    plain, ssh = (str(path) for path in receipts())
    assert json.loads(run("receipt", "export", plain).out)["mediaType"].endswith("v0.3+json")
    assert run("receipt", "export", ssh).code == 2
    assert run("receipt", "export", ssh, "--as", "sshsig").out.startswith("-----BEGIN SSH SIGNATURE-----\n")
    assert run("receipt", "export", plain, "--as", "sshsig").code == 2
    assert run("receipt", "export", plain, "--as", "sshsig", "--key", "../bob.key").code == 4
    made = run("receipt", "export", plain, "--as", "sshsig", "--key", "../alice.key").out
    assert made.startswith("-----BEGIN SSH SIGNATURE-----\n")
    assert json.loads(run("receipt", "export", plain, "--as", "statement").out)["_type"].endswith("Statement/v1")
    assert run("receipt", "export", plain, "--as", "pae").out.startswith("DSSEv1 28 application/vnd.in-toto+json ")


def test_a_hostile_name_reaches_the_screen_only_as_escapes(run: Run, team: Path) -> None:
    assert sign(run, "alice", "--audience", "a\x1b[2Jb").code == 4
    assert run("key", "new", "../e", "--comment", "x\x1b[2J").code == 2
    ran = run("receipt", "sign", PLUGIN, "--key", "../alice.key", "--reviewer", "a\x1b[2J", "--reviews", "../r")
    assert ran.code == 0
    (receipt,) = Path("../r").rglob("*.dsse.json")
    for words in (("show",), ("verify", "--key", "../alice.pub")):
        out = run("receipt", words[0], str(receipt), *words[1:]).out
        assert "\x1b" not in out
        assert "a\\x1b[2J" in out


def test_no_agent_is_an_error_of_ours(run: Run) -> None:
    ran = run("receipt", "sign", PLUGIN, "--agent", "alice")
    assert ran.code == 4
    assert "SSH_AUTH_SOCK" in ran.err
    assert run("key", "list").code == 4


def test_every_status_of_a_receipt_can_be_explained() -> None:
    assert {status.value for status in ReceiptStatus if not status.holds} <= set(RECEIPT_REASONS)


def test_every_reason_that_a_verification_gives_can_be_explained() -> None:
    sources = [*(SOURCE / "signing").glob("*.py"), *(SOURCE / "verbs").glob("*.py")]
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    raised = set(re.findall(r'ReceiptError\(\s*"([a-z-]+)"', text))

    assert {"too-few-people", "history-broken", "refused"} <= raised
    assert raised <= set(RECEIPT_REASONS)
