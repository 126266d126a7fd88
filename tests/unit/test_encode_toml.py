"""The strict TOML parser."""

from __future__ import annotations

from datetime import date, datetime, time, timezone
from pathlib import Path

import pytest

import plugseal
from plugseal.encode.toml import index_toml, parse_known_toml, parse_toml
from plugseal.errors import DataError
from plugseal.limits import MAX_KEY_BYTES, MAX_NUMBER_DIGITS, MAX_TOML_KEY_PARTS
from plugseal.model.location import Span


@pytest.mark.parametrize(
    ("data", "value"),
    [
        pytest.param(b"", {}, id="empty"),
        pytest.param(b"\xef\xbb\xbfa = 1", {"a": 1}, id="a byte order mark"),
        pytest.param(b"a = 1\r\n# x\r\n\r\nb = 2 # y\r\n", {"a": 1, "b": 2}, id="line ends of Windows"),
        pytest.param(b"a.\"b.c\".'d' = true", {"a": {"b.c": {"d": True}}}, id="dotted and quoted keys"),
        pytest.param(b'"\\u0061\\"" = 1', {'a"': 1}, id="a key with escapes"),
        pytest.param(b"[a.b]\nc = 1\n[a]\nd = 2", {"a": {"b": {"c": 1}, "d": 2}}, id="a parent after its child"),
        pytest.param(
            b"[[a]]\nb = 1\n[a.c]\nd = 2\n[[a]]",
            {"a": [{"b": 1, "c": {"d": 2}}, {}]},
            id="tables in an array of tables",
        ),
        pytest.param(b"a = [1, [2], {b = 3}, # x\n]", {"a": [1, [2], {"b": 3}]}, id="arrays and inline tables"),
        pytest.param(b'a = """\nx"" \\" # no\n"""', {"a": 'x"" " # no\n'}, id="quotes in a long string"),
        pytest.param(b'a = """"x"""""', {"a": '"x""'}, id="quotes at the ends of a long string"),
        pytest.param(b"a = '''''x''' # y", {"a": "''x"}, id="apostrophes in a long literal string"),
        pytest.param(b"a = ['# no', \"[[[\", '''\n}}}''']", {"a": ["# no", "[[[", "}}}"]}, id="structure in strings"),
        pytest.param(b"a = 0xff\nb = 0o17\nc = 0b11\nd = 1_000", {"a": 255, "b": 15, "c": 3, "d": 1000}, id="integers"),
        pytest.param(b"a = 1e3\nb = -0.5\nc = 1_0.0_1", {"a": 1000.0, "b": -0.5, "c": 10.01}, id="floats"),
        pytest.param(
            b"a = 1979-05-27\nb = 07:32:00\nc = 1979-05-27 07:32:00Z",
            {"a": date(1979, 5, 27), "b": time(7, 32), "c": datetime(1979, 5, 27, 7, 32, tzinfo=timezone.utc)},
            id="dates stay dates",
        ),
        pytest.param(b"a = " + b"[" * 63 + b"]" * 63, None, id="as deep as allowed"),
        pytest.param(b".".join([b"a"] * MAX_TOML_KEY_PARTS) + b" = 1", None, id="as many parts as allowed"),
        pytest.param(b"a = " + b"9" * MAX_NUMBER_DIGITS, None, id="as many digits as allowed"),
    ],
)
def test_a_good_document_is_read(data: bytes, value: object) -> None:
    parsed = parse_toml(data)

    assert value is None or parsed == value


@pytest.mark.parametrize(
    ("data", "message", "place"),
    [
        pytest.param(
            b'a = 1\n"\\u0061" = 2', "duplicate key `a`, first on line 1", (2, 1), id="duplicate after escapes"
        ),
        pytest.param(b"a = {b = 1, b = 2}", "duplicate key `b`", (1, 13), id="duplicate in an inline table"),
        pytest.param(b"[a]\n[a]", "twice", (2, 3), id="the same table twice"),
        pytest.param(b"a = 1\n[a]", "is a value already", (2, 2), id="a value as a table"),
        pytest.param(b"a = []\n[[a]]", "", (2, 4), id="an array as an array of tables"),
        pytest.param(b"a = inf", "`inf` and `nan`", (1, 5), id="infinity"),
        pytest.param(b"a = [1, -nan]", "`inf` and `nan`", (1, 9), id="not a number"),
        pytest.param(b"a = 1e999", "too large", (1, 5), id="a float that overflows"),
        pytest.param(b"a = " + b"9" * (MAX_NUMBER_DIGITS + 1), "too large", (1, 5), id="too many digits"),
        pytest.param(b"a = 0x" + b"f" * MAX_NUMBER_DIGITS, "too large", (1, 5), id="too many digits of another base"),
        pytest.param(b'a = "\\ud800"', "scalar", (1, 12), id="a lone surrogate"),
        pytest.param(b'"\\ud800" = 1', "scalar", (1, 1), id="a lone surrogate in a key"),
        pytest.param(b"a = 1\nb = '\xff'", "not UTF-8", (2, 6), id="not UTF-8"),
        pytest.param("a = 1".encode("utf-16"), "UTF-16", (1, 1), id="UTF-16"),
        pytest.param(b"a = 'x\0'", "NUL", (1, 7), id="NUL"),
        pytest.param(b"# \x01", "invalid character", (1, 3), id="a control character in a comment"),
        pytest.param(b"a = 1\rb = 2", "end of the line", (1, 6), id="a lone carriage return"),
        pytest.param(b"a = 1 b = 2", "end of the line", (1, 6), id="two pairs on one line"),
        pytest.param(b"a = 1 garbage", "end of the line", (1, 6), id="trailing garbage"),
        pytest.param(b"a = nope", "invalid value", (1, 5), id="a bare word"),
        pytest.param(b"a =", "expected a value", (1, 4), id="no value"),
        pytest.param(b"a", "expected `=`", (1, 2), id="no equals sign"),
        pytest.param(b"[a", "expected `]`", (1, 3), id="a table without an end"),
        pytest.param(b"[[a]", "expected `]]`", (1, 4), id="an array of tables without an end"),
        pytest.param(b'a = "x\ny"', "without an end", (1, 5), id="a line end in a string"),
        pytest.param(b'a = """x', "without an end", (1, 5), id="a long string without an end"),
        pytest.param(b"a = [1, 2", "expected `,` or `]`", (1, 10), id="an array without an end"),
        pytest.param(b"a = " + b"[" * 64 + b"]" * 64, "nests deeper", (1, 68), id="too deep in arrays"),
        pytest.param(b"a = " + b"{b=" * 64, "nests deeper", (1, 194), id="too deep in inline tables"),
        pytest.param(
            b"[" + b".".join([b"a"] * 60) + b"]\n" + b".".join([b"b"] * 10) + b" = 1",
            "nests deeper than 64",
            (2, 23),
            id="too deep by a table and a key together",
        ),
        pytest.param(b"[[" + b".".join([b"a"] * 64) + b"]]", "nests deeper", (1, 132), id="too deep by a table"),
        pytest.param(
            b"a." * MAX_TOML_KEY_PARTS + b"a = 1", "a key of more than 64 parts", (1, 129), id="too many parts"
        ),
        pytest.param(
            b"a . " * MAX_TOML_KEY_PARTS + b"a = 1", "a key of more than 64 parts", None, id="parts with spaces"
        ),
        pytest.param(b"'a'." * MAX_TOML_KEY_PARTS + b"a = 1", "a key of more than 64 parts", None, id="quoted parts"),
        pytest.param(b"a" * (MAX_KEY_BYTES + 1) + b" = 1", "a key of more than", (1, 1), id="a long key"),
    ],
)
def test_a_bad_document_is_refused_with_its_place(data: bytes, message: str, place: tuple[int, int] | None) -> None:
    with pytest.raises(DataError) as caught:
        parse_toml(data)

    assert message in caught.value.message
    assert place in (None, (caught.value.line, caught.value.column))


def test_keys_and_values_have_places() -> None:
    places = index_toml(b"top = 1\n[a.b]\nc = [1, {d = 'x'}]\n[[t]]\n[[t]]\ne.f = 2\n")

    assert places.value(("top",)) == Span(1, 7, 1, 8)
    assert places.value(("a", "b")) == Span(2, 1, 2, 6), "a table's place is its header"
    assert places.key(("a", "b")) == Span(2, 4, 2, 5)
    assert places.value(("a", "b", "c", 1, "d")) == Span(3, 14, 3, 17)
    assert places.value(("t", 1, "e", "f")) == Span(6, 7, 6, 8)
    assert places.value(("t", 1)) == Span(5, 1, 5, 6)
    assert places.value(("t", 2)) is None


def test_every_table_of_the_package_is_strict() -> None:
    tables = sorted(Path(plugseal.__file__).parent.rglob("tables/*.toml"))

    assert len(tables) > 100
    for table in tables:
        assert parse_toml(table.read_bytes(), max_bytes=table.stat().st_size) == parse_known_toml(table.read_bytes())
