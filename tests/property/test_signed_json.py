"""What is signed is RFC 8785, and statements survive a round trip, for any text and number."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugseal.encode.canonical import MAX_INTEGER, build_canonical
from plugseal.encode.plain import parse_canonical, parse_signed_json, render_signed_json
from plugseal.encode.statement import parse_statement, parse_time, render_statement, render_time
from plugseal.errors import DataError
from plugseal.model.statement import Decision, Reviewed, Scanned, Statement

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
KEYS = st.text(st.characters(max_codepoint=127), max_size=8)
LEAVES = st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | TEXT
VALUES = st.recursive(LEAVES, lambda below: st.lists(below, max_size=4) | st.dictionaries(KEYS, below, max_size=4))
DIGESTS = st.text("0123456789abcdef", min_size=64, max_size=64)
NAMES = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=30)


@given(VALUES)
def test_the_standard_encoder_writes_rfc_8785(value: Any) -> None:
    data = render_signed_json(value)
    assert data == build_canonical(value)
    assert parse_canonical(data, max_bytes=1 << 20) == value


@given(VALUES, st.sampled_from([None, 1, 4]))
def test_any_layout_means_the_same(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=indent == 1)
    assert parse_signed_json(b"\xef\xbb\xbf" + text.encode(), max_bytes=1 << 20) == value


@given(st.integers(0, 253402300799))
def test_a_moment_survives_a_round_trip(seconds: int) -> None:
    assert parse_time(render_time(seconds)) == seconds


@given(NAMES, NAMES, TEXT, NAMES, DIGESTS, DIGESTS, st.integers(2, MAX_INTEGER), st.sampled_from(Decision))
def test_a_statement_survives_a_round_trip(
    system: str, name: str, version: str, reviewer: str, one: str, two: str, number: int, decision: Decision
) -> None:
    scanned = Scanned(one, "low", (("low", number),), number, "1", two)
    made = Statement(
        Reviewed(system, name, version),
        one,
        two,
        one,
        decision,
        reviewer,
        None,
        number,
        two,
        number,
        "2027-01-01T00:00:00Z",
        "2028-01-01T00:00:00Z",
        scanned,
        two,
    )
    assert parse_statement(render_statement(made)) == made


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b'{"a":1,"a":1}', id="a key twice"),
        pytest.param(b'{"a":1,"\\u0061":1}', id="a key twice, once escaped"),
        pytest.param(b'{"a":1.0}', id="a float"),
        pytest.param(b'{"a":1e3}', id="an exponent"),
        pytest.param(b'{"a":-0}', id="minus zero"),
        pytest.param(b'{"a":NaN}', id="NaN"),
        pytest.param(b'{"a":Infinity}', id="infinity"),
        pytest.param(b'{"a":9007199254740992}', id="an integer past 2**53 - 1"),
        pytest.param(b'{"a":' + b"9" * 5000 + b"}", id="a long integer"),
        pytest.param(b'{"a":"\\ud800"}', id="a lone surrogate"),
        pytest.param('{"ä":1}'.encode(), id="a key that is no ASCII"),
        pytest.param(b'{"a":1}x', id="something behind"),
        pytest.param(b"[" * 5000 + b"]" * 5000, id="deep nesting"),
        pytest.param(b"\xef\xbb\xbf\xef\xbb\xbf{}", id="two marks"),
    ],
)
def test_what_two_parsers_could_read_differently_is_refused(data: bytes) -> None:
    with pytest.raises(DataError):
        parse_signed_json(data, max_bytes=1 << 20)


@pytest.mark.parametrize("text", ["2027-02-29T00:00:00Z", "2027-13-01T00:00:00Z", "2027-01-01T24:00:00Z", "2027-01-01"])
def test_a_time_that_does_not_exist_is_refused(text: str) -> None:
    with pytest.raises(DataError):
        parse_time(text)
