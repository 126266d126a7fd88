"""What anybody can put into the folder of the receipts costs the gate nothing for longer than it lies there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugseal.encode.dsse import MAX_ENVELOPE_BYTES, Envelope, render_envelope
from plugseal.encode.statement import render_time
from plugseal.model.decision import Reason
from plugseal.model.statement import Decision
from plugseal.runtime import reviews as gate_reviews
from plugseal.trust.files import MAX_STATE_BYTES
from tests import reviewers as people
from tests import signed_gate
from tests.signed_gate import Team


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Team:
    monkeypatch.chdir("/usr")
    monkeypatch.setattr(gate_reviews, "_now", lambda: signed_gate.people.NOW)
    made = Team(tmp_path)
    made.sign(made.alice)
    made.sign(made.bob)
    return made


def _seen(team: Team) -> str:
    return (team.store.home / "receipts.seen").read_text()


def _flood(team: Team, data: bytes) -> None:
    """Write more than the state can hold, all of it told apart by a name."""
    folder = next(team.reviews.iterdir())
    for number in range(MAX_STATE_BYTES // len(data) + 1):
        file = folder / f"{number:016x}-{number:016x}.dsse.json"
        file.write_bytes(data)
        file.chmod(0o644)


def _unsigned(team: Team) -> bytes:
    return render_envelope(Envelope(b"x" * 700_000, "a" * 64, b"s" * 64))


def _spaced(team: Team) -> bytes:
    data = next(team.reviews.glob("*/*.dsse.json")).read_bytes()
    return json.dumps(json.loads(data)).encode() + b" " * (MAX_ENVELOPE_BYTES - 2 * len(data))


@pytest.mark.parametrize("make", [_unsigned, _spaced], ids=["signed by nobody", "one receipt in many layouts"])
@pytest.mark.parametrize("is_before", [True, False], ids=["before the pin", "after it"])
def test_a_flood_of_files_stops_nothing_and_is_not_remembered(make: object, is_before: bool, team: Team) -> None:
    assert callable(make)
    data = make(team)
    if is_before:
        _flood(team, data)
    team.pin()
    _flood(team, data)
    assert team.ask()
    assert len(_seen(team)) < 64 * 1024
    for path in team.reviews.glob("*/0*-0*.dsse.json"):
        path.unlink()
    assert team.ask()


def test_a_refusal_in_another_layout_and_place_is_remembered(team: Team) -> None:
    team.pin()
    assert team.ask()
    last = team.sign(team.bob, decision=Decision.REVOKE)
    data = json.dumps(json.loads(last.read_bytes()), indent=2).encode()
    last.unlink()
    elsewhere = team.reviews / "copy.dsse.json"
    elsewhere.write_bytes(data)
    elsewhere.chmod(0o644)
    assert team.refused().reason == Reason.REVIEW_REFUSED.value
    elsewhere.unlink()
    assert team.refused().reason == Reason.REVIEW_REFUSED.value


def test_a_retired_key_adds_nothing_new_however_often_one_asks(team: Team) -> None:
    world = team.world
    options = f'{people.NAMESPACES},valid-before="20270101000000Z"'
    made = render_time(people.NOW - 86_400 * 10)
    team.write_team(team.alice.line(), team.bob.line(options))
    team.pin()
    world.write("server.py", signed_gate.gated.SERVER + "# newer\n")
    world.trust()
    team.sign(team.alice, generation=2)
    team.sign(team.bob, generation=2, created=made)
    for _ in range(3):
        assert "new-by-retired-key" in " ".join(team.refused().details)


def test_a_refusal_by_a_retired_key_is_remembered_all_the_same(team: Team) -> None:
    options = f'{people.NAMESPACES},valid-before="20270101000000Z"'
    made = render_time(people.NOW - 86_400 * 10)
    team.write_team(team.alice.line(), team.bob.line(options))
    team.pin()
    last = team.sign(team.bob, decision=Decision.REVOKE, created=made)
    assert team.refused().reason == Reason.REVIEW_REFUSED.value
    last.unlink()
    assert team.refused().reason == Reason.REVIEW_REFUSED.value
