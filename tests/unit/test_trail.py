"""The bounded trail: what is folded stays bound, and whatever is done to entries is seen, each in its own words."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugseal.encode.merkle import CompactRange, merkle_root
from plugseal.errors import TrailError
from plugseal.trust.trail import KEPT, Entry, Trail, entry_hash, verify_since, verify_trail


def _trail(size: int) -> Trail:
    trail = Trail()
    for number in range(size):
        trail = trail.append({"what": f"entry {number}"})
    return trail


def _verify(trail: Trail, like: Trail) -> None:
    verify_trail(trail, size=like.size, root=like.root())


@pytest.mark.parametrize("size", [0, 1, KEPT, KEPT + 1, 100, 257])
def test_the_root_is_over_all_entries_however_many_are_folded(size: int) -> None:
    leaves = [entry_hash({"what": f"entry {number}", "n": number + 1}) for number in range(size)]
    trail = _trail(size)
    assert trail.root() == merkle_root(leaves)
    assert (trail.size, len(trail.tail)) == (size, min(size, KEPT))
    _verify(trail, trail)


def _with_tail(change: Callable[[list[Entry]], list[Entry]]) -> Callable[[Trail], Trail]:
    return lambda trail: Trail(trail.folded, tuple(change(list(trail.tail))), trail.anchors)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        pytest.param(_with_tail(lambda tail: tail[:-2]), "cut-newest", id="the newest dropped"),
        pytest.param(_with_tail(lambda tail: tail[1:]), "cut-oldest", id="the oldest dropped"),
        pytest.param(_with_tail(lambda tail: tail[:7] + tail[8:]), "gap", id="one in the middle dropped"),
        pytest.param(
            _with_tail(lambda tail: [*tail[:7], {**tail[7], "what": "x"}, *tail[8:]]), "edited", id="a field edited"
        ),
        pytest.param(_with_tail(lambda tail: [*tail[:6], tail[7], tail[6], *tail[8:]]), "reordered", id="two swapped"),
        pytest.param(_with_tail(lambda tail: [*tail[:8], *tail[7:]]), "doubled", id="one doubled"),
        pytest.param(_with_tail(lambda tail: [*tail, tail[0]]), "rolled-back", id="an old one put at the end"),
        pytest.param(_with_tail(lambda tail: [*tail, {"what": "x", "n": 51}]), "forged", id="one added"),
        pytest.param(_with_tail(lambda tail: [{"what": "x"}, *tail]), "malformed", id="one without a number"),
        pytest.param(_with_tail(lambda tail: []), "cut-newest", id="all that stand whole dropped"),
        pytest.param(lambda trail: Trail(_trail(17).folded, trail.tail), "cut-oldest", id="what was folded dropped"),
        pytest.param(
            lambda trail: Trail(CompactRange(16, 18, (b"x" * 32,)), trail.tail), "malformed", id="folded from elsewhere"
        ),
    ],
)
def test_whatever_is_done_to_entries_is_seen_in_its_own_words(change: Callable[[Trail], Trail], kind: str) -> None:
    trail = _trail(50)
    with pytest.raises(TrailError) as caught:
        _verify(change(trail), trail)
    assert caught.value.kind == kind


def test_another_history_of_the_same_length_is_seen() -> None:
    other = Trail()
    for number in range(50):
        other = other.append({"what": f"entry {number}", "more": True} if number == 3 else {"what": f"entry {number}"})
    with pytest.raises(TrailError) as caught:
        _verify(other, _trail(50))
    assert caught.value.kind == "edited"


@given(st.integers(0, 120), st.integers(0, 120))
def test_a_checkpoint_taken_away_tells_the_same_history_as_long_as_it_can(early: int, late: int) -> None:
    trail = _trail(early)
    size, root = trail.size, trail.root()
    trail = trail.anchor()
    for number in range(early, early + late):
        trail = trail.append({"what": f"entry {number}"})
    _verify(trail, trail)
    verify_since(trail, size=size, root=root)


def test_a_checkpoint_without_an_anchor_is_told_while_its_entries_stand_whole_and_is_never_guessed() -> None:
    trail = _trail(40)
    size, root = trail.size, trail.root()
    verify_since(_trail(40 + KEPT), size=size, root=root)
    with pytest.raises(TrailError, match="older than what can be compared"):
        verify_since(_trail(41 + KEPT), size=size, root=root)


def test_a_state_that_was_put_back_is_told_by_a_checkpoint() -> None:
    with pytest.raises(TrailError) as caught:
        verify_since(_trail(10), size=12, root=_trail(12).root())
    assert caught.value.kind == "rolled-back"
    with pytest.raises(TrailError) as caught:
        verify_since(_trail(20), size=12, root=_trail(13).root())
    assert caught.value.kind == "rolled-back"


def test_an_anchor_that_belongs_to_another_history_is_seen() -> None:
    trail, other = _trail(50).anchor(), _trail(49).anchor().append({"what": "x"})
    with pytest.raises(TrailError) as caught:
        _verify(Trail(trail.folded, trail.tail, other.anchors), trail)
    assert caught.value.kind == "edited"
