"""A signed change of the rules carries that change once, by people who may sign; what weakens keys is always named."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest

from plugseal.cli.main import main
from plugseal.encode.sshwire import ssh_string
from plugseal.errors import CouldNotJudgeError
from plugseal.policy.changed_keys import find_changed_keys
from plugseal.policy.loosened import find_loosened
from plugseal.policy.team import parse_team_policy
from plugseal.signing.revoked import parse_revoked
from plugseal.verbs.policies.check import check_path

SAMPLE = Path(__file__).parents[2] / "fixtures" / "sample" / "organisation" / "handbook"
POLICY = """schema = "plugseal.policy/1"
[defaults]
capabilities = "allow"
[receipts]
required = true
threshold = 2
"""
LOOSE = POLICY.replace("threshold = 2", "threshold = 1")
ENVIRONMENT = {
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "a"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "a@example.invalid"),
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "PATH": "/usr/bin:/bin",
}
DAY = 86_400
Out = pytest.CaptureFixture[str]


class Repository:
    """One that dana and eli govern."""

    def __init__(self, root: Path) -> None:
        self.folder, self.keys = root / "clone", root / "keys"
        self.keys.mkdir()
        shutil.copytree(SAMPLE, self.folder)
        (self.folder / "plugseal-trust").mkdir()
        rows = []
        for person in ("dana", "eli"):
            assert main(["key", "new", str(self.keys / person)]) == 0
            rows.append(f'{person} namespaces="plugin-review@plugseal" {(self.keys / f"{person}.pub").read_text()}')
        (self.folder / "plugseal-trust" / "allowed_signers").write_text("".join(rows))
        self.policy(POLICY)
        for person in ("dana", "eli"):
            words = ["receipt", "sign", str(self.folder / "skills/handbook"), "--key", str(self.keys / f"{person}.key")]
            words += ["--reviews", str(self.folder / "reviews"), "--team", str(self.folder / "plugseal-trust")]
            assert main(words) == 0
        self.git("init", "-q")
        self.base = self.commit()

    @property
    def signatures(self) -> Path:
        return self.folder / "plugseal-rotation"

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.folder, env=ENVIRONMENT, capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout.strip()

    def commit(self) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "change")
        return self.git("rev-parse", "HEAD")

    def policy(self, text: str) -> None:
        (self.folder / "plugseal.toml").write_text(text)

    def sign(self) -> None:
        for person in ("dana", "eli"):
            words = ["policy", "sign", str(self.folder), "--base", self.base, "--key", str(self.keys / f"{person}.key")]
            assert main(words) == 0

    def check(self) -> int:
        self.commit()
        return main(["check", str(self.folder), "--base", self.base])

    def merge(self) -> None:
        """Make what lies there the base."""
        self.base = self.commit()


@pytest.fixture
def repository(tmp_path: Path, capsys: Out) -> Repository:
    made = Repository(tmp_path)
    capsys.readouterr()
    return made


def _loosen_and_undo(repository: Repository) -> None:
    repository.policy(LOOSE)
    repository.sign()
    assert repository.check() == 0
    repository.merge()
    repository.policy(POLICY)
    assert repository.check() == 0
    repository.merge()


def test_a_change_that_was_undone_is_not_signed_by_its_old_signatures(repository: Repository, capsys: Out) -> None:
    _loosen_and_undo(repository)
    capsys.readouterr()
    repository.policy(LOOSE)
    assert repository.check() == 1
    assert "signed by 0 of 2 people of the old keys" in capsys.readouterr().out


def test_a_change_that_was_undone_can_be_signed_once_more(repository: Repository) -> None:
    _loosen_and_undo(repository)
    repository.policy(LOOSE)
    repository.sign()
    assert repository.check() == 0


def test_signatures_of_earlier_changes_are_not_taken_away(repository: Repository, capsys: Out) -> None:
    _loosen_and_undo(repository)
    file = next(repository.signatures.iterdir())
    kept = file.read_bytes()
    for change in (lambda: file.unlink(), lambda: file.write_bytes(b"{}")):
        change()
        assert repository.check() == 1
        assert "a signature of an earlier change is gone" in capsys.readouterr().out
        file.write_bytes(kept)
    assert repository.check() == 0


def test_that_a_signature_is_gone_is_excused_by_no_signature(repository: Repository, capsys: Out) -> None:
    _loosen_and_undo(repository)
    next(repository.signatures.iterdir()).unlink()
    repository.policy(LOOSE)
    repository.sign()
    assert repository.check() == 1
    out = capsys.readouterr().out
    assert "a signature of an earlier change is gone" in out
    assert "signed by 2 of 2 people of the old keys" in out


def test_where_reviews_need_a_touched_key_a_change_of_the_rules_does_too(repository: Repository, capsys: Out) -> None:
    repository.policy(POLICY + "require-human = true\n")
    repository.merge()
    repository.policy(POLICY)
    repository.sign()
    assert repository.check() == 1
    assert "signed by 0 of 2 people of the old keys and 2 of 2 of the new" in capsys.readouterr().out


def test_a_retired_key_adds_no_receipt_that_counts_in_the_next_base(repository: Repository) -> None:
    assert main(["key", "new", str(repository.keys / "finn")]) == 0
    now = int(time.time())
    until = time.strftime("%Y%m%d%H%M%SZ", time.gmtime(now + DAY))
    signers = repository.folder / "plugseal-trust" / "allowed_signers"
    key = (repository.keys / "finn.pub").read_text()
    line = f'finn namespaces="plugin-review@plugseal",valid-before="{until}" {key}'
    signers.write_text(signers.read_text() + line)
    repository.merge()
    words = ["receipt", "sign", str(repository.folder / "skills/handbook"), "--key", str(repository.keys / "finn.key")]
    words += ["--reviews", str(repository.folder / "reviews"), "--team", str(repository.folder / "plugseal-trust")]
    assert main(words) == 0
    repository.commit()
    assert check_path(repository.folder, base=repository.base, now=now).governance == ()
    (found,) = check_path(repository.folder, base=repository.base, now=now + 3 * DAY).governance
    assert found.message == "a retired key adds a receipt"
    repository.merge()
    assert check_path(repository.folder, base=repository.base, now=now + 3 * DAY).governance == ()


KEY = b"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJKlp2U8jmWTsYtOL8SMT9ASyJPp6AYHHEIcVzEg94xR"


def _list_with_comment(comment: bytes) -> bytes:
    """Return a revocation list in OpenSSH's binary form that revokes nothing."""
    numbers = (1).to_bytes(4, "big") + bytes(24)
    return b"SSHKRL\n\0" + numbers + ssh_string(b"") + ssh_string(comment)


def _kept_as_a_comment(before: bytes) -> bytes:
    return _list_with_comment(b"\n" + before + b"\n")


@pytest.mark.parametrize(
    ("name", "before"),
    [
        pytest.param("revoked_keys", KEY + b"\n", id="a plain list"),
        pytest.param("revoked.krl", _list_with_comment(b"a"), id="a binary list"),
    ],
)
def test_a_revocation_that_is_kept_as_a_comment_alone_is_named(name: str, before: bytes) -> None:
    after = _kept_as_a_comment(before.removeprefix(b"SSHKRL\n"))
    assert not parse_revoked(after).blobs
    assert set(before.splitlines()) <= set(after.splitlines())
    assert len(find_changed_keys({name: before}, {name: after}, "plugseal-trust")) == 1


def test_a_file_beside_the_keys_that_nobody_knows_is_named() -> None:
    assert len(find_changed_keys({}, {"revoked_payload.bin": b"x"}, "plugseal-trust")) == 1


GATE = """[gate]
level = 2
source = "must-match"
require-signatures = 2
max-age-days = 30
deny = ["claude-code:old"]
allow = []
authorize = []
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("level = 2", "level = 1", "level 1 is enough"),
        ("must-match", "may-change", "the source may differ"),
        ("require-signatures = 2", "require-signatures = 1", "1 must have signed"),
        ("max-age-days = 30", "max-age-days = 31", "older trust"),
        ("max-age-days = 30", "", "older trust"),
        ('deny = ["claude-code:old"]', "", "less is denied"),
        ("allow = []", "", "more may start"),
        ("authorize = []", f'authorize = ["{"a" * 64}.{"b" * 64}/x"]', "calls of more tools"),
        ("level = 2", 'level = 2\nfetched-code = "allow"', "what fetches code"),
    ],
)
def test_what_a_change_loosens_at_the_gate_of_who_pins_it_is_named(
    old: str, new: str, said: str, repository: Repository
) -> None:
    repository.policy(POLICY + GATE)
    repository.merge()
    assert check_path(repository.folder, base=repository.base).governance == ()
    repository.policy(POLICY + GATE.replace(old, new))
    (found,) = check_path(repository.folder, base=repository.base).governance
    assert found.message.startswith("`[gate]`: ")
    assert said in found.message


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_what_does_not_belong_beside_the_keys_is_named_whatever_it_is(
    kind: str, repository: Repository, capsys: Out
) -> None:
    place = repository.folder / "plugseal-trust" / "zzz"
    if kind == "folder":
        place.mkdir()
        (place / "payload.bin").write_bytes(bytes(range(256)))
    else:
        place.symlink_to("allowed_signers")
    assert repository.check() == 1
    assert "`zzz` of the team is another" in capsys.readouterr().out


def test_one_team_signs_reviews_and_trails() -> None:
    text = POLICY + '[trail]\nexports = "audit"\n'
    assert parse_team_policy(text.encode(), name="plugseal.toml", origin="").trail
    with pytest.raises(CouldNotJudgeError) as refused:
        parse_team_policy((text + 'team = "audit-team"\n').encode(), name="plugseal.toml", origin="")
    assert "name two teams" in " ".join(refused.value.details)


PINNED = """schema = "plugseal.policy/1"
[defaults]
capabilities = "allow"
[receipts]
required = true
[[plugin]]
system = "claude-code"
name = "a"
publisher = "%s"
launch = [["python3", "server.py"]]
"""


def test_a_pinned_start_that_is_pinned_no_more_is_named() -> None:
    base = (PINNED % ("a" * 64)).encode()
    head = base[: base.index(b"[[plugin]]")]
    before, after = (parse_team_policy(data, name="plugseal.toml", origin="") for data in (base, head))
    (found,) = find_loosened(before, after)
    assert "start" in found.message
    assert find_loosened(before, before) == ()
