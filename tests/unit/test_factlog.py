"""A log of facts yields exactly what was added."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from plugseal.model.capability import Fact
from plugseal.model.factlog import FactLog
from plugseal.model.location import Span

NUMBERS = st.integers(min_value=0, max_value=10**9)
FACTS = st.builds(
    Fact,
    st.builds(Span, NUMBERS, NUMBERS, NUMBERS, NUMBERS),
    st.sampled_from(["fs.read", "env.read"]),
    st.none() | st.text() | st.just("\udc80"),
    st.sampled_from(["direct", "possible"]),
    st.just("code"),
    st.sampled_from(["import", "hook:Stop"]),
)


@given(st.lists(st.tuples(st.sampled_from(["a", "b/c", "\udcff"]), FACTS), max_size=20))
def test_a_log_yields_what_was_added_once_and_by_file(facts: list[tuple[str, Fact]]) -> None:
    log = FactLog(facts)
    listed = list(log)
    assert set(listed) == set(facts)
    assert len(listed) == len(set(facts)) == len(log)
    assert [file for file, _ in listed] == sorted(file for file, _ in listed)


@given(st.lists(FACTS, max_size=8), st.lists(FACTS, max_size=8))
def test_adding_twice_is_adding_at_once(first: list[Fact], second: list[Fact]) -> None:
    log = FactLog()
    log.add("f", first)
    log.add("f", second)
    assert log.of("f") == FactLog(("f", fact) for fact in [*first, *second]).of("f")


def test_a_copy_grows_alone() -> None:
    fact = Fact(Span(1, 1, 1, 2), "fs.read", None, "direct", "code", "import")
    log = FactLog([("a", fact)])
    other = log.copy()
    other.add("b", [fact])
    assert log.files() == ["a"]
    assert other.files() == ["a", "b"]
