"""Keys and receipts of a team that can't be believed, each in its own way: nothing starts, and it says what to mend."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from plugseal.cli.main import main
from plugseal.errors import IntakeError, KeyRefusedError, RefusedError, UsageError
from plugseal.model.decision import Reason
from plugseal.model.identity import subject_id
from plugseal.model.policy import GatePolicy
from plugseal.runtime import reviews as gate_reviews
from plugseal.runtime.gate import Gate
from plugseal.runtime.seen_receipts import NAME as SEEN
from plugseal.runtime.teams import BESIDE
from tests import signed_gate

people = signed_gate.people
Team, POLICY = signed_gate.Team, signed_gate.POLICY
NOW = people.NOW


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Team:
    monkeypatch.chdir("/usr")
    monkeypatch.setattr(gate_reviews, "_now", lambda: NOW)
    return Team(tmp_path)


def _swap_files(team: Team) -> None:
    path = team.store.home / BESIDE
    value = json.loads(path.read_bytes())
    mallory = people.Reviewer("alice").line() + people.Reviewer("bob").line()
    value["files"]["allowed_signers"] = base64.b64encode(mallory.encode()).decode()
    path.write_text(json.dumps(value, sort_keys=True, separators=(",", ":")))


def _swap_whole(team: Team) -> None:
    other = Team(team.store.home.parents[1] / "other", POLICY + "# another text\n").pin()
    path = team.store.home / BESIDE
    path.write_bytes((other.store.home / BESIDE).read_bytes())


def _open_to_others(team: Team) -> None:
    (team.store.home / BESIDE).chmod(0o644)


def _no_json(team: Team) -> None:
    (team.store.home / BESIDE).write_text("{}")


def _gone(team: Team) -> None:
    (team.store.home / BESIDE).unlink()


def _linked(team: Team) -> None:
    path = team.store.home / BESIDE
    path.rename(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


def _seen_damaged(team: Team) -> None:
    (team.store.home / SEEN).write_text("{}")


def _others_write_reviews(team: Team) -> None:
    team.reviews.chmod(0o777)


def _others_write_a_token(team: Team) -> None:
    next(team.reviews.iterdir()).chmod(0o775)


def _others_write_a_receipt(team: Team) -> None:
    next(team.reviews.glob("*/*.json")).chmod(0o666)


def _others_write_above(team: Team) -> None:
    team.repository.chmod(0o777)


def _reviews_gone(team: Team) -> None:
    team.reviews.rename(team.repository / "elsewhere")


def _reviews_linked(team: Team) -> None:
    team.reviews.rename(team.repository / "elsewhere")
    team.reviews.symlink_to(team.repository / "elsewhere")


def _receipt_linked(team: Team) -> None:
    path = next(team.reviews.glob("*/*.json"))
    path.rename(team.repository / "elsewhere")
    path.symlink_to(team.repository / "elsewhere")


def _odd_file(team: Team) -> None:
    (team.reviews / "refusal.dsse.json.bak").write_text("")


UNBELIEVABLE: dict[str, Callable[[Team], None]] = {
    "keys of the pinned team swapped": _swap_files,
    "the team of another policy": _swap_whole,
    "the pinned team open to others": _open_to_others,
    "the pinned team is no JSON": _no_json,
    "the pinned team is gone": _gone,
    "the pinned team is a link": _linked,
    "what was seen is damaged": _seen_damaged,
    "others write the folder": _others_write_reviews,
    "others write the folder of a token": _others_write_a_token,
    "others write a receipt": _others_write_a_receipt,
    "others write the folder above": _others_write_above,
    "the folder is gone": _reviews_gone,
    "the folder is a link": _reviews_linked,
    "a receipt is a link": _receipt_linked,
    "a file that does not belong there": _odd_file,
}


@pytest.mark.parametrize("harm", UNBELIEVABLE.values(), ids=list(UNBELIEVABLE))
def test_what_cannot_be_believed_starts_nothing(harm: Callable[[Team], None], team: Team) -> None:
    team.pin()
    team.sign(team.alice)
    team.sign(team.bob)
    assert team.ask()
    harm(team)
    error = team.refused()
    assert error.reason == Reason.REVIEWS_UNREADABLE.value, error.message
    assert error.hint
    assert error.exit_code == 126


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_receipts_of_another_user_start_nothing(team: Team) -> None:
    team.pin()
    team.sign(team.alice)
    path = team.sign(team.bob)
    os.chown(path, 1234, 1234)
    assert "belongs to user 1234" in team.refused().message


def test_an_edited_policy_has_no_team(team: Team) -> None:
    team.pin()
    team.sign(team.alice)
    team.sign(team.bob)
    pinned = team.store.home / "policy.toml"
    pinned.write_text(POLICY.replace("2", "1"))
    assert team.refused().reason == Reason.REVIEWS_UNREADABLE.value


def test_a_policy_of_a_harness_without_a_team_starts_nothing(team: Team) -> None:
    gate = Gate(team.store, name=subject_id, policy=GatePolicy(signatures=1, origin="a harness"))
    with pytest.raises(RefusedError, match="names no team"):
        gate.authorize(team.world.id)


@pytest.mark.parametrize(
    ("harm", "error"),
    [
        pytest.param(lambda team: (team.trust / "allowed_signers").unlink(), KeyRefusedError, id="no signers"),
        pytest.param(lambda team: (team.trust / "more").write_text(""), KeyRefusedError, id="an unknown file"),
        pytest.param(lambda team: team.reviews.rmdir(), IntakeError, id="no receipts"),
        pytest.param(lambda team: team.reviews.chmod(0o777), IntakeError, id="receipts that others write"),
    ],
)
def test_pin_checks_the_team_before_it_keeps_anything(
    harm: Callable[[Team], object], error: type[Exception], team: Team
) -> None:
    harm(team)
    with pytest.raises(error):
        team.pin()
    assert not (team.store.home / "policy.toml").exists()
    assert not (team.store.home / BESIDE).exists()


def test_pin_takes_folders_from_elsewhere_and_a_policy_without_signatures_takes_them_away(
    team: Team, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PLUGSEAL_HOME", str(team.store.home))
    alone = team.repository / "alone.toml"
    alone.write_text(POLICY)
    words = ["policy", "pin", str(alone), "--team", str(team.trust), "--reviews", str(team.reviews)]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "signatures  of 2 people" in out
    assert str(team.reviews) in out
    assert (team.store.home / BESIDE).exists()
    alone.write_text(POLICY.replace("2", "0"))
    with pytest.raises(UsageError):
        team.policy.write_text(POLICY.replace("2", "0"))
        team.pin(team=team.trust)
    assert main(["policy", "pin", str(alone)]) == 0
    assert not (team.store.home / BESIDE).exists()
    assert team.ask()
