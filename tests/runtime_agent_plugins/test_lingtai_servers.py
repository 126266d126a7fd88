"""What a server of a registered package becomes, and why it is skipped: `<root>` stands for the package's folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.lingtai_agents import MCP_SCHEMA, PLUGIN_SCHEMA, Agent, stdio, write_json


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path)


def _mounted(agent: Agent, folder: Path) -> dict[str, Any]:
    """Register one package and return its row."""
    agent.declare(folder).refresh()
    (row,) = agent.info()["registered"]
    return dict(row)


def _problems(agent: Agent) -> str:
    return "\n".join(row["error"] for row in agent.info()["problems"])


@pytest.mark.parametrize(
    ("spec", "becomes"),
    [
        pytest.param({"command": "./bin/serve"}, {"command": "<root>/bin/serve"}, id="a command of its own"),
        pytest.param({"command": "./"}, {"command": "<root>"}, id="the root itself"),
        pytest.param({"command": "bin/../bin/serve"}, {"command": "<root>/bin/serve"}, id="up and down inside"),
        pytest.param({"command": "${PLUGIN_ROOT}/run.sh"}, {"command": "<root>/run.sh"}, id="root in a command"),
        pytest.param({"command": "/usr/bin/env"}, {"command": "/usr/bin/env"}, id="an absolute command"),
        pytest.param({"command": "node"}, {"command": "node"}, id="a bare name"),
        pytest.param(
            {"args": ["${PLUGIN_ROOT}/bin/serve.py"]}, {"args": ["<root>/bin/serve.py"]}, id="root in an argument"
        ),
        pytest.param(
            {"args": ["node", "-c", "/usr/bin/env", "${HOME}/x"]},
            {"args": ["node", "-c", "/usr/bin/env", "${HOME}/x"]},
            id="what is no path of the plugin",
        ),
        pytest.param({"args": ["<root>/x"]}, {"args": ["<literal>/x"]}, id="a word that only looks like ours"),
        pytest.param({"cwd": "./sub"}, {"cwd": "<root>/sub"}, id="a working folder"),
        pytest.param({"cwd": "${PLUGIN_DATA}/x"}, {"cwd": "${PLUGIN_DATA}/x"}, id="a folder of its data"),
        pytest.param({"env": {"TOKEN": "x"}}, {"env": {"TOKEN": "x"}}, id="variables"),
        pytest.param(
            {"type": "streamable-http", "url": "https://a.example.invalid/", "headers": {"X-A": "b"}},
            {"transport": "http", "url": "https://a.example.invalid/", "headers": {"X-A": "b"}},
            id="streamable HTTP",
        ),
        pytest.param(
            {"type": "sse", "url": "http://localhost:1/x"},
            {"transport": "http", "url": "http://localhost:1/x"},
            id="SSE",
        ),
    ],
)
def test_a_server_becomes_a_record_that_carries_all_it_says(
    spec: dict[str, object], becomes: dict[str, object], agent: Agent
) -> None:
    if "url" not in spec:
        spec = {"type": "stdio", "command": "node", **spec}
        becomes = {"transport": "stdio", "command": "node", "args": [], **becomes}
    folder = agent.plugin("alpha", {"greeter": spec})
    (folder / "sub").mkdir()
    row = _mounted(agent, folder)
    assert row["mcp_registered"] == ["greeter"]
    expected = json.loads(json.dumps(becomes).replace("<root>", str(folder.resolve())).replace("<literal>", "<root>"))
    assert agent.records() == [
        {
            "name": "greeter",
            "summary": "greeter: MCP server provided by Agent Plugin alpha",
            "transport": expected.pop("transport"),
            "source": "plugin:alpha",
            **expected,
        }
    ]
    assert list(agent.records()[0])[:4] == ["name", "summary", "transport", "source"]
    before = agent.registry.read_bytes()
    assert not agent.refresh().is_changed, "carried fields change nothing the second time"
    assert agent.registry.read_bytes() == before


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        pytest.param({"command": "./../../bin/server"}, "command: ", id="up"),
        pytest.param({"command": "../../bin/sh"}, "'../../bin/sh'", id="up without a dot before"),
        pytest.param({"command": ".."}, "'..'", id="up alone"),
        pytest.param({"command": "sub/../../../bin/sh"}, "'sub/../../../bin/sh'", id="down and further up"),
        pytest.param({"command": "${PLUGIN_ROOT}/../outside"}, "${PLUGIN_ROOT}/../outside", id="up from the root"),
        pytest.param({"command": "./link/sh"}, "escapes", id="a link out"),
        pytest.param({"args": ["./../escape.js"]}, "args[0]", id="an argument up"),
        pytest.param({"args": ["x", "../../bin/sh"]}, "args[1]: ", id="the second argument"),
        pytest.param({"args": [".."]}, "'..'", id="an argument that is up"),
        pytest.param({"args": ["sub/../../../bin/sh"]}, "'sub/../../../bin/sh'", id="an argument further up"),
        pytest.param({"cwd": "./../x"}, "cwd: ", id="a working folder up"),
        pytest.param({"env": {"A": 1}}, "env must map strings to strings", id="a number among variables"),
        pytest.param({"env": "x"}, "env", id="variables that are none"),
        pytest.param(
            {"type": "sse", "command": None, "url": "https://a.example.invalid", "headers": {"A": 1}},
            "headers must map strings to strings",
            id="a number among headers",
        ),
        pytest.param({"type": "websocket"}, "invalid type 'websocket'", id="another transport"),
        pytest.param({"command": ""}, "non-empty", id="no command"),
        pytest.param({"args": "x"}, "args must be a list", id="arguments that are none"),
    ],
)
def test_a_bad_server_is_skipped_and_the_others_stay(spec: dict[str, object], why: str, agent: Agent) -> None:
    bad = {key: value for key, value in {"type": "stdio", "command": "node", **spec}.items() if value is not None}
    folder = agent.plugin("alpha", {"bad": bad, "good": stdio("node")})
    (folder / "link").symlink_to("/bin")
    row = _mounted(agent, folder)
    assert (row["mcp_servers"], row["mcp_registered"]) == (["good"], ["good"])
    (skip,) = [skip for skip in row["skipped"] if skip["component"] == "mcp:bad"]
    assert why in skip["reason"]
    assert [record["name"] for record in agent.records()] == ["good"]
    assert why in _problems(agent)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        pytest.param({"$schema": PLUGIN_SCHEMA, "mcpServers": {}}, "$schema", id="another schema"),
        pytest.param({"$schema": MCP_SCHEMA, "mcpServers": []}, "mcpServers", id="servers that are none"),
        pytest.param({"$schema": MCP_SCHEMA, "mcpServers": {}, "more": 1}, "more", id="a field more"),
        pytest.param([], "object", id="no object"),
    ],
)
def test_a_bad_configuration_of_servers_costs_the_servers_alone(data: object, why: str, agent: Agent) -> None:
    folder = agent.plugin("alpha", {"greeter": stdio("node")})
    agent.skill(folder, "top")
    if isinstance(data, dict) and data.get("mcpServers") == {}:
        data["mcpServers"] = {"greeter": stdio("node")}
    write_json(folder / "mcp.json", data)
    row = _mounted(agent, folder)
    assert (row["skills"], row["mcp_servers"]) == (["top"], [])
    assert [skip["component"] for skip in row["skipped"]] == ["mcp.json"]
    assert why in row["skipped"][0]["reason"]


@pytest.mark.parametrize("name", ["Greeter", "1st", "a" * 32, "a b", "a\n", "ä"])
def test_a_server_whose_name_nobody_types_is_skipped_and_never_renamed(name: str, agent: Agent) -> None:
    row = _mounted(agent, agent.plugin("alpha", {name: stdio("node"), "good": stdio("node")}))
    assert row["mcp_registered"] == ["good"]
    assert "invalid name" in row["skipped"][0]["reason"]
