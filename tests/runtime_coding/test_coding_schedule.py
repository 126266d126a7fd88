"""Which calls may run beside which: the modes in a table, and their laws for any order of calls."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugseal.runtime.coding.contract import ExecutionMode
from plugseal.runtime.coding.schedule import Wish, find_ready

MODES = {"p": ExecutionMode.PARALLEL, "s": ExecutionMode.SEQUENTIAL, "u": ExecutionMode.UNSAID}


def wishes(text: str) -> list[Wish]:
    """Return the wishes of words like `p1`: the mode, then the plugin."""
    return [Wish(word[1], MODES[word[0]]) for word in text.split()]


@pytest.mark.parametrize(
    ("active", "waiting", "ready"),
    [
        pytest.param("", "p1 p1 p2", [0, 1, 2], id="parallel ones all"),
        pytest.param("", "s1 p1", [0], id="a sequential one alone"),
        pytest.param("", "p1 s1 p1", [0], id="nothing overtakes a sequential one"),
        pytest.param("p1", "s2 p1", [], id="a sequential one waits for other plugins too"),
        pytest.param("s1", "p2", [], id="nothing beside a sequential one"),
        pytest.param("", "u1 u1 u2", [0, 2], id="one that says nothing has its process for itself"),
        pytest.param("p1", "u1 p2", [1], id="it waits for parallel ones of its process"),
        pytest.param("u1", "p1 p2", [1], id="parallel ones wait for it"),
        pytest.param("p1", "u1 p1 p2", [2], id="and don't overtake it"),
        pytest.param("", "", [], id="nothing"),
    ],
)
def test_what_may_start(active: str, waiting: str, ready: list[int]) -> None:
    assert find_ready(wishes(waiting), wishes(active)) == ready


wish = st.builds(Wish, st.sampled_from("12"), st.sampled_from(list(ExecutionMode)))


@given(st.lists(wish, max_size=8))
def test_every_call_gets_its_turn_and_the_modes_hold(calls: list[Wish]) -> None:
    waiting, active, begun = list(calls), [], 0
    while waiting or active:
        indexes = find_ready(waiting, active)
        active += [waiting[index] for index in indexes]
        waiting = [one for index, one in enumerate(waiting) if index not in indexes]
        begun += len(indexes)
        assert active, "nobody gets a turn"
        for one in active:
            others = [other for other in active if other is not one]
            if one.mode is ExecutionMode.SEQUENTIAL:
                assert not others
            if one.mode is ExecutionMode.UNSAID:
                assert one.plugin not in [other.plugin for other in others]
        active.pop()
    assert begun == len(calls)
