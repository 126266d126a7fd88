"""Pinning a policy again is no way to have a refusal forgotten; only who says so begins anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plugseal.cli.commands import policy as policy_command
from plugseal.cli.main import main
from plugseal.errors import StateError
from plugseal.model.decision import Reason
from plugseal.model.identity import subject_id
from plugseal.model.statement import Decision
from plugseal.runtime import reviews as gate_reviews
from plugseal.runtime.gate import Gate
from plugseal.runtime.policies import PINNED, load_policy
from plugseal.runtime.seen_receipts import NAME, read_seen
from plugseal.verbs.policies.pin import PinWish, pin
from tests import reviewers as people
from tests.signed_gate import Team

Out = pytest.CaptureFixture[str]


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Team:
    monkeypatch.chdir("/usr")
    monkeypatch.setattr(gate_reviews, "_now", lambda: people.NOW)
    made = Team(tmp_path)
    made.sign(made.alice)
    made.sign(made.bob)
    return made


@pytest.mark.parametrize("again", [{}, {"anew": True}], ids=["pinned again", "pinned anew"])
def test_a_refusal_that_is_gone_still_refuses_once_the_policy_is_pinned_again(
    again: dict[str, bool], team: Team
) -> None:
    refusal = team.sign(team.bob, decision=Decision.REVOKE)
    team.pin()
    refusal.unlink()
    team.pin(**again)
    if again:
        assert team.ask()
    else:
        assert team.refused().reason == Reason.REVIEW_REFUSED.value


def test_who_pins_again_is_told_what_is_gone(team: Team, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    gone = team.sign(team.alice, generation=2)
    team.pin()
    gone.unlink()
    monkeypatch.setattr(policy_command, "open_store", lambda: team.store)
    assert main(["policy", "pin", str(team.policy)]) == 0
    assert f"missing     {'/'.join(gone.parts[-2:])} was seen before" in capsys.readouterr().out
    assert main(["policy", "pin", "--anew", str(team.policy)]) == 0
    assert "missing" not in capsys.readouterr().out


def test_what_somebody_signed_who_is_no_longer_of_the_team_is_not_carried_over(team: Team) -> None:
    mallory = people.Reviewer("mallory")
    team.write_team(team.alice.line(), team.bob.line(), mallory.line())
    refusal = team.sign(mallory, decision=Decision.REVOKE)
    assert team.pin().refused().reason == Reason.REVIEW_REFUSED.value
    refusal.unlink()
    team.write_team(team.alice.line(), team.bob.line())
    team.pin()
    assert team.ask()


@pytest.mark.skipif(os.geteuid() != 0, reason="the policy of the machine is root's alone")
def test_what_was_seen_under_the_policy_of_the_machine_stays_when_a_user_pins(team: Team, tmp_path: Path) -> None:
    machine = tmp_path / "etc" / "policy.toml"
    pin(team.policy, team.store, PinWish(system=True), system=machine)
    both = load_policy(team.store, system=machine)
    Gate(team.store, name=subject_id, policy=both).authorize(team.world.id)
    (theirs,) = (one.pinned.pin for one in both.reviews if one.pinned is not None)
    seen = read_seen(team.store, theirs)
    assert seen
    for anew in (False, True):
        pin(team.policy, team.store, PinWish(anew=anew), system=machine)
        assert read_seen(team.store, theirs) == seen


@pytest.mark.skipif(os.geteuid() != 0, reason="the policy of the machine is root's alone")
def test_who_breaks_his_own_policy_and_pins_anew_has_nothing_of_the_machine_forgotten(
    team: Team, tmp_path: Path
) -> None:
    machine = tmp_path / "etc" / "policy.toml"
    pin(team.policy, team.store, PinWish(system=True), system=machine)
    both = load_policy(team.pin().store, system=machine)
    Gate(team.store, name=subject_id, policy=both).authorize(team.world.id)
    theirs = next(one.pinned.pin for one in both.reviews if one.pinned is not None and one.origin == str(machine))
    seen = read_seen(team.store, theirs)
    assert seen
    (team.store.home / PINNED).write_text("damaged")
    pin(team.policy, team.store, PinWish(anew=True), system=machine)
    assert read_seen(team.store, theirs) == seen


@pytest.mark.skipif(os.geteuid() != 0, reason="the policy of the machine is root's alone")
def test_a_policy_without_reviews_in_between_has_no_refusal_forgotten(team: Team, tmp_path: Path) -> None:
    carol = people.Reviewer("carol")
    machine = tmp_path / "etc" / "policy.toml"
    pin(team.policy, team.store, PinWish(system=True), system=machine)
    team.write_team(team.alice.line(), team.bob.line(), carol.line())
    refusal = team.sign(carol, decision=Decision.REVOKE)
    assert team.pin().refused().reason == Reason.REVIEW_REFUSED.value
    refusal.unlink()
    without = tmp_path / "without.toml"
    without.write_text('schema = "plugseal.policy/1"\n[gate]\nsource = "must-match"\n')
    pin(without, team.store, system=machine)
    both = load_policy(team.store, system=machine)
    assert Gate(team.store, name=subject_id, policy=both).authorize(team.world.id)
    assert team.pin().refused().reason == Reason.REVIEW_REFUSED.value


def test_who_pins_anew_is_not_held_up_by_what_can_not_be_read(team: Team) -> None:
    team.pin()
    (team.store.home / NAME).write_text("damaged")
    assert "--anew" in (team.refused().hint or "")
    with pytest.raises(StateError, match="can't be read"):
        team.pin()
    team.pin(anew=True)
    assert team.ask()
