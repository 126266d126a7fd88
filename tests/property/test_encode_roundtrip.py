"""The strict parsers against the parsers behind them: the same values on all that is benign, our error on the rest."""

from __future__ import annotations

import json
import math
from typing import Any

import tomli
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from plugseal.encode.json import index_json, parse_json
from plugseal.encode.toml import index_toml, parse_toml
from plugseal.encode.yaml import index_yaml, parse_frontmatter, parse_yaml
from plugseal.errors import DataError

_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
_LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**64), 2**64), st.floats(allow_nan=False, allow_infinity=False), _TEXT
)
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_TEXT, inner, max_size=4)),
    max_leaves=20,
)
_JSON_PIECES = [
    '"',
    "\\",
    "\\u00e9",
    "\\ud800",
    "a",
    "1",
    "-",
    ".",
    "e",
    "0",
    "[",
    "]",
    "{",
    "}",
    ":",
    ",",
    " ",
    "\n",
    "true",
    "NaN",
    "\x01",
]
_TOML_PIECES = [
    '"',
    "'",
    '"""',
    "'''",
    "\\",
    "a",
    "1",
    ".",
    "-",
    "_",
    "=",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    ",",
    " ",
    "\n",
    "\r\n",
    "#",
    "é",
    "true",
    "inf",
    "0x",
    "1979-05-27",
    "07:32:00",
    "\\u0061",
    "\x01",
]
_YAML_PIECES = [
    "a",
    ":",
    " ",
    "\n",
    "- ",
    "? ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "&a",
    "*a",
    "!!str",
    "!",
    "#",
    "|",
    ">",
    "'",
    '"',
    "---",
    "...",
    "%",
    "~",
    "\t",
    "1",
    "true",
    "  ",
]


def _paths(value: Any, prefix: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the way to each value."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [prefix, *(path for key, item in members for path in _paths(item, (*prefix, key)))]


@given(_VALUES, st.sampled_from([None, 1]), st.booleans())
def test_any_json_value_comes_back(value: Any, indent: int | None, ensure_ascii: bool) -> None:
    data = json.dumps(value, indent=indent, ensure_ascii=ensure_ascii).encode()

    assert parse_json(data) == value
    assert parse_json(data, comments=True) == value


@given(_VALUES)
def test_every_json_value_has_a_place_that_reads_as_that_value(value: Any) -> None:
    text = json.dumps(value)
    places = index_json(text.encode())

    for path in _paths(value):
        expected = value
        for part in path:
            expected = expected[part]
        span = places.value(path)
        assert span is not None
        assert span.line == span.end_line == 1
        assert json.loads(text[span.column - 1 : span.end_column - 1]) == expected


def _strict_json(text: str) -> Any:
    """Return what the standard parser reads, or raise ValueError for what is refused by rule."""

    def refuse(name: str) -> Any:
        raise ValueError(name)

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("duplicate")
        return dict(pairs)

    def finite(digits: str) -> float:
        if math.isinf(float(digits)):
            raise ValueError(digits)
        return float(digits)

    value = json.loads(text, object_pairs_hook=unique, parse_constant=refuse, parse_float=finite)
    json.dumps(value, ensure_ascii=False).encode()
    return value


@settings(max_examples=1000)
@given(st.lists(st.sampled_from(_JSON_PIECES), max_size=12).map("".join))
@example('["\\\\\\"", 1]')
@example('{"a":1,"a":1}')
@example('"\\\\q"')
@example("[1e400]")
def test_json_text_is_accepted_exactly_when_the_standard_parser_accepts_it(text: str) -> None:
    try:
        expected = _strict_json(text)
    except ValueError:
        expected = DataError
    for parse in (parse_json, index_json):
        try:
            value: Any = parse(text.encode())
        except DataError as error:
            assert error.message != "not valid JSON", "the scanner must know why"
            value = DataError
        if expected is DataError or parse is parse_json:
            assert value == expected


@settings(max_examples=1000)
@given(st.lists(st.sampled_from(_TOML_PIECES), max_size=14).map("".join))
@example('a = """x"""""')
@example("a = '''''x'''")
@example('a = """\\"""x"""')
@example("a={b=1,\n c=2,}")
@example("[a]\n[a.b]\n[[a.c]]\n[[a.c]]\n[a.c.d]")
@example("a = [ # x ]\n]")
@example('"\\\\" = 1')
@example("a.b = 1\na.c = 2\n[a.d]")
def test_toml_text_is_accepted_exactly_when_its_parser_accepts_it(text: str) -> None:
    try:
        expected: Any = tomli.loads(text)
    except tomli.TOMLDecodeError:
        expected = DataError
    if "inf" in text:
        return
    try:
        value: Any = parse_toml(text.encode())
    except DataError:
        value = DataError

    assert value == expected


def _toml(value: Any) -> str:
    """Write a value inline."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


_TOML_TEXT = st.text(st.characters(categories=["L", "N", "P", "Zs"]), max_size=12)
_TOML_VALUES = st.recursive(
    st.one_of(st.booleans(), st.integers(-(2**63), 2**63 - 1), _TOML_TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_TOML_TEXT, inner, max_size=4)),
    max_leaves=20,
)


@given(st.dictionaries(_TOML_TEXT, _TOML_VALUES, max_size=4))
def test_any_toml_value_comes_back_and_has_a_place(value: dict[str, Any]) -> None:
    lines = [f"{json.dumps(key, ensure_ascii=False)} = {_toml(item)}\n" for key, item in value.items()]
    data = "".join(lines).encode()
    places = index_toml(data)

    assert parse_toml(data) == value
    for number, (key, item) in enumerate(value.items(), 1):
        span = places.value((key,))
        assert span is not None
        assert span.line == number
        assert all(places.value((key, *path)) for path in _paths(item))


_YAML_TEXT = st.text(st.characters(categories=["L", "N", "P", "Zs"]), max_size=12)
_YAML_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**64), 2**64), _YAML_TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_YAML_TEXT, inner, max_size=4)),
    max_leaves=20,
)


@given(_YAML_VALUES, st.sampled_from([None, True, False]))
def test_any_yaml_value_comes_back_and_has_a_place(value: Any, flow: bool | None) -> None:
    data = yaml.dump(value, Dumper=_NoAliases, default_flow_style=flow, allow_unicode=True).encode()
    places = index_yaml(data)

    assert parse_yaml(data) == value
    assert all(places.value(path) for path in _paths(value))


class _NoAliases(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _quoted_number(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    """Quote what begins as a number: `08` is a text to the library, which knows YAML 1.1, and 8 by YAML 1.2."""
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="'" if text[:1] in _OF_NUMBERS else None)


_OF_NUMBERS = tuple("+-.0123456789")
_NoAliases.add_representer(str, _quoted_number)


@settings(max_examples=1000)
@given(st.lists(st.sampled_from(_YAML_PIECES), max_size=14).map("".join))
def test_yaml_text_is_never_accepted_where_the_safe_loader_refuses_it(text: str) -> None:
    try:
        value = parse_yaml(text.encode())
    except DataError:
        return

    loaded = yaml.load(text, Loader=yaml.CSafeLoader)

    assert (loaded is None) == (value is None) or isinstance(value, (str, int, float))


@given(st.binary(max_size=200))
def test_any_bytes_end_in_a_value_or_in_our_error(data: bytes) -> None:
    for parse in (parse_json, parse_toml, parse_yaml, parse_frontmatter, index_json, index_toml, index_yaml):
        try:
            parse(data)
        except DataError as error:
            assert error.message
            assert error.line >= 0
