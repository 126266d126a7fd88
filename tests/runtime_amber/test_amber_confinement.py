"""Paths among arguments stay in the workspace, and the plugin sees none that does not."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from plugseal.runtime.amber.confine import OutsideError, confine
from plugseal.runtime.amber.schemas import json_schema, summary

OUTSIDE: dict[str, dict[str, Any]] = {
    "an absolute path": {"path": "/etc/passwd"},
    "a climbing path": {"path": "../../etc/passwd"},
    "a path that climbs further in": {"file": "notes/../../x"},
    "only two dots": {"dir": ".."},
    "a home": {"path": "~/.ssh/id_rsa"},
    "somebody's home": {"path": "~root"},
    "a link out of the workspace": {"path": "out/passwd"},
    "a link in the middle": {"path": "notes/../out/passwd"},
    "a file URL": {"path": "file:///etc/passwd"},
    "a file URL of a host": {"path": "file://localhost/etc/passwd"},
    "an escaped file URL": {"path": "file:///%65tc/passwd"},
    "a file URL under a name for addresses": {"url": "FILE:///etc/passwd"},
    "camel case": {"outputFile": "/etc/x"},
    "snake case": {"log_path": "/var/log/x"},
    "several words": {"targetDirectory": "/tmp"},
    "a list of paths": {"paths": ["a.txt", "../b.txt"]},
    "inside an object": {"options": {"file": "/etc/x"}},
    "objects in a list": {"files": [{"name": "../x", "content": "c"}]},
    "a key that is a path": {"files": {"../x": "content"}},
    "a key under any name": {"notes": {"/etc/x": "content"}},
    "a name that says nothing": {"target": "/etc/passwd"},
    "climbing under a name that says nothing": {"where": "a/../../b"},
    "a backslash": {"path": "..\\..\\x"},
    "a zero byte": {"path": "a\0b"},
    "an empty path": {"path": ""},
    "another folder with the same beginning": {"path": "{workspace}2/x"},
    "slashes before": {"path": "///etc/passwd"},
}


@pytest.fixture
def workspace(tmp_path: Path) -> str:
    root = tmp_path / "ws"
    (root / "notes").mkdir(parents=True)
    (tmp_path / "ws2").mkdir()
    (root / "out").symlink_to("/etc")
    (root / "in").symlink_to("notes")
    return os.path.realpath(root)


@pytest.mark.parametrize("arguments", OUTSIDE.values(), ids=OUTSIDE)
def test_a_path_that_leads_out_is_refused(arguments: dict[str, Any], workspace: str) -> None:
    filled = json.loads(json.dumps(arguments).replace("{workspace}", workspace))
    with pytest.raises(OutsideError):
        confine(filled, {}, workspace)


INSIDE: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a relative path becomes absolute": ({"path": "notes/a.txt"}, {"path": "{workspace}/notes/a.txt"}),
    "one that is not there yet": ({"path": "new/a.txt"}, {"path": "{workspace}/new/a.txt"}),
    "dots that stay inside": ({"path": "notes/../a.txt"}, {"path": "{workspace}/a.txt"}),
    "a link that stays inside": ({"path": "in/a.txt"}, {"path": "{workspace}/notes/a.txt"}),
    "the workspace itself": ({"dir": "."}, {"dir": "{workspace}"}),
    "an absolute path inside": ({"path": "{workspace}/a"}, {"path": "{workspace}/a"}),
    "an absolute path inside under any name": ({"target": "{workspace}/a"}, {"target": "{workspace}/a"}),
    "a file called with a tilde": ({"path": "./~x"}, {"path": "{workspace}/~x"}),
    "a list": ({"files": ["a", "in/b"]}, {"files": ["{workspace}/a", "{workspace}/notes/b"]}),
    "a name that says nothing": ({"target": "a/b"}, {"target": "a/b"}),
    "a text": ({"text": "/etc/passwd is a file"}, {"text": "/etc/passwd is a file"}),
    "a text that looks like a path": ({"content": "// a comment"}, {"content": "// a comment"}),
    "a text of several lines": ({"input": "/* c */\nint x;"}, {"input": "/* c */\nint x;"}),
    "an address": ({"url": "https://example.com/../x"}, {"url": "https://example.com/../x"}),
    "a path of an address": ({"url_path": "/index.html"}, {"url_path": "/index.html"}),
    "a path within JSON": ({"json_path": "/a/b"}, {"json_path": "/a/b"}),
    "the size of a file": ({"file_size": 3}, {"file_size": 3}),
    "an identifier of a file": ({"file_id": "f-1"}, {"file_id": "f-1"}),
    "about so many": ({"eta": "~5min"}, {"eta": "~5min"}),
    "a separator": ({"separator": "/"}, {"separator": "/"}),
    "words with dots": ({"name": "a ... b .."}, {"name": "a ... b .."}),
    "a range": ({"range": "HEAD~1..HEAD"}, {"range": "HEAD~1..HEAD"}),
    "numbers and more": ({"path_count": 1, "x": None, "y": True}, {"path_count": 1, "x": None, "y": True}),
}


@pytest.mark.parametrize(("given", "seen"), INSIDE.values(), ids=INSIDE)
def test_what_stays_inside_passes(given: dict[str, Any], seen: dict[str, Any], workspace: str) -> None:
    filled = json.loads(json.dumps(given).replace("{workspace}", workspace))
    expected = json.loads(json.dumps(seen).replace("{workspace}", workspace))
    assert confine(filled, {}, workspace) == expected


def test_a_schema_can_say_that_an_argument_is_a_path(workspace: str) -> None:
    schema = {"properties": {"x": {"type": "string", "format": "path"}, "y": {"items": {"format": "file"}}}}
    assert confine({"x": "a", "y": ["b"]}, schema, workspace) == {"x": f"{workspace}/a", "y": [f"{workspace}/b"]}
    with pytest.raises(OutsideError, match=r"`y\.0` leads out"):
        confine({"y": ["../b"]}, schema, workspace)


def test_arguments_that_nest_without_end_are_refused(workspace: str) -> None:
    deep: dict[str, Any] = {}
    for _ in range(100):
        deep = {"x": deep}
    with pytest.raises(OutsideError, match="nests deeper"):
        confine(deep, {}, workspace)


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_the_plugin_sees_no_path_that_leads_out_and_is_not_even_started(world: Any) -> None:
    world.add()
    answer = world.call("args", path="../secret")
    assert answer.output == "ERROR: the call was refused: `path` leads out of the workspace"
    assert world.runs() == []
    inside = world.call("args", path="a.txt")
    assert json.loads(inside.output) == {"path": f"{world.workspace.resolve()}/a.txt"}


SCHEMAS: dict[str, tuple[Any, dict[str, Any], str]] = {
    "nothing": (None, {"type": "object", "properties": {}}, ""),
    "an empty table": ({}, {"type": "object", "properties": {}}, ""),
    "the short form": (
        {"name": {"type": "string", "required": True}, "times": {"type": "integer"}},
        {
            "type": "object",
            "properties": {"name": {"type": "string"}, "times": {"type": "integer"}},
            "required": ["name"],
        },
        "name: string, times: integer (optional)",
    ),
    "JSON Schema": (
        {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]},
        {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]},
        "x: number",
    ),
    "JSON Schema without a type": (
        {"properties": {"x": {"type": "number"}}},
        {"type": "object", "properties": {"x": {"type": "number"}}},
        "x: number (optional)",
    ),
    "an argument called type": (
        {"type": {"type": "string"}},
        {"type": "object", "properties": {"type": {"type": "string"}}},
        "type: string (optional)",
    ),
    "an argument called properties": (
        {"properties": {"type": "string", "required": True}},
        {"type": "object", "properties": {"properties": {"type": "string"}}, "required": ["properties"]},
        "properties: string",
    ),
    "what is neither": ({"x": 5}, {"type": "object"}, ""),
    "a list": ([1], {"type": "object", "properties": {}}, ""),
}


@pytest.mark.parametrize(("declared", "schema", "told"), SCHEMAS.values(), ids=SCHEMAS)
def test_both_forms_of_schemas_are_json_schema(declared: Any, schema: dict[str, Any], told: str) -> None:
    assert json_schema(declared) == schema
    assert summary(json_schema(declared)) == told
