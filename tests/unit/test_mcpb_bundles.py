"""Bundles for desktop apps: the server that the app starts, on each platform, and which manifests are bundles."""

from __future__ import annotations

import json

import pytest

from tests.described import described, lines, one


def _bundle(server: dict[str, object], **more: object) -> str:
    return json.dumps({"manifest_version": "0.3", "name": "b", "version": "1.0.0", "server": server, **more})


_CONFIG = {"command": "node", "args": ["${__dirname}/s.js"], "env": {"A": "1"}}


def test_a_bundle_s_server_is_described_with_its_entry() -> None:
    text = _bundle({"type": "node", "entry_point": "s.js", "mcp_config": _CONFIG})
    (server,) = one({"manifest.json": text, "s.js": ""}, "mcpb").components
    assert (server.command, server.entry, server.gate) == (
        ("node", "${__dirname}/s.js"),
        "s.js",
        "the app's dialog at install",
    )


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        pytest.param({"command": "x"}, (("x", "${__dirname}/s.js"), {"A": "1"}), id="another program"),
        pytest.param({"args": ["y"]}, (("node", "y"), {"A": "1"}), id="other arguments"),
        pytest.param({"env": {"B": "2"}}, (("node", "${__dirname}/s.js"), {"B": "2"}), id="another environment"),
    ],
)
def test_what_a_platform_replaces_is_a_server_of_its_own(
    own: dict[str, object],
    expected: tuple[object, object],
) -> None:
    config = {**_CONFIG, "platform_overrides": {"win32": own}}
    plugin = one({"manifest.json": _bundle({"type": "node", "mcp_config": config}), "s.js": ""}, "mcpb")
    first, second = plugin.components
    assert (first.name, second.name) == ("b", "b.win32")
    assert (second.command, dict(second.literals)) == expected


@pytest.mark.parametrize(
    ("kind", "command"),
    [
        pytest.param("node", ("node", "s.js"), id="node"),
        pytest.param("python", ("python", "s.js"), id="python"),
        pytest.param("uv", ("uv", "run", "s.js"), id="uv"),
        pytest.param("binary", ("s.js",), id="binary"),
    ],
)
def test_a_type_without_a_command_is_started_as_the_app_does(kind: str, command: tuple[str, ...]) -> None:
    plugin = one({"manifest.json": _bundle({"type": kind, "entry_point": "s.js"}), "s.js": ""}, "mcpb")
    server = plugin.components[-1]
    assert (server.command, server.entry) == (command, "s.js")
    installs = [component.command for component in plugin.components[:-1]]
    assert installs == ([("uv", "sync")] if kind == "uv" else [])


@pytest.mark.parametrize(
    ("server", "message"),
    [
        pytest.param(
            {"type": "node", "entry_point": "../s.js", "mcp_config": _CONFIG},
            "leaves the bundle",
            id="out of it",
        ),
        pytest.param({"type": "wasm", "mcp_config": _CONFIG}, "must be one of", id="an unknown type"),
        pytest.param({"type": "node", "mcp_config": {"args": ["x"]}}, "is missing", id="no command"),
    ],
)
def test_a_bundle_that_makes_no_sense_has_a_fault(server: dict[str, object], message: str) -> None:
    (fault,) = one({"manifest.json": _bundle(server), "s.js": ""}, "mcpb").faults
    assert message in fault.message


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"manifest_version": 3, "name": "extension of a browser"}', id="of a browser"),
        pytest.param('{"name": "app", "icons": []}', id="of a web app"),
        pytest.param('{"server": {"type": "node"}}', id="without a version"),
    ],
)
def test_a_manifest_of_something_else_is_no_bundle(text: str) -> None:
    assert described({"manifest.json": text}, "mcpb") == []


def test_tools_and_questions_of_a_bundle_are_shown() -> None:
    text = _bundle(
        {"type": "node", "mcp_config": _CONFIG}, tools=[{"name": "t"}], user_config={"k": {"type": "string"}}
    )
    assert lines(one({"manifest.json": text}, "mcpb"))[1:] == ["setting k install", "tool t tool"]
