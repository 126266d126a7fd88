"""Tools in recorded answers to `tools/list`: which forms are lists of tools, and which of their names collide."""

from __future__ import annotations

import json
from typing import Any

import pytest

from plugseal.scan.detectors.identities import look_for_colliding_tools, look_for_confusable_tools
from plugseal.scan.detectors.tool_lists import recorded_lists

SCHEMA = {"type": "object"}


def tool(name: str) -> dict[str, Any]:
    return {"name": name, "description": "x", "inputSchema": SCHEMA}


def collisions(document: object) -> list[tuple[int, str]]:
    data = document if isinstance(document, bytes) else json.dumps(document, indent=1).encode()
    return [(hit.span.line, hit.note) for hit in look_for_colliding_tools("recorded.json", data, "json")]


@pytest.mark.parametrize(
    "document",
    [
        pytest.param({"tools": [tool("a.b"), tool("a/b")]}, id="the result"),
        pytest.param({"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool("a.b"), tool("a/b")]}}, id="the message"),
        pytest.param([tool("a.b"), tool("a/b")], id="the list alone"),
        pytest.param([{"result": {"tools": [tool("a.b"), tool("a/b")]}}], id="a list of messages"),
        pytest.param({"servers": {"x": {"tools": [tool("a.b"), tool("a/b")]}}}, id="below the name of a server"),
        pytest.param([{"name": n, "input_schema": SCHEMA} for n in ("a b", "a_b")], id="with an underscore"),
        pytest.param(
            [{"type": "function", "function": {"name": n, "parameters": SCHEMA}} for n in ("a-b", "a_b")],
            id="as functions",
        ),
        pytest.param([{"name": n, "parameters": SCHEMA} for n in ("A_b", "a__b")], id="case and doubled separators"),
        pytest.param([tool("\uff41_b"), tool("a_b")], id="full-width letters"),
    ],
)
def test_names_that_become_one_collide_in_every_form_of_list(document: object) -> None:
    assert len(collisions(document)) == 1


@pytest.mark.parametrize(
    "document",
    [
        pytest.param({"tools": [tool("read"), tool("read_all")]}, id="different names"),
        pytest.param({"a": [tool("read")], "b": [tool("read")]}, id="one name in two lists"),
        pytest.param([{"name": "a.b"}, {"name": "a/b"}], id="no schema"),
        pytest.param([{"name": n, "inputSchema": "object"} for n in ("a.b", "a/b")], id="a schema that is text"),
        pytest.param([{"name": 1, "inputSchema": SCHEMA}, {"name": 1, "inputSchema": SCHEMA}], id="names of no text"),
        pytest.param(b'{"inputSchema": ', id="broken"),
        pytest.param(b'"inputSchema"', id="a text"),
        pytest.param({"inputSchema": [[]]}, id="no tool"),
    ],
)
def test_what_is_no_list_or_has_other_names_is_silent(document: object) -> None:
    assert collisions(document) == []


def test_the_place_is_that_of_the_later_name_and_the_note_names_the_earlier() -> None:
    data = b'{"tools": [\n{"inputSchema": {}, "name": "a.b"},\n{"inputSchema": {}, "name": "a/b"}\n]}'
    (hit,) = look_for_colliding_tools("recorded.json", data, "json")
    assert hit.note == "`a.b` becomes the same name"
    assert (hit.span.line, hit.span.column) == (3, 29)


def test_one_name_twice_is_said_in_other_words() -> None:
    assert collisions([tool("a"), tool("a"), tool("a")])[0][1] == "an earlier tool has the same name"
    assert len(collisions([tool("a"), tool("a"), tool("a")])) == 2


def test_a_recorded_name_with_letters_of_two_scripts_is_confusable() -> None:
    data = json.dumps({"tools": [tool("re\u0430d"), tool("write"), tool("list ")]}).encode()
    hits = list(look_for_confusable_tools("recorded.json", data, "json"))
    assert [hit.note for hit in hits] == ["mixes scripts: U+0430 among Latin letters", "begins or ends with a space"]


def test_a_manifest_whose_own_system_speaks_of_its_tools_is_left_to_it() -> None:
    data = json.dumps({"tools": [tool("Label"), tool("label")]}).encode()
    assert recorded_lists(data)
    assert not list(look_for_colliding_tools("x/coding-plugin.json", data, "json"))


def test_other_languages_are_no_recordings() -> None:
    data = json.dumps([tool("a.b"), tool("a/b")]).encode()
    assert not list(look_for_colliding_tools("x.py", data, "Python"))
