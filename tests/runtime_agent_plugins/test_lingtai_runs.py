"""Registered is not running: what it takes until a server starts, and that anything less or else does not start it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from plugseal.errors import PlugsealError, RefusedError, SupervisorError, UsageError
from plugseal.trust.record import Record
from plugseal.verbs.lingtai.agent import list_servers
from plugseal.verbs.lingtai.run import call_tool
from plugseal.verbs.trust import disable, revoke
from plugseal.verbs.wrap import wrap
from tests.lingtai_agents import Agent, stdio, tools

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Agent:
    monkeypatch.chdir("/usr")
    return Agent(tmp_path)


def _call(agent: Agent, tool: str, plugins: tuple[str, ...] = (), **arguments: object) -> str:
    answer = call_tool(agent.folder, tool, json.dumps(arguments), agent.store, plugins=plugins, on_event=lambda _: None)
    return str(answer["result"]["content"][0]["text"])


def _record(agent: Agent, name: str = "alpha") -> Record:
    (found,) = [one for one in agent.store.records() if isinstance(one, Record) and one.subject.name == name]
    return found


def _events(agent: Agent, name: str = "alpha") -> list[str]:
    return [str(entry["event"]) for entry in agent.store.runs(_record(agent, name).subject).trail.tail]


def _state(agent: Agent) -> list[tuple[str, str]]:
    return [(row.state, row.step) for row in list_servers(agent.folder, agent.store)]


def test_a_server_starts_once_it_is_registered_activated_trusted_and_enabled(agent: Agent) -> None:
    folder = agent.plugin("alpha", {"notes": tools("write_note", "read_note")})
    agent.declare(folder)
    assert _state(agent) == []
    agent.refresh()
    assert _state(agent) == [("registered", "activate")]
    with pytest.raises(UsageError, match="no activated server offers `read_note`"):
        _call(agent, "read_note")
    agent.activate_all()
    assert _state(agent) == [("activated", "review")]
    with pytest.raises(RefusedError) as refused:
        _call(agent, "read_note")
    assert refused.value.reason == "not-recorded"
    agent.trust(folder, enabled=False)
    assert _state(agent) == [("activated", "enable")]
    with pytest.raises(RefusedError) as refused:
        _call(agent, "read_note")
    assert refused.value.reason == "not-enabled"
    agent.trust(folder)
    assert _state(agent) == [("ready", "serve")]
    assert _call(agent, "write_note", text="kept") == "written"
    assert _call(agent, "read_note") == "kept\n"
    assert _events(agent) == ["refused", "started", "pinned", "ended", "started", "ended"]


def test_it_runs_from_the_copy_with_its_two_folders(agent: Agent) -> None:
    agent.ready(agent.plugin("alpha", {"notes": tools("show")}))
    seen = json.loads(_call(agent, "show"))
    stage = agent.store.home / "stage"
    assert Path(seen["root"]).parent == stage
    assert seen["folder"] == seen["root"]
    assert seen["argv"] == [f"{seen['root']}/server.py", "show"]


def test_an_edited_byte_refuses_and_the_restored_one_runs(agent: Agent) -> None:
    folder = agent.plugin("alpha", {"notes": tools("show")})
    agent.ready(folder)
    text = (folder / "server.py").read_text()
    (folder / "server.py").write_text(text + " ")
    with pytest.raises(RefusedError) as refused:
        _call(agent, "show")
    assert refused.value.reason == "content-drifted"
    agent.refresh()
    with pytest.raises(RefusedError) as refused:
        _call(agent, "show")
    assert refused.value.reason == "content-drifted", "registering other bytes reviews nothing"
    (folder / "server.py").write_text(text)
    agent.refresh()
    assert _call(agent, "show")


@pytest.mark.parametrize(("take", "reason"), [(revoke, "not-trusted"), (disable, "not-enabled")])
def test_what_was_taken_back_does_not_start(take: Any, reason: str, agent: Agent) -> None:
    agent.ready(agent.plugin("alpha", {"notes": tools("show")}))
    take(_record(agent), agent.store)
    with pytest.raises(RefusedError) as refused:
        _call(agent, "show")
    assert refused.value.reason == reason


# The entry under `mcp`


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param({"type": "stdio", "command": "python3", "args": "<record>"}, id="as registered"),
        pytest.param({"command": "python3", "args": "<record>"}, id="without a type"),
        pytest.param({"transport": "stdio", "command": "python3", "args": "<record>"}, id="a record's word for it"),
        pytest.param({"command": "python3", "args": ["${PLUGIN_ROOT}/server.py", "show"]}, id="as declared"),
        pytest.param({"command": "python3", "args": "<record>", "env": {"A": "${B}"}}, id="with its variables"),
        pytest.param({"command": "python3", "args": "<record>", "env": {}}, id="with fewer variables"),
        pytest.param({"command": "python3", "args": "<record>", "name": "notes"}, id="with a field of its record"),
        pytest.param({}, id="that says nothing more"),
        pytest.param({"type": "stdio"}, id="that says its transport"),
    ],
)
def test_an_entry_that_says_what_was_registered_or_declared_matches(entry: dict[str, Any], agent: Agent) -> None:
    spec = {**tools("show"), "env": {"A": "${B}"}}
    agent.ready(agent.plugin("alpha", {"notes": spec}))
    agent.activate(notes=entry | ({"args": agent.records()[0]["args"]} if entry.get("args") == "<record>" else {}))
    assert _call(agent, "show")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        pytest.param({"args": ["-c", "print()"]}, "another `args`", id="other arguments"),
        pytest.param({"args": None}, "no `args`", id="no arguments"),
        pytest.param({"command": "bash"}, "another `command`", id="another command"),
        pytest.param({"command": None}, "no `command`", id="no command"),
        pytest.param({"cwd": "/"}, "another `cwd`", id="a working folder"),
        pytest.param({"env": {"LD_PRELOAD": "/x.so"}}, "`LD_PRELOAD`", id="a variable more"),
        pytest.param({"env": {"A": "s3cret"}}, "`A`", id="another value"),
        pytest.param({"type": "http", "url": "https://a.invalid"}, "another transport", id="another transport"),
        pytest.param({"type": ["stdio"]}, "another transport", id="a type that is none"),
        pytest.param({"disabled": False}, "`disabled`", id="an unknown field"),
        pytest.param({"url": "https://a.invalid"}, "`url`", id="a URL beside the command"),
        pytest.param({"source": "human"}, "`source`", id="another source"),
    ],
)
def test_an_entry_that_says_anything_else_keeps_the_server_from_starting(
    change: dict[str, Any], why: str, agent: Agent
) -> None:
    spec = {**tools("show"), "env": {"A": "x"}}
    agent.ready(agent.plugin("alpha", {"notes": spec}))
    entry = {**agent.init["mcp"]["notes"], **change}
    agent.activate(notes={key: value for key, value in entry.items() if value is not None})
    with pytest.raises(RefusedError, match=r"the entry `notes`") as refused:
        _call(agent, "show")
    assert why in refused.value.message
    assert "s3cret" not in refused.value.message
    assert "started" not in _events(agent)


def test_an_entry_that_goes_through_the_gate_already_matches_and_no_other_does(agent: Agent) -> None:
    folder = agent.plugin("alpha", {"notes": tools("show")})
    agent.ready(folder)
    done = wrap(agent.folder / "init.json", agent.store)
    assert [name for name, _ in done.wrapped] == ["notes"]
    agent.init = json.loads((agent.folder / "init.json").read_text())
    entry = agent.init["mcp"]["notes"]
    assert entry["args"][:4] == ["-I", "-m", "plugseal", "run"]
    assert _call(agent, "show")
    for change in (
        {"args": [*entry["args"][:4], "agent-plugins:other@0123456789ab", "server:notes"]},
        {"args": [*entry["args"][:5], "server:other"]},
        {"args": [*entry["args"], "--more"]},
        {"command": "python3"},
        {"env": {"LD_PRELOAD": "/x.so"}},
    ):
        agent.activate(notes={**entry, **change})
        with pytest.raises(RefusedError, match=r"the entry `notes`"):
            _call(agent, "show")


def test_another_declaration_stops_no_server_of_a_plugin_that_stays_declared(agent: Agent) -> None:
    folder = agent.plugin("alpha", {"notes": tools("show")})
    agent.ready(folder).declare(agent.plugin("beta"), folder)
    assert _call(agent, "show")
    agent.declare(agent.root / "plugins/beta")
    assert _state(agent) == [("registered", "refresh")]


@pytest.mark.parametrize("entry", ["x", [], 7, True], ids=repr)
def test_an_entry_that_is_no_object_starts_nothing(entry: object, agent: Agent) -> None:
    agent.ready(agent.plugin("alpha", {"notes": tools("show")})).activate(notes=entry)
    with pytest.raises(RefusedError, match="is no object"):
        _call(agent, "show")


# What only looks registered


def test_a_discovered_plugin_starts_nothing_whatever_the_configuration_says(agent: Agent) -> None:
    folder = agent.plugin("found", {"notes": tools("show")}, below="library")
    agent.init["manifest"]["capabilities"] = {"skills": {"paths": ["../library"]}}
    agent.trust(folder)
    agent.activate(notes={"command": "python3", "args": [str(folder / "server.py"), "show"]})
    agent.declare().refresh()
    assert _state(agent) == []
    with pytest.raises(UsageError):
        _call(agent, "show")


@pytest.mark.parametrize(
    "line",
    [
        '{"name": "notes", "summary": "s", "transport": "stdio", "source": "human", "command": "true", "args": []}',
        '{"name": "notes", "summary": "s", "transport": "stdio", "source": "plugin:alpha", "command": "true"}',
    ],
    ids=["of a person", "in a plugin's name"],
)
def test_a_record_that_no_registration_wrote_starts_nothing(line: str, agent: Agent) -> None:
    agent.ready(agent.plugin("alpha", {"notes": tools("show")}))
    agent.registry.write_text(line + "\n")
    agent.activate(notes={"command": "true", "args": []})
    with pytest.raises(PlugsealError):
        _call(agent, "show")
    assert "started" not in _events(agent)


def test_what_was_undeclared_or_lost_its_record_does_not_start(agent: Agent) -> None:
    folder = agent.plugin("alpha", {"notes": tools("show")})
    agent.ready(folder)
    entry = agent.init["mcp"]
    agent.declare()
    assert _state(agent) == [("registered", "refresh")]
    with pytest.raises(UsageError):
        _call(agent, "show")
    agent.refresh()
    assert _state(agent) == []
    agent.declare(folder).refresh()
    agent.activate(**entry)
    assert _call(agent, "show")
    agent.registry.unlink()
    assert _state(agent) == [("registered", "refresh")]


# One host


def test_the_servers_of_all_plugins_are_in_one_host(agent: Agent) -> None:
    one = agent.plugin("alpha", {"a1": tools("show_a"), "a2": tools("write_note", "read_note")})
    two = agent.plugin("beta", {"b": tools("show_b")})
    agent.ready(one, two)
    roots = {json.loads(_call(agent, tool))["root"] for tool in ("show_a", "show_b")}
    assert len(roots) == 2
    assert _events(agent, "beta").count("started") == 2, "each run starts every activated server"
    _call(agent, "show_b", ("beta",))
    assert _events(agent, "alpha").count("started") == 4
    with pytest.raises(UsageError, match="`gamma`"):
        _call(agent, "show_b", ("gamma",))


@pytest.mark.parametrize(
    "servers",
    [
        pytest.param(({"a": tools("show", "same")}, {"b": tools("same")}), id="of two plugins"),
        pytest.param(({"a": tools("same"), "c": tools("same")}, {"b": tools("show")}), id="of one plugin"),
        pytest.param(({"a": tools("same", "same")}, {"b": tools("show")}), id="of one server"),
        pytest.param(({"a": tools("plugin")}, {"b": tools("show")}), id="of the host"),
    ],
)
def test_a_tool_of_two_servers_fails_at_dispatch(servers: tuple[dict[str, Any], ...], agent: Agent) -> None:
    one, two = (agent.plugin(name, spec) for name, spec in zip(("alpha", "beta"), servers, strict=True))
    agent.ready(one, two)
    with pytest.raises(SupervisorError, match=r"duplicate MCP tool name: (same|plugin)"):
        _call(agent, "show")
    for name in ("alpha", "beta"):
        assert _events(agent, name)[-1] == "ended"


def test_of_plugins_with_a_tool_of_one_name_one_can_be_selected(agent: Agent) -> None:
    agent.ready(agent.plugin("alpha", {"a": tools("same")}), agent.plugin("beta", {"b": tools("same_b", "same")}))
    assert _call(agent, "same", ("alpha",))
    assert _call(agent, "same", ("beta",))


def test_a_server_that_is_refused_keeps_no_other_from_its_work(agent: Agent) -> None:
    good, bad = agent.plugin("alpha", {"a": tools("show")}), agent.plugin("beta", {"b": tools("other")})
    agent.ready(good, bad)
    revoke(_record(agent, "beta"), agent.store)
    assert _call(agent, "show")
    with pytest.raises(RefusedError) as refused:
        _call(agent, "other")
    assert refused.value.reason == "not-trusted"


def test_the_tool_of_the_host_answers_without_any_server(agent: Agent) -> None:
    agent.declare(agent.plugin("alpha", {"a": stdio("node")})).refresh()
    text = _call(agent, "plugin", action="info", input={}, reasoning="why")
    assert json.loads(text)["registered_count"] == 1
    answer = call_tool(agent.folder, "plugin", '{"action": "x"}', agent.store, on_event=lambda _: None)
    assert answer["result"]["isError"] is True


@pytest.mark.parametrize("arguments", ["[]", "{", '"x"', "1"])
def test_arguments_that_are_no_object_are_a_wrong_command(arguments: str, agent: Agent) -> None:
    with pytest.raises(UsageError):
        call_tool(agent.folder, "x", arguments, agent.store, on_event=lambda _: None)
