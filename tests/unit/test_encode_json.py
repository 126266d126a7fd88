"""The strict JSON parser."""

from __future__ import annotations

import pytest

from plugseal.encode.json import index_json, parse_json
from plugseal.errors import DataError
from plugseal.limits import MAX_DATA_BYTES, MAX_DATA_DEPTH, MAX_DATA_NODES, MAX_KEY_BYTES, MAX_NUMBER_DIGITS
from plugseal.model.location import WHOLE_FILE, Span


@pytest.mark.parametrize(
    ("data", "value"),
    [
        pytest.param(
            b'{"a": [1, 2.5, true, false, null, "x"]}', {"a": [1, 2.5, True, False, None, "x"]}, id="all kinds"
        ),
        pytest.param(b" \t\r\n1 \n", 1, id="white space around"),
        pytest.param(b'"\\ud83d\\ude00 \\u00e9 \\n"', "\U0001f600 é \n", id="escapes and a surrogate pair"),
        pytest.param('"\u2028\x7f"'.encode(), "\u2028\x7f", id="what JSON allows unescaped"),
        pytest.param(b"\xef\xbb\xbf{}", {}, id="a byte order mark"),
        pytest.param(b'{"a": {"a": 1}}', {"a": {"a": 1}}, id="the same key at two levels"),
        pytest.param(b"[" * MAX_DATA_DEPTH + b"]" * MAX_DATA_DEPTH, None, id="as deep as allowed"),
        pytest.param(b"9" * MAX_NUMBER_DIGITS, None, id="as many digits as allowed"),
        pytest.param(b'{"' + b"k" * MAX_KEY_BYTES + b'": 1}', None, id="a key as long as allowed"),
        pytest.param(b'"[[[[{{{{,,,,\\"[[[["', '[[[[{{{{,,,,"[[[[', id="brackets in a string are no structure"),
    ],
)
def test_a_good_document_is_read(data: bytes, value: object) -> None:
    parsed = parse_json(data)

    assert value is None or parsed == value


@pytest.mark.parametrize(
    ("data", "message", "place"),
    [
        pytest.param(b"", "empty", (1, 1), id="empty"),
        pytest.param(b" \n ", "empty", (2, 2), id="only white space"),
        pytest.param(b'{"a": 1,\n "a": 2}', "duplicate key `a`, first on line 1", (2, 2), id="duplicate key"),
        pytest.param(b'{"a": 1, "\\u0061": 2}', "duplicate key `a`", (1, 10), id="duplicate key after escapes"),
        pytest.param(b'[{"b": {"a": 1, "a": 1}}]', "duplicate key `a`", (1, 17), id="duplicate key inside, same value"),
        pytest.param(b"[NaN]", "`NaN` and `Infinity`", (1, 2), id="NaN"),
        pytest.param(b"[1, -Infinity]", "`NaN` and `Infinity`", (1, 5), id="Infinity"),
        pytest.param(b"[1e999]", "too large", (1, 2), id="a float that overflows"),
        pytest.param(b"9" * (MAX_NUMBER_DIGITS + 1), "too large", (1, 1), id="too many digits"),
        pytest.param(b'["\\ud800"]', "lone surrogate", (1, 2), id="a lone surrogate"),
        pytest.param(b'{"\\udc00x": 1}', "lone surrogate", (1, 2), id="a lone surrogate in a key"),
        pytest.param(b'["\\ude00\\ud83d"]', "lone surrogate", (1, 2), id="a surrogate pair in the wrong order"),
        pytest.param(b'["\xff"]', "not UTF-8: byte 0xff", (1, 3), id="not UTF-8"),
        pytest.param(b'["\xc0\x80"]', "not UTF-8", (1, 3), id="overlong UTF-8"),
        pytest.param(b'["\xed\xa0\x80"]', "not UTF-8", (1, 3), id="a surrogate as UTF-8"),
        pytest.param("{}".encode("utf-16"), "UTF-16", (1, 1), id="UTF-16 with a mark"),
        pytest.param("{}".encode("utf-32"), "UTF-32", (1, 1), id="UTF-32 with a mark"),
        pytest.param("{}".encode("utf-16-le"), "UTF-16 or UTF-32", (1, 2), id="UTF-16 without a mark"),
        pytest.param('{"é": 1}'.encode("utf-16-be"), "UTF-16 or UTF-32", (1, 1), id="UTF-16, the other order"),
        pytest.param(b'["ab\x00"]', "NUL", (1, 5), id="NUL"),
        pytest.param(b'["a\x01"]', "control character", (1, 4), id="a control character in a string"),
        pytest.param(b'["a\nb"]', "control character", (1, 4), id="a line end in a string"),
        pytest.param(b'["\\q"]', "unknown escape", (1, 3), id="an unknown escape"),
        pytest.param(b'["\\\\\\u12"]', "unknown escape", (1, 5), id="a short escape after an escaped backslash"),
        pytest.param(b'{"a": "b', "without an end", (1, 7), id="a string without an end"),
        pytest.param(b"[1,]", "comma before `]`", (1, 4), id="a trailing comma"),
        pytest.param(b'{"a":1,}', "comma before `}`", (1, 8), id="a trailing comma in an object"),
        pytest.param(b"{} {}", "after the end", (1, 4), id="text after the end"),
        pytest.param(b"// x\n{}", "comments", (1, 1), id="a comment"),
        pytest.param(b"[1 2]", "expected `,` or `]`", (1, 4), id="no comma"),
        pytest.param(b"[,1]", "expected a value", (1, 2), id="no value"),
        pytest.param(b"{'a': 1}", "double quotes", (1, 2), id="single quotes"),
        pytest.param(b"{a: 1}", "double quotes", (1, 2), id="a bare key"),
        pytest.param(b'{"a" 1}', "expected `:`", (1, 6), id="no colon"),
        pytest.param(b'{"a":', "middle of a value", (1, 6), id="cut off"),
        pytest.param(b"[01]", "expected a value", (1, 2), id="a leading zero"),
        pytest.param(b"[.5]", "expected a value", (1, 2), id="no digit before the point"),
        pytest.param(b"[+1]", "expected a value", (1, 2), id="a plus sign"),
        pytest.param("[\u0661]".encode(), "expected a value", (1, 2), id="digits of another script"),
        pytest.param(b"[True]", "expected a value", (1, 2), id="Python's names"),
        pytest.param(b"\xc2\xa0{}", "expected a value", (1, 1), id="a space that is not JSON's"),
        pytest.param(b"\x0c{}", "expected a value", (1, 1), id="a form feed"),
        pytest.param(b"[" * (MAX_DATA_DEPTH + 1), "nests deeper than 64", (1, MAX_DATA_DEPTH + 1), id="too deep"),
        pytest.param(b'{"a":' * 65 + b"1" + b"}" * 65, "nests deeper than 64", (1, 321), id="too deep in objects"),
        pytest.param(b'{"' + b"k" * (MAX_KEY_BYTES + 1) + b'": 1}', "a key of more than", (1, 2), id="a long key"),
        pytest.param(
            b'{"' + "é".encode() * (MAX_KEY_BYTES // 2 + 1) + b'": 1}',
            "a key of more than",
            (1, 2),
            id="a long key in bytes",
        ),
        pytest.param(
            b"[" + b"1," * MAX_DATA_NODES + b"1]", "too many values", (1, MAX_DATA_NODES * 2 + 2), id="too many values"
        ),
        pytest.param(b" " * (MAX_DATA_BYTES + 1), "larger than 4,194,304 bytes", (0, 0), id="too large"),
    ],
)
def test_a_bad_document_is_refused_with_its_place(data: bytes, message: str, place: tuple[int, int]) -> None:
    with pytest.raises(DataError) as caught:
        parse_json(data)

    assert message in caught.value.message
    assert (caught.value.line, caught.value.column) == place


def test_a_byte_order_mark_is_refused_where_it_must_not_be() -> None:
    with pytest.raises(DataError, match="byte order mark"):
        parse_json(b"\xef\xbb\xbf{}", allow_mark=False)


@pytest.mark.parametrize(
    ("data", "value"),
    [
        pytest.param(b'{// one\n"a": 1, /* two\n */ "b": [1, 2,],\n}', {"a": 1, "b": [1, 2]}, id="both kinds"),
        pytest.param(
            b'{"a": "// no", "b": "/* no */", "c": ",]"}', {"a": "// no", "b": "/* no */", "c": ",]"}, id="strings"
        ),
        pytest.param(b'["\\"// no", 1] // yes', ['"// no', 1], id="an escaped quote"),
        pytest.param(b'["\\\\"] // "', ["\\"], id="an escaped backslash"),
        pytest.param(b"[1 /**/, /***/ 2 /*/ */]", [1, 2], id="odd stars"),
        pytest.param(b"// only\n1", 1, id="before the value"),
    ],
)
def test_comments_are_read_where_they_are_asked_for(data: bytes, value: object) -> None:
    assert parse_json(data, comments=True) == value


@pytest.mark.parametrize("data", [b"[,]", b"[1,,]", b"{,}", b"/* [1]", b"/*/ [1]", b'{"a": 1, /* */ "a": 2}', b"[1] x"])
def test_comments_allow_nothing_else(data: bytes) -> None:
    with pytest.raises(DataError):
        parse_json(data, comments=True)


def test_the_place_of_a_fault_is_right_behind_a_comment() -> None:
    with pytest.raises(DataError) as caught:
        parse_json(b'{\n /* x\n y */ "a": 1, // z\n "a": 2}', comments=True)

    assert (caught.value.line, caught.value.column) == (4, 2)


def test_keys_and_values_have_places() -> None:
    places = index_json('{"é": {"list": [1,\n  "x"]}, "n": null}'.encode())

    assert places.value(("é", "list", 1)) == Span(2, 3, 2, 6)
    assert places.key(("é", "list")) == Span(1, 8, 1, 14)
    assert places.value(("é", "list")) == Span(1, 16, 2, 7)
    assert places.key(("é", "list", 1)) is None, "an item has no key"
    assert places.value(("n",)) == Span(2, 15, 2, 19)
    assert places.value(("missing",)) is None
    assert places.value(("n", "deeper")) is None
    assert places.value(("é", "list", 7)) is None


def test_the_nearest_place_of_what_is_missing_is_its_parent() -> None:
    places = index_json(b'{"servers": {"docs": {}}}')

    assert places.nearest(("servers", "docs", "command")) == places.key(("servers", "docs"))
    assert places.nearest(("nothing",)) == WHOLE_FILE


def test_line_ends_of_all_systems_count_once() -> None:
    places = index_json(b'{\r\n"a":\r"b",\n"c": 1}')

    assert places.key(("c",)) == Span(4, 1, 4, 4)
