"""When a session ends whose client said all it had to say: by who the client is, what is owed, and what moves."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from plugseal.runtime import ending
from plugseal.runtime.ending import FILE, PIPE, Ending

GREETING = b'{"jsonrpc":"2.0","id":0,"method":"initialize"}'
CALL = b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}'


class World:
    """A clock that the test moves, and pipes to and from the client."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.source, self.client_out = os.pipe()
        self.client_in, self.reader = os.pipe()

    def monotonic(self) -> float:
        return self.now

    def lasts(self, session: Ending, *, owed: Iterator[int], moved: bool, most: float = 2000.0) -> float:
        """Look four times a second until the session is over, and return how long that took."""
        began = self.now
        while not session.is_over and self.now < began + most:
            session.look(owed=next(owed), moved=moved)
            self.now += 0.25
        return self.now - began


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    made = World()
    monkeypatch.setattr(ending, "time", made)
    yield made
    for descriptor in (made.source, made.client_out, made.client_in, made.reader):
        with suppress(OSError):
            os.close(descriptor)


def _always(number: int) -> Iterator[int]:
    while True:
        yield number


def _given(world: World, lines: list[bytes], *, after: float = 0.1, source: int | None = None) -> Ending:
    session = Ending(world.source if source is None else source, world.reader)
    session.heard(lines)
    world.now += after
    session.begin()
    return session


def _left(world: World) -> Ending:
    """Return a session whose client had answers, and went away."""
    session = Ending(world.source, world.reader)
    session.heard([GREETING])
    session.is_settled = True
    session.heard([CALL, CALL])
    world.now += 0.1
    session.begin()
    return session


def test_a_client_that_went_away_and_is_owed_nothing_gives_half_a_second(world: World) -> None:
    assert world.lasts(_left(world), owed=_always(0), moved=True) <= 0.75


@pytest.mark.parametrize("moved", [True, False])
def test_what_a_client_that_went_away_is_owed_has_a_second_and_all_of_it_less_than_two(
    world: World, moved: bool
) -> None:
    session = _left(world)
    took = world.lasts(session, owed=_always(1), moved=moved)
    assert 1.0 < took <= 1.5
    assert took + session.grace(1.0) < 2.0


@pytest.mark.parametrize("lines", [[CALL], [GREETING, CALL], [GREETING, b"", CALL]])
def test_who_gave_all_at_once_is_answered_while_something_moves(world: World, lines: list[bytes]) -> None:
    owed = iter([1] * 100 + [0] * 100)
    assert 25 < world.lasts(_given(world, lines), owed=owed, moved=True) < 26
    assert world.lasts(_given(world, lines), owed=_always(1), moved=False) <= PIPE.quiet + 1


def test_more_behind_the_greeting_before_any_answer_is_given_at_once_however_late_it_closes(world: World) -> None:
    session = _given(world, [GREETING, CALL], after=30.0)
    assert world.lasts(session, owed=_always(1), moved=False) > 5


def test_who_gives_up_waiting_for_the_first_answer_has_gone_away(world: World) -> None:
    session = _given(world, [GREETING], after=10.0)
    assert world.lasts(session, owed=_always(1), moved=True) <= 1.5


@pytest.mark.parametrize("is_file", [True, False])
def test_what_never_answers_ends_however_much_it_says(world: World, is_file: bool, tmp_path: Path) -> None:
    (tmp_path / "requests").write_bytes(CALL)
    with (tmp_path / "requests").open("rb") as given:
        session = _given(world, [CALL], source=given.fileno() if is_file else None)
        patience = FILE if is_file else PIPE
        assert patience.answer <= world.lasts(session, owed=_always(1), moved=True) <= patience.answer + 1


def test_an_answer_is_a_reason_to_wait_for_the_next_one(world: World) -> None:
    session = _given(world, [CALL])
    owed = iter([2] * int(4 * (PIPE.answer - 5)) + [1] * 10_000)
    took = world.lasts(session, owed=owed, moved=True)
    assert 2 * PIPE.answer - 6 <= took <= 2 * PIPE.answer


def test_nobody_waits_for_what_nobody_reads(world: World) -> None:
    session = _given(world, [GREETING, CALL])
    session.look(owed=1, moved=True)
    assert not session.is_over
    os.close(world.client_in)
    session.look(owed=1, moved=True)
    assert session.is_over
