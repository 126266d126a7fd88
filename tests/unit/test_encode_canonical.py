"""Canonical JSON: RFC 8785 bytes for what has them, an error of ours that says where for the rest."""

from __future__ import annotations

import enum
import json
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from plugseal.encode.canonical import MAX_INTEGER, build_canonical
from plugseal.errors import CanonicalError

_text = st.text(alphabet=st.characters(exclude_categories=["Cs"]))
_json = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | _text,
    lambda below: st.lists(below, max_size=4) | st.dictionaries(_text, below, max_size=4),
    max_leaves=12,
)


class Text(str):
    """Print as something else than it is."""


class Kind(str, enum.Enum):
    A = "a"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({"b": 1, "a": [True, None]}, b'{"a":[true,null],"b":1}', id="keys in order"),
        pytest.param((1, (2,)), b"[1,[2]]", id="tuples as lists"),
        pytest.param(
            {"\U0001f600": 1, "\ufb33": 2},
            '{"\U0001f600":1,"\ufb33":2}'.encode(),
            id="keys in the order of UTF-16, not of code points",
        ),
        pytest.param('\x00\b\t\n\f\r\x1f\x7f"\\/', b'"\\u0000\\b\\t\\n\\f\\r\\u001f\x7f\\"\\\\/"', id="short escapes"),
        pytest.param("e\u0301", b'"e\xcc\x81"', id="no normalisation"),
        pytest.param([MAX_INTEGER, -MAX_INTEGER], b"[9007199254740991,-9007199254740991]", id="largest integers"),
        pytest.param({}, b"{}", id="empty"),
    ],
)
def test_a_value_has_exactly_these_bytes(value: Any, expected: bytes) -> None:
    assert build_canonical(value) == expected


def nest(depth: int) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "where"),
    [
        pytest.param({"a": [0, 1.0]}, "$.a[1]", id="a float without a fraction"),
        pytest.param(-0.0, "$", id="negative zero"),
        pytest.param(float("nan"), "$", id="not a number"),
        pytest.param(MAX_INTEGER + 1, "$", id="an integer too large"),
        pytest.param(-MAX_INTEGER - 1, "$", id="an integer too small"),
        pytest.param(["\ud800"], "$[0]", id="a lone high surrogate"),
        pytest.param({"a": "x\udfffx"}, "$.a", id="a lone low surrogate"),
        pytest.param({"\udc80": 1}, "$", id="a lone surrogate in a key"),
        pytest.param({1: 2}, "$", id="a key that is no string"),
        pytest.param({True: 2}, "$", id="a key that is a boolean"),
        pytest.param({Text("a"): 2}, "$", id="a key of a subclass"),
        pytest.param(Text("a"), "$", id="a string of a subclass"),
        pytest.param(Kind.A, "$", id="an enum"),
        pytest.param(b"a", "$", id="bytes"),
        pytest.param({"a": {1}}, "$.a", id="a set"),
        pytest.param(nest(5000), "$" + "[0]" * 65, id="nested too deep"),
    ],
)
def test_what_has_no_canonical_form_is_refused_with_its_place(value: Any, where: str) -> None:
    with pytest.raises(CanonicalError) as refused:
        build_canonical(value)
    assert refused.value.place == where


@given(_json)
def test_canonical_bytes_read_back_to_the_value(value: Any) -> None:
    assert json.loads(build_canonical(value)) == value
    assert build_canonical(json.loads(build_canonical(value))) == build_canonical(value)


@given(st.dictionaries(st.text(st.characters(max_codepoint=0x7F)), st.integers(-MAX_INTEGER, MAX_INTEGER)))
def test_for_ascii_keys_the_standard_library_writes_the_same(value: dict[str, int]) -> None:
    assert (
        build_canonical(value) == json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    )


@given(_json)
def test_both_ways_of_writing_give_the_same_bytes(value: Any) -> None:
    assert build_canonical(value) == rfc8785.dumps(value)
