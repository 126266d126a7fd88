"""What crosses a worker's pipe comes back equal, or is refused; odd sources are told from plain ones."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugseal.errors import DataError
from plugseal.lang.facts import (
    UNKNOWN,
    Anchor,
    Context,
    EntryPoint,
    Event,
    FileFacts,
    Function,
    Interest,
    LocalCall,
    Nested,
    Ref,
    Unknown,
    Value,
    unread,
)
from plugseal.lang.isolation import needs_worker
from plugseal.limits import KIB, MAX_INLINE_SOURCE_BYTES
from plugseal.model.capability import Capability, Channel, Fact, Resolution
from plugseal.model.location import Span
from plugseal.scan.workers.wire import (
    parse_context,
    parse_facts,
    parse_header,
    render_context,
    render_facts,
    render_header,
)

TEXTS = st.text(st.characters(), max_size=20)
PLACES = st.integers(0, 2**31 - 1)
SPANS = st.builds(Span, PLACES, PLACES, PLACES, PLACES)
RESOLUTIONS = st.sampled_from([r.value for r in Resolution])
VALUES: st.SearchStrategy[Value] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=10**4999, max_value=10**5001)
    | st.floats(allow_nan=False)
    | TEXTS
    | st.builds(Ref, TEXTS)
    | st.just(UNKNOWN),
    lambda values: st.lists(values, max_size=4).map(tuple),
    max_leaves=8,
)
FACTS = st.builds(
    Fact,
    SPANS,
    st.sampled_from([c.value for c in Capability]),
    st.none() | TEXTS,
    RESOLUTIONS,
    st.sampled_from([c.value for c in Channel]),
    TEXTS,
)
EVENTS = st.builds(
    Event,
    TEXTS,
    TEXTS,
    SPANS,
    st.lists(VALUES, max_size=3).map(tuple),
    st.lists(st.tuples(TEXTS, VALUES), max_size=3).map(tuple),
    RESOLUTIONS,
    TEXTS,
)


def _tuples(strategy: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(strategy, max_size=3).map(tuple)


FILE_FACTS = st.builds(
    FileFacts,
    TEXTS,
    st.sampled_from(["read", "partial", "unread"]),
    TEXTS,
    _tuples(FACTS),
    _tuples(EVENTS),
    _tuples(EVENTS),
    _tuples(st.tuples(TEXTS, _tuples(TEXTS))),
    _tuples(TEXTS),
    _tuples(st.builds(EntryPoint, TEXTS, TEXTS, PLACES)),
    _tuples(st.builds(Nested, TEXTS, TEXTS, SPANS, _tuples(st.builds(Anchor, PLACES, PLACES, PLACES)), TEXTS, TEXTS)),
    _tuples(st.builds(Function, TEXTS, PLACES, PLACES)),
    _tuples(st.builds(LocalCall, PLACES, TEXTS)),
)
FULL = FileFacts(
    "python",
    "partial",
    "why",
    (Fact(Span(1, 1, 1, 9), "process.shell", None, "direct", "code", "import"),),
    (Event("call", "os.system", Span(1, 1, 1, 9), (Ref("x"), UNKNOWN, (1, 2.5)), (("shell", True),), "direct", "t"),),
    (),
    (("name", ("os.system",)),),
    ("os",),
    (EntryPoint("main", "start", 3),),
)


def _exact(value: object) -> str:
    """Describe a value with its types: `Unknown()`, `()` and `Ref("")` are equal to tuples, but not the same."""
    if isinstance(value, tuple):
        return f"{type(value).__name__}({','.join(map(_exact, value))})"
    return f"{type(value).__name__}:{_plain(value)}"


def _plain(value: object) -> str:
    if isinstance(value, int):
        return hex(value)
    return value.hex() if isinstance(value, float) else ascii(value)


@given(FILE_FACTS)
def test_facts_come_back_equal_in_values_and_types(facts: FileFacts) -> None:
    back = parse_facts(render_facts(facts))
    assert _exact(back) == _exact(facts)


@pytest.mark.parametrize(
    "text",
    ["\ud83d\ude00", "\U0001f600", "\udcff", "\0", "\u2028", '"\\', "\x1b[31m"],
    ids=["two surrogates", "one character", "surrogate escape", "NUL", "line separator", "quotes", "escape sequence"],
)
def test_hostile_text_comes_back_as_it_was(text: str) -> None:
    assert parse_facts(render_facts(unread("python", text))).reason == text


@given(st.binary(max_size=200))
def test_random_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(DataError):
        parse_facts(data)


@given(st.data())
def test_a_changed_reply_is_refused_or_still_well_formed(data: st.DataObject) -> None:
    reply = bytearray(render_facts(FULL))
    reply[data.draw(st.integers(0, len(reply) - 1))] = data.draw(st.integers(0, 255))
    try:
        facts = parse_facts(bytes(reply))
    except DataError:
        return
    assert _exact(parse_facts(render_facts(facts))) == _exact(facts)


REFUSED = {
    "not JSON": b"x",
    "an object": b"{}",
    "a number": b"1",
    "too few fields": b'["python","read",""]',
    "unknown status": b'["python","fine","",[],[],[],[],[],[]]',
    "number for text": b'["python","read",1,[],[],[],[],[],[]]',
    "unknown capability": b'["p","read","",[[[1,1,1,1],"world.peace",null,"direct","code","x"]],[],[],[],[],[]]',
    "negative line": b'["p","read","",[[[-1,1,1,1],"fs.read",null,"direct","code","x"]],[],[],[],[],[]]',
    "line as truth": b'["p","read","",[[[true,1,1,1],"fs.read",null,"direct","code","x"]],[],[],[],[],[]]',
    "line as reference": b'["p","read","",[[[{"ref":"x"},1,1,1],"fs.read",null,"direct","code","x"]],[],[],[],[],[]]',
    "huge line": b'["p","read","",[[[99999999999,1,1,1],"fs.read",null,"direct","code","x"]],[],[],[],[],[]]',
    "NaN": b'["p","read","",[],[["c","n",[1,1,1,1],[NaN],[],"direct","x"]],[],[],[],[]]',
    "bare float": b'["p","read","",[],[["c","n",[1,1,1,1],[1.5],[],"direct","x"]],[],[],[],[]]',
    "unknown value": b'["p","read","",[],[["c","n",[1,1,1,1],[{"code":"x"}],[],"direct","x"]],[],[],[],[]]',
    "two values in one": b'["p","read","",[],[["c","n",[1,1,1,1],[{"ref":"","int":""}],[],"direct","x"]],[],[],[],[]]',
    "bad integer": b'["p","read","",[],[["c","n",[1,1,1,1],[{"int":"zz"}],[],"direct","x"]],[],[],[],[]]',
    "deep": b"[" * 100_000,
    "bad UTF-8": b'["p\xff","read","",[],[],[],[],[],[]]',
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_malformed_reply_is_refused(name: str) -> None:
    with pytest.raises(DataError):
        parse_facts(REFUSED[name])


ODD_VALUES: dict[str, Value] = {
    "infinity": float("inf"),
    "negative infinity": float("-inf"),
    "negative zero": -0.0,
    "an integer of 5,001 digits": 10**5000,
    "an integer that JSON readers round": -(2**53),
    "truth": True,
    "an empty tuple": (),
    "unknown": UNKNOWN,
    "a reference to nothing": Ref(""),
}


@pytest.mark.parametrize("name", ODD_VALUES)
def test_odd_values_keep_their_type(name: str) -> None:
    value = ODD_VALUES[name]
    event = FULL.events[0]._replace(arguments=(value,))
    back = parse_facts(render_facts(FULL._replace(events=(event,)))).events[0].arguments[0]
    assert _exact(back) == _exact(value)
    assert isinstance(back, Unknown) == isinstance(value, Unknown)


def test_a_context_comes_back_equal_but_for_its_path() -> None:
    interest = Interest(
        frozenset({"b", "a"}), ("os.",), frozenset({"x"}), frozenset({"os.environ"}), re.compile("A+", re.IGNORECASE)
    )
    context = Context("path", interest, frozenset({"mine"}))
    assert parse_context(render_context(context)) == context._replace(path="")
    assert parse_context(render_context(Context("path", Interest()))) == Context("", Interest())


def test_a_context_is_written_the_same_for_any_order_of_its_sets() -> None:
    names = [f"name{number}" for number in range(100)]
    first = Context("", Interest(calls=frozenset(names)))
    second = Context("", Interest(calls=frozenset(reversed(names))))
    assert render_context(first) == render_context(second)


def test_a_header_keeps_a_path_that_is_not_unicode() -> None:
    assert parse_header(render_header("python", "a/\udcff\n.py")) == ("python", "a/\udcff\n.py")


def test_facts_are_plain_json() -> None:
    assert json.loads(render_facts(FULL))[0] == "python"


ODD = {
    "one byte over the limit": b"#" * (MAX_INLINE_SOURCE_BYTES + 1),
    "very many pipes, a line for each": b"aaaaaa |\n" * 4_001,
    "many short lines": b"x=1\n" * 30_000,
    "many numbers": b"x = [\n" + b"1,2,3,4,5,6,7,8,\n" * 7_000 + b"]\n",
    "a long sum over many lines": b"x = (0\n" + b"+1\n" * 30_000 + b")\n",
    "brackets": b"(" * 50_000,
    "one long line": b"x = 1\ny = '" + b"a" * 20_000 + b"'\n",
    "lines that end in CR only": b"x = 12345\r" * 3_000,
}
PLAIN = {
    "empty": b"",
    "a short file": b"import os\n" * 100,
    "a long file of ordinary code": b"    result = function_name(argument, other)  # why this is so\n" * 4_000,
    "a long text": b"'''\n" + b"words and words and words\n" * 8_000 + b"'''\n",
    "a short file of one line": b"1+" * 1_000 + b"1",
}


@pytest.mark.parametrize("name", ODD)
def test_a_large_or_odd_source_needs_a_worker(name: str) -> None:
    assert needs_worker(ODD[name], "a.py")


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_source_is_parsed_here(name: str) -> None:
    assert not needs_worker(PLAIN[name], "a.py")
    assert len(PLAIN[name]) < 256 * KIB
