"""The strict YAML parser."""

from __future__ import annotations

import pytest
import yaml

from plugseal.encode.documents import Syntax, locate
from plugseal.encode.yaml import (
    index_frontmatter,
    index_merged_yaml,
    index_yaml,
    mend_frontmatter,
    parse_frontmatter,
    parse_merged_yaml,
    parse_yaml,
)
from plugseal.errors import DataError
from plugseal.limits import MAX_KEY_BYTES, MAX_NUMBER_DIGITS
from plugseal.model.location import Span


@pytest.mark.parametrize(
    ("data", "value"),
    [
        pytest.param(b"", None, id="empty"),
        pytest.param(b"# only a comment\n", None, id="a comment"),
        pytest.param(b"\xef\xbb\xbfa: 1", {"a": 1}, id="a byte order mark"),
        pytest.param(b"a: 1\nb: [x, {c: d}]\n", {"a": 1, "b": ["x", {"c": "d"}]}, id="block and flow"),
        pytest.param(b"a: |\n  x\n  y\nb: >\n  x\n  y\n", {"a": "x\ny\n", "b": "x y\n"}, id="block scalars"),
        pytest.param(b"%YAML 1.2\n---\na: 1\n...\n", {"a": 1}, id="a version and markers"),
        pytest.param(
            b"[~, null, true, False, 12, 0o17, 0x1F, -1.5, 1e3, .5]",
            [None, None, True, False, 12, 15, 31, -1.5, 1000.0, 0.5],
            id="the core schema",
        ),
        pytest.param(
            b"[yes, on, NO, 2001-01-01, 1:30, 1_000, nUll, 'true', \"1\", '']",
            ["yes", "on", "NO", "2001-01-01", "1:30", "1_000", "nUll", "true", "1", ""],
            id="what only YAML 1.1 takes for something else is text",
        ),
        pytest.param(b"on: x\n1: y\nnull: z", {"on": "x", "1": "y", "null": "z"}, id="keys are text as written"),
        pytest.param(b"a: &x [1, 2]\nb: *x", {"a": [1, 2], "b": [1, 2]}, id="an alias"),
        pytest.param(b"- &a 1\n- *a\n- &a 2\n- *a", [1, 1, 2, 2], id="an anchor that moves"),
        pytest.param(
            b"!!map {a: !!str 1, b: !!int 2, c: !!float 1}", {"a": "1", "b": 2, "c": 1}, id="tags of the core"
        ),
        pytest.param(b"a: '<<'\n'<<': b", {"a": "<<", "<<": "b"}, id="a quoted key that looks like a merge"),
    ],
)
def test_a_good_document_is_read(data: bytes, value: object) -> None:
    assert parse_yaml(data) == value


@pytest.mark.parametrize(
    ("data", "message", "place"),
    [
        pytest.param(b'a: 1\n"\\x61": 2', "duplicate key `a`, first on line 1", (2, 1), id="duplicate after escapes"),
        pytest.param(b'1: a\n"1": b', "duplicate key `1`", (2, 1), id="duplicate by text"),
        pytest.param(b"{a, a}", "duplicate key `a`", (1, 5), id="duplicate in flow"),
        pytest.param(b"<<: {a: 1}", "merge keys", (1, 1), id="a merge key"),
        pytest.param(b"a: &x [*x]", "contains itself", (1, 8), id="a cycle"),
        pytest.param(b"a: &x {b: *x}", "contains itself", (1, 11), id="a cycle in a mapping"),
        pytest.param(b"a: *x", "is not defined", (1, 4), id="an unknown anchor"),
        pytest.param(b"a: &x 1\nb: [" + b"*x, " * 65 + b"]", "more than 64 aliases", (2, 261), id="too many aliases"),
        pytest.param(b"a: .inf", "`.inf` is refused", (1, 4), id="infinity"),
        pytest.param(b"a: [.NaN]", "`.NaN` is refused", (1, 5), id="not a number"),
        pytest.param(b"a: 1e999", "too large", (1, 4), id="a float that overflows"),
        pytest.param(b"a: " + b"9" * (MAX_NUMBER_DIGITS + 1), "too large", (1, 4), id="too many digits"),
        pytest.param(b"!!python/object/apply:os.system [id]", "the tag", (1, 1), id="a tag that makes an object"),
        pytest.param(b"!x 1", "the tag `!x`", (1, 1), id="a local tag"),
        pytest.param(b"a: !!binary aGk=", "the tag", (1, 4), id="a tag beyond the core"),
        pytest.param(b"a: !!int x", "does not fit", (1, 4), id="a tag that does not fit"),
        pytest.param(b"a: !!int true", "does not fit", (1, 4), id="true is no integer"),
        pytest.param(b"---\na: 1\n---\nb: 2", "more than one document", (3, 1), id="two documents"),
        pytest.param(b"%TAG ! tag:example.org,2000:\n---\na", "directives", (1, 1), id="a directive"),
        pytest.param(b"? [a]\n: b", "no plain text", (1, 3), id="a list as a key"),
        pytest.param(b"&x a: 1", "anchor or a tag", (1, 1), id="an anchored key"),
        pytest.param(b"a: x\nb:\n\tc: 1", "not valid YAML", (3, 1), id="a tab"),
        pytest.param(b"a: b: c", "mapping values are not allowed", (1, 5), id="two colons"),
        pytest.param(
            "日: 1\n日本: b: c".encode(), "mapping values are not allowed", (2, 6), id="places behind wide text"
        ),
        pytest.param(b"a: [1", "not valid YAML", (1, 6), id="cut off"),
        pytest.param(b"a: \x01", "holds U+0001", (1, 4), id="a control character"),
        pytest.param("a: \u2028b".encode(), "holds U+2028", (1, 4), id="a line end of YAML 1.1 only"),
        pytest.param("a: 1".encode("utf-16"), "UTF-16", (1, 1), id="UTF-16"),
        pytest.param(b"a: \xff", "not UTF-8", (1, 4), id="not UTF-8"),
        pytest.param(b'a: "\\ud800"', "invalid Unicode", (1, 7), id="a lone surrogate"),
        pytest.param(b"[" * 65, "nests deeper than 64", (1, 65), id="too deep in flow"),
        pytest.param(b"- " * 65 + b"a", "nests deeper than 64", (1, 129), id="too deep in blocks"),
        pytest.param(b"? " + b"k" * (MAX_KEY_BYTES + 1) + b"\n: 1", "a key of more than", (1, 3), id="a long key"),
    ],
)
def test_a_bad_document_is_refused_with_its_place(data: bytes, message: str, place: tuple[int, int]) -> None:
    with pytest.raises(DataError) as caught:
        parse_yaml(data)

    assert message in caught.value.message
    assert (caught.value.line, caught.value.column) == place


@pytest.mark.parametrize(
    ("data", "value"),
    [
        pytest.param(b"a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3", {"b": 1, "c": 3}, id="own keys count"),
        pytest.param(b"a: &x {c: 1}\nd:\n  c: 3\n  <<: *x", {"c": 3}, id="own keys above"),
        pytest.param(b"d: {<<: [{a: 1}, {a: 2, b: 2}]}", {"a": 1, "b": 2}, id="of several the first counts"),
    ],
)
def test_tables_are_merged_where_the_reader_of_the_file_does(data: bytes, value: object) -> None:
    document = parse_merged_yaml(data)
    assert isinstance(document, dict)
    assert document["d"] == value


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(b"<<: 1", "without a table", id="no table"),
        pytest.param(b"<<: [{}, 1]", "without a table", id="a list of other things"),
        pytest.param(b"<<: {}\n<<: {}", "duplicate key `<<`", id="two merge keys"),
    ],
)
def test_a_merge_of_something_else_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        parse_merged_yaml(data)


def test_merged_keys_have_the_places_where_they_are_written() -> None:
    places = index_merged_yaml(b"a: &x\n  b: 1\nd:\n  <<: *x\n")
    span = places.value(("d", "b"))
    assert span is not None
    assert span.line == 2


def test_aliases_count_for_what_they_expand_to() -> None:
    lines = [b"a0: &a0 [" + b",".join([b"x"] * 60) + b"]"]
    lines += [b"a%d: &a%d [" % (i, i) + b",".join([b"*a%d" % (i - 1)] * 15) + b"]" for i in range(1, 5)]

    with pytest.raises(DataError, match="too many values"):
        parse_yaml(b"\n".join(lines))


def test_aliases_count_for_their_depth() -> None:
    lines = [b"a0: &a0 " + b"[" * 30 + b"]" * 30, b"a1: &a1 " + b"[" * 30 + b"*a0" + b"]" * 30]

    assert parse_yaml(b"\n".join(lines)) is not None
    with pytest.raises(DataError, match="nests deeper"):
        parse_yaml(b"\n".join([*lines, b"a2: [[[*a1]]]", b"a3: [[[[*a1]]]]"]))


def test_keys_and_values_have_places() -> None:
    places = index_yaml('é: 1\nlist:\n  - x: {日: "q"}\n  - plain\nend: z'.encode())

    assert places.value(("é",)) == Span(1, 4, 1, 5)
    assert places.value(("list", 0, "x", "日")) == Span(3, 12, 3, 15)
    assert places.key(("list", 0, "x")) == Span(3, 5, 3, 6)
    assert places.value(("list",)) == Span(3, 3, 4, 10), "a block ends with its last value"
    assert places.value(("nope",)) is None


@pytest.mark.parametrize(
    ("data", "values", "body_line"),
    [
        pytest.param(b"---\nname: x\ntags: [a]\n---\n# Body\n", {"name": "x", "tags": ["a"]}, 5, id="the usual"),
        pytest.param(b"# Body\n---\nname: x\n---\n", {}, 1, id="none"),
        pytest.param(b"", {}, 1, id="empty file"),
        pytest.param(b"---\n---\nBody", {}, 3, id="an empty table"),
        pytest.param(b"---\r\nname: x\r\n---\r\nBody", {"name": "x"}, 4, id="line ends of Windows"),
        pytest.param(b"\xef\xbb\xbf---\nname: x\n...\nBody", {"name": "x"}, 4, id="a byte order mark and dots"),
        pytest.param(b"----\nno: fence\n----\n", {}, 1, id="four dashes"),
        pytest.param(b"---\ntext: |\n  x\n  --- y\n---", {"text": "x\n--- y\n"}, 6, id="dashes inside"),
    ],
)
def test_a_front_matter_is_read(data: bytes, values: object, body_line: int) -> None:
    assert parse_frontmatter(data) == (values, body_line)


@pytest.mark.parametrize(
    ("data", "message", "line"),
    [
        pytest.param(b"---\nname: x\n", "has no end", 1, id="no end"),
        pytest.param(b"---\n- a\n---\n", "is no table", 2, id="a list"),
        pytest.param(b"---\na: 1\na: 2\n---\n", "duplicate key `a`, first on line 2", 3, id="a duplicate"),
        pytest.param(b"---\nname: a: b\n---\n", "mapping values", 2, id="bad YAML"),
    ],
)
def test_a_bad_front_matter_is_refused_with_the_line_of_the_file(data: bytes, message: str, line: int) -> None:
    with pytest.raises(DataError) as caught:
        parse_frontmatter(data)

    assert message in caught.value.message
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("head", "values"),
    [
        pytest.param("name: a: b\ntools: Read", {"name": "a: b", "tools": "Read"}, id="a colon within a value"),
        pytest.param('description: Use "it": now \\n\r', {"description": 'Use "it": now \\n'}, id="quotes and escapes"),
        pytest.param("paths: **/*.ts\nx: 'a: b'", {"paths": "**/*.ts", "x": "a: b"}, id="stars, and a quoted value"),
        pytest.param("a: b: c\nhooks:\n  Stop: 1", {"a": "b: c", "hooks": {"Stop": 1}}, id="a table stays one"),
    ],
)
def test_a_front_matter_is_mended_where_its_values_lack_quotes(head: str, values: object) -> None:
    data = f"---\n{head}\n---\nname: not: this\n".encode()
    mended = mend_frontmatter(data)
    assert parse_frontmatter(mended).values == values
    assert mended.endswith(b"---\nname: not: this\n")


def test_places_in_a_front_matter_are_those_of_the_file() -> None:
    places = index_frontmatter(b"---\nname: x\ntags: [a]\n---\n# Body")

    assert places.value(("tags", 0)) == Span(3, 8, 3, 9)


@pytest.mark.parametrize(
    ("syntax", "data", "span"),
    [
        (Syntax.JSON, b'{"a": [1, 2]}', Span(1, 11, 1, 12)),
        (Syntax.JSONC, b'{"a": [1, /**/ 2,]}', Span(1, 16, 1, 17)),
        (Syntax.TOML, b"a = [1, 2]", Span(1, 9, 1, 10)),
        (Syntax.YAML, b"a:\n- 1\n- 2", Span(3, 3, 3, 4)),
        (Syntax.FRONTMATTER, b"---\na:\n- 1\n- 2\n---\n", Span(4, 3, 4, 4)),
    ],
)
def test_one_value_is_located_in_every_syntax(syntax: Syntax, data: bytes, span: Span) -> None:
    assert locate(data, ("a", 1), syntax=syntax) == span
    assert locate(data, ("b",), syntax=syntax) is None


def test_without_the_c_parser_small_documents_read_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"a: 1\nb: &x [yes, {c: 'd'}]\ne: *x\nf: |\n  g\n"
    expected, span = parse_yaml(data), index_yaml(data).value(("b", 1, "c"))
    monkeypatch.delattr(yaml, "CSafeLoader")

    assert parse_yaml(data) == expected
    assert index_yaml(data).value(("b", 1, "c")) == span


def test_without_the_c_parser_large_documents_are_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(yaml, "CSafeLoader")

    with pytest.raises(DataError, match="larger than 262,144 characters"):
        parse_yaml(b"- x\n" * 100_000)
