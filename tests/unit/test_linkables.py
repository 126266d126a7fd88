"""What waits for the linker comes back as it was put away."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from plugseal.lang.facts import UNKNOWN, Event, FileFacts, Ref
from plugseal.model.location import Span
from plugseal.scan.linking.linkable import Linkables

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just(UNKNOWN) | st.builds(Ref, st.text()),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=6,
)
EVENTS = st.builds(
    Event,
    st.just("call"),
    st.text(max_size=9),
    st.builds(Span, st.integers(1, 99), st.integers(1, 99), st.integers(1, 99), st.integers(1, 99)),
    st.lists(VALUES, max_size=3).map(tuple),
    st.lists(st.tuples(st.text(max_size=3), VALUES), max_size=3).map(tuple),
    st.just("resolved"),
    st.just("import"),
)
EXPORTS = st.lists(st.tuples(st.text(max_size=4), st.lists(st.text(max_size=4)).map(tuple))).map(tuple)


@given(st.lists(EVENTS, max_size=5).map(tuple), EXPORTS)
def test_pending_names_and_exports_come_back(
    pending: tuple[Event, ...], exports: tuple[tuple[str, tuple[str, ...]], ...]
) -> None:
    files = Linkables()
    files.put("a.py", FileFacts("python", "read", pending=pending, exports=exports), b"x = 1\n")
    assert list(files) == ["a.py"]
    assert files["a.py"].pending == pending
    assert files["a.py"].exports == exports
    assert files.lines("a.py")(1) == (("x = 1", "") if pending else ("",))
