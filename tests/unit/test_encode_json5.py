"""JSON5 becomes JSON, line for line; what is no JSON5 is refused, and what JSON refuses stays refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugseal.encode.json import parse_json
from plugseal.encode.json5 import build_json
from plugseal.errors import DataError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("{a: 1}", {"a": 1}, id="a bare key"),
        pytest.param("{$a_1: 1}", {"$a_1": 1}, id="a bare key of odd letters"),
        pytest.param("{größe: 1}", {"größe": 1}, id="a bare key beyond ASCII"),
        pytest.param("{'a': 'b'}", {"a": "b"}, id="single quotes"),
        pytest.param("{a: 'say \"b\"'}", {"a": 'say "b"'}, id="double quotes inside single ones"),
        pytest.param("{a: 'it\\'s'}", {"a": "it's"}, id="an escaped quote"),
        pytest.param("{a: 'b\\\nc'}", {"a": "bc"}, id="a line that goes on"),
        pytest.param("{a: '\\v\\q'}", {"a": "\vq"}, id="escapes that JSON has not"),
        pytest.param("{a: [1, 2,], }", {"a": [1, 2]}, id="commas at the end"),
        pytest.param("// a\n{/* b */ a: 1}", {"a": 1}, id="comments"),
        pytest.param("{a: '// no', b: \"/* no */\"}", {"a": "// no", "b": "/* no */"}, id="comments in texts"),
        pytest.param(
            "{a: 0x1F, b: +2, c: .5, d: 5., e: -0xA}", {"a": 31, "b": 2, "c": 0.5, "d": 5.0, "e": -10}, id="numbers"
        ),
        pytest.param("{a: 1.5e3, b: 2E-1}", {"a": 1500.0, "b": 0.2}, id="exponents"),
        pytest.param("{a: true, b: null}", {"a": True, "b": None}, id="constants"),
        pytest.param("{true: 1, null: false}", {"true": 1, "null": False}, id="constants as keys"),
        pytest.param("true", True, id="a constant alone"),
    ],
)
def test_what_json5_adds_is_read(text: str, expected: object) -> None:
    assert parse_json(build_json(text.encode())) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("{a: 1, a: 2}", id="a key twice"),
        pytest.param("{a: 1, 'a': 2}", id="a key twice in two spellings"),
        pytest.param("{a: NaN}", id="no number"),
        pytest.param("{a: Infinity}", id="infinity"),
        pytest.param("{a: -Infinity}", id="minus infinity"),
        pytest.param("{a: b}", id="a bare word as a value"),
        pytest.param("{a 1}", id="no colon"),
        pytest.param("{,}", id="a comma alone"),
        pytest.param("{a: 'b}", id="a text that never ends"),
        pytest.param("{a: 01}", id="a number with a zero before it"),
        pytest.param("{a: 1} x", id="something behind"),
        pytest.param("{a: @}", id="a character of no language"),
        pytest.param("", id="nothing"),
    ],
)
def test_what_is_no_json5_or_two_readers_could_read_differently_is_refused(text: str) -> None:
    with pytest.raises(DataError):
        parse_json(build_json(text.encode()))


def test_lines_stay_where_they_are() -> None:
    text = "{\n  // first\n  a: 'x',\n  /* second\n  third */ b: @\n}"
    with pytest.raises(DataError) as caught:
        build_json(text.encode())
    assert caught.value.line == 5


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_json_is_json5(value: object) -> None:
    assert json.loads(build_json(json.dumps(value).encode())) == value
