"""A change of what a team is judged by passes where enough people of the old keys and of the new signed exactly it."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from plugseal.cli.main import main
from plugseal.encode.rotation import Governed, Rotation, parse_rotation, render_rotation
from plugseal.errors import DataError
from plugseal.limits import MAX_ROTATION_DAYS
from plugseal.policy import schema
from plugseal.verbs.policies import check, rules
from plugseal.verbs.receipts import rotation

SAMPLE = Path(__file__).parents[2] / "fixtures" / "sample" / "organisation" / "handbook"
POLICY = """schema = "plugseal.policy/1"
[defaults]
capabilities = "allow"
[receipts]
required = true
threshold = 2
"""
ENVIRONMENT = {
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "a"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "a@example.invalid"),
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "PATH": "/usr/bin:/bin",
}
PEOPLE = ("dana", "eli", "finn")
Out = pytest.CaptureFixture[str]


class Team:
    """A repository that two of dana and eli review, and that is to be changed."""

    def __init__(self, root: Path) -> None:
        self.folder, self.keys = root / "clone", root / "keys"
        self.keys.mkdir()
        shutil.copytree(SAMPLE, self.folder)
        (self.folder / "plugseal-trust").mkdir()
        for person in PEOPLE:
            assert main(["key", "new", str(self.keys / person)]) == 0
        self.list("dana", "eli")
        self.policy(POLICY)
        for person in ("dana", "eli"):
            words = ["receipt", "sign", str(self.folder / "skills/handbook"), "--key", str(self.keys / f"{person}.key")]
            words += ["--reviews", str(self.folder / "reviews"), "--team", str(self.folder / "plugseal-trust")]
            assert main(words) == 0
        self.git("init", "-q")
        self.base = self.commit()

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.folder, env=ENVIRONMENT, capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout.strip()

    def commit(self) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "change")
        return self.git("rev-parse", "HEAD")

    def list(self, *people: str) -> None:
        rows = [
            f'{name} namespaces="plugin-review@plugseal" {(self.keys / f"{name}.pub").read_text()}' for name in people
        ]
        (self.folder / "plugseal-trust" / "allowed_signers").write_text("".join(rows))

    def policy(self, text: str) -> None:
        (self.folder / "plugseal.toml").write_text(text)

    def sign(self, *people: str) -> None:
        for person in people:
            words = ["policy", "sign", str(self.folder), "--base", self.base, "--key", str(self.keys / f"{person}.key")]
            assert main(words) == 0

    def check(self) -> int:
        self.commit()
        return main(["check", str(self.folder), "--base", self.base])


@pytest.fixture
def team(tmp_path: Path, capsys: Out) -> Team:
    made = Team(tmp_path)
    capsys.readouterr()
    return made


def _another_person(team: Team) -> None:
    team.list("dana", "eli", "finn")


def _another_for_eli(team: Team) -> None:
    team.list("dana", "finn")


def _one_alone(team: Team) -> None:
    team.policy(POLICY.replace("threshold = 2", "threshold = 1"))


@pytest.mark.parametrize(
    ("change", "people", "counts"),
    [
        pytest.param(
            _another_person, ("dana", "eli"), "2 of 2 people of the old keys and 2 of 2 of the new", id="a person"
        ),
        pytest.param(
            _another_for_eli, ("dana", "eli", "finn"), "2 of 2 people of the old keys and 2 of 2", id="another key"
        ),
        pytest.param(_one_alone, ("eli", "dana"), "2 of 2 people of the old keys and 2 of 1", id="a lower threshold"),
    ],
)
def test_a_change_that_both_sides_signed_passes_and_is_noted(
    change: Callable[[Team], None], people: tuple[str, ...], counts: str, team: Team, capsys: Out
) -> None:
    change(team)
    assert team.check() == 1
    assert "loosens what it is judged by" in capsys.readouterr().out
    team.sign(*people)
    assert team.check() == 0, capsys.readouterr()
    out = capsys.readouterr().out
    assert f"the change of the rules is signed by {counts}" in out
    assert "note: signed: " in out


@pytest.mark.parametrize(
    ("change", "people", "counts"),
    [
        pytest.param(
            _another_person, ("dana",), "1 of 2 people of the old keys and 1 of 2 of the new", id="one of two"
        ),
        pytest.param(_another_person, ("dana", "finn"), "1 of 2 people of the old keys and 2 of 2", id="one is new"),
        pytest.param(
            _another_for_eli, ("dana", "eli"), "2 of 2 people of the old keys and 1 of 2", id="the new did not"
        ),
        pytest.param(_one_alone, ("dana",), "1 of 2 people of the old keys and 1 of 1 of the new", id="the new alone"),
    ],
)
def test_a_change_that_one_side_did_not_sign_fails(
    change: Callable[[Team], None], people: tuple[str, ...], counts: str, team: Team, capsys: Out
) -> None:
    change(team)
    team.sign(*people)
    assert team.check() == 1
    assert f"signed by {counts}" in capsys.readouterr().out


def test_each_side_of_a_change_is_read_and_parsed_once(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    team.policy(POLICY + "max-age-days = 7\n")
    parsed: list[bytes] = []
    read: list[str] = []

    def parses(data: bytes, *, origin: str) -> object:
        parsed.append(data)
        return parse(data, origin=origin)

    def reads(path: object, *, max_bytes: int) -> bytes:
        read.append(Path(str(path)).name)
        return read_file(path, max_bytes=max_bytes)

    parse, read_file = schema.read_policy_file, rules.read_file
    monkeypatch.setattr(schema, "read_policy_file", parses)
    for module in (rules, rotation):
        monkeypatch.setattr(module, "read_file", reads)
    assert team.check() == 0
    assert parsed == [POLICY.encode(), (POLICY + "max-age-days = 7\n").encode()]
    assert read.count("plugseal.toml") == 1


def test_a_signature_holds_for_exactly_its_change(team: Team, capsys: Out) -> None:
    _another_person(team)
    team.sign("dana", "eli")
    team.policy(POLICY.replace("threshold = 2", "threshold = 1"))
    assert team.check() == 1
    assert "signed by 0 of 2 people of the old keys" in capsys.readouterr().out


def test_a_signature_holds_from_exactly_its_base(team: Team, capsys: Out) -> None:
    _one_alone(team)
    team.sign("dana", "eli")
    kept = {path.name: path.read_bytes() for path in (team.folder / "plugseal-rotation").iterdir()}
    team.policy(POLICY + 'scanner = "0.1.0"\n')
    shutil.rmtree(team.folder / "plugseal-rotation")
    team.base = team.commit()
    _one_alone(team)
    (team.folder / "plugseal-rotation").mkdir()
    for name, data in kept.items():
        (team.folder / "plugseal-rotation" / name).write_bytes(data)
    assert team.check() == 1
    assert "signed by 0 of 2 people of the old keys" in capsys.readouterr().out


@pytest.mark.parametrize("what", ["a flipped bit", "no envelope", "a review receipt", "a copy under another name"])
def test_what_is_no_signature_of_the_change_counts_for_nobody(what: str, team: Team, capsys: Out) -> None:
    _another_person(team)
    team.sign("dana", "eli")
    folder = team.folder / "plugseal-rotation"
    file = sorted(folder.iterdir())[0]
    if what == "a flipped bit":
        data = bytearray(file.read_bytes())
        at = data.index(b'"sig":"') + 20
        data[at] = ord("A") if data[at] != ord("A") else ord("B")
        file.write_bytes(bytes(data))
    elif what == "no envelope":
        file.write_bytes(b"{}")
    elif what == "a review receipt":
        shutil.copy(next((team.folder / "reviews").rglob("*.dsse.json")), file)
    else:
        shutil.copy(file, folder / "copy.dsse.json")
        sorted(folder.iterdir())[-1].unlink()
        other = [path for path in folder.iterdir() if path.read_bytes() != (folder / file.name).read_bytes()]
        for path in other:
            path.unlink()
    assert team.check() == 1
    assert "signed by 1 of 2 people of the old keys" in capsys.readouterr().out


def test_a_revoked_key_signs_no_change(team: Team, capsys: Out) -> None:
    (team.folder / "plugseal-trust" / "revoked_keys").write_text((team.keys / "dana.pub").read_text())
    team.base = team.commit()
    _another_person(team)
    team.sign("dana", "eli")
    assert team.check() == 1
    assert "signed by 1 of 2 people of the old keys and 1 of 2 of the new" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("asked", "holds_days"),
    [
        pytest.param("", MAX_ROTATION_DAYS, id="no age asked"),
        pytest.param("max-age-days = 7\n", 7, id="reviews of a week"),
        pytest.param("max-age-days = 400\n", MAX_ROTATION_DAYS, id="reviews of more than a year"),
    ],
)
def test_a_signature_holds_for_some_days_alone(asked: str, holds_days: int, team: Team) -> None:
    team.policy(POLICY + asked)
    team.base = team.commit()
    team.policy(POLICY.replace("threshold = 2", "threshold = 1") + asked)
    team.sign("dana", "eli")
    signed = int(time.time()) // 86_400 * 86_400
    loosens = {
        days: bool(check.check_path(team.folder, base=team.base, now=signed + days * 86_400).governance)
        for days in (-2, -1, 0, holds_days, holds_days + 2)
    }
    assert list(loosens.values()) == [True, False, False, False, True]
    notes = check.check_path(team.folder, base=team.base, now=signed + (holds_days + 2) * 86_400).notes
    assert any("(2 too old or of a day to come: sign anew)" in note for note in notes)


def test_where_nothing_changes_there_is_nothing_to_sign(team: Team, capsys: Out) -> None:
    words = ["policy", "sign", str(team.folder), "--base", team.base, "--key", str(team.keys / "dana.key")]
    assert main(words) == 2
    assert "there is nothing to sign" in capsys.readouterr().err


def test_a_receipt_that_is_gone_is_excused_by_no_signature(team: Team, capsys: Out) -> None:
    _another_person(team)
    team.sign("dana", "eli")
    next((team.folder / "reviews").rglob("*.dsse.json")).unlink()
    assert team.check() == 1
    assert "a receipt that was there is gone" in capsys.readouterr().out


ROTATION = Rotation(
    Governed("a" * 64, "b" * 64), Governed("c" * 64, "d" * 64), "plugseal.toml", "plugseal-trust", "e" * 64
)


DAY = date(2027, 1, 12)


def test_a_statement_of_a_change_comes_back_from_its_bytes() -> None:
    assert parse_rotation(render_rotation(ROTATION, DAY)) == (ROTATION, DAY)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda data: data.replace(b"rotation:v1", b"review:v1"), id="another type"),
        pytest.param(lambda data: data + b" ", id="other bytes"),
        pytest.param(lambda data: data.replace(b"a" * 64, b"A" * 64), id="capitals"),
        pytest.param(lambda data: data.replace(b'"predicate":{', b'"predicate":{"x":1,'), id="another field"),
        pytest.param(lambda data: data.replace(b',"signed":"2027-01-12"', b""), id="no day"),
        pytest.param(lambda data: data.replace(b"2027-01-12", b"2027-02-30"), id="no such day"),
        pytest.param(lambda data: data.replace(b"2027-01-12", b"20270112"), id="a day in other digits"),
        pytest.param(lambda data: b"[]", id="a list"),
        pytest.param(lambda data: b'{"subject":[1,2],"predicate":{"before":{"policy":1,"team":2}}}', id="numbers"),
    ],
)
def test_what_is_no_statement_of_a_change_is_refused(change: Callable[[bytes], bytes]) -> None:
    with pytest.raises(DataError):
        parse_rotation(change(render_rotation(ROTATION, DAY)))
