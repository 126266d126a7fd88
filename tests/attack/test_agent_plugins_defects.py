"""What lingtai's own code lets through, rewrites wrongly or crashes on: each is closed here, whatever it does there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lingtai_agents import MCP_SCHEMA, PLUGIN_SCHEMA, Agent, stdio, write_json


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path)


def _skipped(agent: Agent, spec: dict[str, object]) -> str:
    """Register a package with a good server and this one, and return why this one is skipped."""
    folder = agent.plugin("alpha", {"bad": spec, "good": stdio("node")})
    (folder / "lnk").symlink_to("/etc")
    agent.declare(folder).refresh()
    (row,) = agent.info()["registered"]
    assert [record["name"] for record in agent.records()] == ["good"]
    (reason,) = [skip["reason"] for skip in row["skipped"] if skip["component"] == "mcp:bad"]
    return str(reason)


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        pytest.param(stdio("lnk/passwd"), "`command`", id="a link out below a bare folder"),
        pytest.param(stdio("${HOME}/x"), "`command`", id="a command that nobody expands"),
        pytest.param(stdio("node server.js"), "`command`", id="a command line"),
        pytest.param(stdio("node", cwd="/"), "`cwd`", id="the root folder"),
        pytest.param(stdio("node", cwd="lnk"), "`cwd`", id="a bare working folder"),
        pytest.param(stdio("node", cwd="${PLUGIN_DATA}/../.."), "cwd", id="out of its data"),
        pytest.param(stdio("node", "lnk/passwd"), "args[0]", id="an argument through a link out"),
        pytest.param(stdio("node", env={"LD_PRELOAD": "./x.so"}), "LD_PRELOAD", id="a library before all"),
        pytest.param(stdio("node", env={"NODE_OPTIONS": "-r x"}), "NODE_OPTIONS", id="code before all"),
        pytest.param(stdio("node", env={"PLUGIN_ROOT": "/"}), "PLUGIN_ROOT", id="the client's own variable"),
        pytest.param(stdio("node", env={"PLUGIN_DATA": "/"}), "PLUGIN_DATA", id="the client's other variable"),
        pytest.param(stdio("node", env={"A=B": "/"}), "A=B", id="no name of a variable"),
        pytest.param(stdio("node", more=1), "`more`", id="an unknown field"),
        pytest.param(stdio("node", url="https://a.invalid"), "`url`", id="a field of another transport"),
        pytest.param({"type": "sse", "url": "javascript:alert(1)"}, "`url`", id="a script"),
        pytest.param({"type": "sse", "url": "http://a.example.invalid/"}, "HTTPS", id="plain HTTP to anybody"),
        pytest.param({"type": "sse", "url": "https://u:p@a.example.invalid/"}, "user information", id="a password"),
        pytest.param({"type": "sse", "url": "https://a.invalid/", "headers": {"a b": "x"}}, "a b", id="no header"),
        pytest.param(stdio("node", "--config=../../etc/passwd"), "args[0]: '--config=../../etc/passwd'", id="a flag"),
        pytest.param(stdio("node", "${PLUGIN_DATA}/../x"), "args[0]", id="out of its data in an argument"),
        pytest.param(stdio("node", "a:../../x"), "args[0]: 'a:../../x'", id="behind a colon"),
        pytest.param(stdio("node", "${PLUGIN_ROOT}-evil/x"), "leads out", id="beside the root by its name"),
        pytest.param(stdio("node", "${PLUGIN_ROOT}x"), "leads out", id="glued to the root"),
        pytest.param(stdio("node", "./a\0b"), "NUL", id="NUL in a path"),
    ],
)
def test_what_passes_there_is_skipped_here(spec: dict[str, object], why: str, agent: Agent) -> None:
    assert why in _skipped(agent, spec)


@pytest.mark.parametrize("name", ["skills/stolen/SKILL.md", "plugin.json", "mcp.json"])
def test_a_file_that_is_a_link_out_is_not_read(name: str, agent: Agent, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    write_json(
        outside,
        {"$schema": PLUGIN_SCHEMA, "name": "stolen"}
        if name == "plugin.json"
        else {"$schema": MCP_SCHEMA, "mcpServers": {"stolen": stdio("node")}},
    )
    folder = agent.plugin("alpha", {"greeter": stdio("node")})
    (folder / "skills/stolen").mkdir(parents=True)
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(outside)
    agent.declare(folder).refresh()
    info = agent.info()
    assert info["problems"] != []
    assert "stolen" not in [row["name"] for row in info["registered"]]
    assert "stolen" not in [name for row in info["registered"] for name in (*row["skills"], *row["mcp_servers"])]
    assert "stolen" not in [record["name"] for record in agent.records()]


def _not_text(folder: Path) -> None:
    (folder / "mcp.json").write_bytes(b"\xff\xfe{}")


def _deep_json(folder: Path) -> None:
    (folder / "mcp.json").write_text('{"a":' * 100_000)


def _long_number(folder: Path) -> None:
    (folder / "mcp.json").write_text('{"mcpServers": ' + "1" * 10_000 + "}")


def _deep_skills(folder: Path) -> None:
    path = folder / "skills"
    for _ in range(600):
        path = path / "g"
    path.mkdir(parents=True)


def _circle(folder: Path) -> None:
    (folder / "skills/g").mkdir(parents=True)
    (folder / "skills/g/up").symlink_to("..")


def _surrogate(folder: Path) -> None:
    text = json.dumps({"$schema": MCP_SCHEMA, "mcpServers": {"a": stdio("node", "\ud800")}})
    (folder / "mcp.json").write_text(text)


def _type_is_a_list(folder: Path) -> None:
    write_json(folder / "mcp.json", {"$schema": MCP_SCHEMA, "mcpServers": {"a": {"type": ["stdio"]}}})


@pytest.mark.parametrize(
    "make",
    [_not_text, _deep_json, _long_number, _deep_skills, _circle, _surrogate, _type_is_a_list],
    ids=lambda make: make.__name__.strip("_"),
)
def test_what_crashes_there_is_a_problem_here_and_the_others_are_mounted(
    make: Callable[[Path], None], agent: Agent
) -> None:
    folder = agent.plugin("broken")
    make(folder)
    whole = agent.plugin("whole", {"greeter": stdio("node")})
    agent.skill(whole, "top")
    agent.declare(folder, whole).refresh()
    info = agent.info()
    rows = {row["name"]: row for row in info["registered"]}
    assert (rows["whole"]["skills"], rows["whole"]["mcp_registered"]) == (["top"], ["greeter"])
    assert any(problem["plugin"] == "broken" for problem in info["problems"])


def test_a_command_that_the_manual_takes_and_the_specification_refuses_never_starts(agent: Agent) -> None:
    from plugseal.verbs.look import look
    from plugseal.verbs.select import Selection

    folder = agent.plugin("alpha", {"greeter": stdio("/usr/bin/env")})
    agent.declare(folder).refresh()
    info = agent.info()
    assert [record["command"] for record in agent.records()] == ["/usr/bin/env"]
    assert "never starts" in info["problems"][0]["error"]
    assert look(Selection(folder), system="agent-plugins").report.token is None
