"""Whatever a file holds: looking for recorded tools never fails, and every name that it gives stands where it says."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from plugseal.scan.detectors.identities import (
    look_for_colliding_tools,
    look_for_confusable_tools,
    look_for_hidden_tools,
)
from plugseal.scan.detectors.tool_lists import recorded_lists

KEYS = st.sampled_from(["name", "inputSchema", "parameters", "function", "type", "tools", "description", "x"])
TEXTS = st.text(max_size=8) | st.sampled_from(["function", "object", "a.b", "a/b", "\u200b\u200b"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=30,
)


def look(data: bytes, language: str) -> None:
    for detector in (look_for_colliding_tools, look_for_confusable_tools, look_for_hidden_tools):
        list(detector("any.json", data, language))


@given(value=VALUES, indent=st.sampled_from([None, 1]))
@settings(max_examples=200, deadline=None)
def test_names_of_recorded_tools_stand_where_they_are_said_to(value: object, indent: int | None) -> None:
    data = json.dumps({"inputSchema": value, "tools": [value]}, indent=indent, ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )
    look(data, "json")
    lines = data.decode("utf-8", "surrogatepass").split("\n")
    for tools in recorded_lists("any.json", data, "json"):
        for tool in tools:
            written = lines[tool.span.line - 1][tool.span.column - 1 : tool.span.end_column - 1]
            assert json.loads(written) == tool.name


@given(data=st.binary(max_size=200), language=st.sampled_from(["json", "JSON lines", "Python"]))
@settings(max_examples=200, deadline=None)
def test_no_bytes_make_it_fail(data: bytes, language: str) -> None:
    look(b'{"inputSchema": ' + data, language)
    look(data + b'"inputSchema"', language)
