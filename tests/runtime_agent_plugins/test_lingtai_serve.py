"""`plugseal lingtai serve` as a client's command: a session, and how revocation, deactivation and death end in it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from plugseal.runtime.reaper import descendants
from plugseal.trust.record import Record
from plugseal.verbs.trust import disable, revoke
from tests.lingtai_agents import Agent, tools

_HANG_SECONDS = 60
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


class Client:
    """A client of one agent's host."""

    def __init__(self, agent: Agent, *words: str) -> None:
        self.host = subprocess.Popen(
            [sys.executable, "-I", "-m", "plugseal", "lingtai", "serve", str(agent.folder), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={"PATH": "/usr/bin:/bin", "PLUGSEAL_HOME": str(agent.store.home)},
            cwd="/usr",
        )
        self._number = 0

    def send(self, method: str, **params: object) -> int:
        """Send a request and return its ID."""
        self._number += 1
        body = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        assert self.host.stdin is not None
        self.host.stdin.write(json.dumps(body).encode() + b"\n")
        self.host.stdin.flush()
        return self._number

    def read(self) -> dict[str, Any]:
        """Return the next message of the host."""
        assert self.host.stdout is not None
        found: dict[str, Any] = json.loads(self.host.stdout.readline())
        return found

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        """Return the answer to a request; what comes between is left out."""
        number = self.send(method, **params)
        while True:
            found = self.read()
            if found.get("id") == number:
                return found

    def begin(self) -> list[str]:
        """Shake hands and return the names of the tools."""
        self.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "t", "version": "1"})
        return self.names()

    def names(self) -> list[str]:
        """Return the names of the tools."""
        return [tool["name"] for tool in self.ask("tools/list")["result"]["tools"]]

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Return the answer to a call."""
        return self.ask("tools/call", name=tool, arguments=arguments)

    def text(self, tool: str, **arguments: object) -> str:
        """Return the text of a result."""
        return str(self.call(tool, **arguments)["result"]["content"][0]["text"])

    def end(self) -> tuple[int, str]:
        """Go away and return the exit code and what was said on standard error."""
        _, errors = self.host.communicate(timeout=_HANG_SECONDS)
        return self.host.returncode, errors.decode()


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Agent:
    monkeypatch.chdir("/usr")
    found = Agent(tmp_path)
    alpha = found.plugin("alpha", {"a": tools("write_note", "read_note", "hang", "die")})
    return found.ready(alpha, found.plugin("beta", {"b": tools("show")}))


def _record(agent: Agent, name: str) -> Record:
    (found,) = [one for one in agent.store.records() if isinstance(one, Record) and one.subject.name == name]
    return found


def _events(agent: Agent, name: str) -> list[str]:
    return [str(entry["event"]) for entry in agent.store.runs(_record(agent, name).subject).trail.tail]


def _hang(client: Client, agent: Agent) -> int:
    """Begin a call that is never answered, and return its ID once the tool is at work."""
    number = client.send("tools/call", name="hang", arguments={})
    while not list((agent.store.home / "data").glob("*/note")):
        assert client.host.poll() is None
    return number


def _are_gone(numbers: list[int]) -> bool:
    return [number for number in numbers if Path(f"/proc/{number}").exists()] == []


def test_a_session_with_all_tools_of_all_plugins(agent: Agent) -> None:
    client = Client(agent)
    assert client.begin() == ["plugin", "write_note", "read_note", "hang", "die", "show"]
    assert client.text("write_note", text="decided") == "written"
    assert client.text("read_note") == "decided\n"
    assert json.loads(client.text("show"))["root"] != ""
    answer = json.loads(client.text("plugin", action="settings", input={}, reasoning="why"))
    assert answer["rows"][0]["current"] == "<redacted>"
    refused = json.loads(client.text("plugin", action="info", input={"x": 1}, reasoning="why"))
    assert refused["error_code"] == "INVALID_ARGUMENT"
    assert "error" in client.call("gone")
    below = descendants(client.host.pid)
    code, errors = client.end()
    assert code == 0, errors
    assert _are_gone(below)
    for name in ("alpha", "beta"):
        assert _events(agent, name)[-1] == "ended"


def test_a_revocation_in_flight_answers_and_leaves_nothing_of_that_plugin(agent: Agent) -> None:
    client = Client(agent)
    client.begin()
    everything = set(descendants(client.host.pid))
    waiting = _hang(client, agent)
    revoke(_record(agent, "alpha"), agent.store)
    answer = client.read()
    assert answer["id"] == waiting
    assert "revoked" in answer["error"]["message"]
    while client.read().get("method") != "notifications/tools/list_changed":
        pass
    assert client.names() == ["plugin", "show"]
    assert "error" in client.call("read_note")
    left = set(descendants(client.host.pid))
    assert len(left) == len(everything) / 2, "one plugin's processes are gone, the other's are there"
    assert json.loads(client.text("show"))
    assert client.end()[0] == 0
    assert _events(agent, "alpha")[-1] == "stopped"
    assert _events(agent, "beta")[-1] == "ended"


def test_a_plugin_that_is_disabled_while_nothing_is_called_ends_at_once(agent: Agent) -> None:
    client = Client(agent)
    client.begin()
    disable(_record(agent, "beta"), agent.store)
    assert client.read()["method"] == "notifications/tools/list_changed"
    assert "show" not in client.names()
    assert _events(agent, "beta")[-1] == "stopped"
    assert client.end()[0] == 0


def test_another_plugin_that_is_revoked_during_a_call_ends_during_the_call(agent: Agent) -> None:
    client = Client(agent)
    client.begin()
    number = _hang(client, agent)
    revoke(_record(agent, "beta"), agent.store)
    while _events(agent, "beta")[-1] != "stopped":
        assert client.host.poll() is None
    body = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
    assert client.host.stdin is not None
    client.host.stdin.write(json.dumps(body).encode() + b"\n")
    client.host.stdin.flush()
    assert client.text("write_note", text="x") == "written", "a cancelled call frees the host"
    assert client.end()[0] == 0


def test_what_is_deactivated_or_undeclared_is_not_called_any_more(agent: Agent) -> None:
    client = Client(agent)
    client.begin()
    entries = dict(agent.init["mcp"])
    agent.activate(b=entries["b"])
    assert "not activated any more" in client.call("read_note")["error"]["message"]
    assert json.loads(client.text("show"))
    agent.activate(**entries)
    assert client.text("write_note", text="x") == "written"
    agent.declare()
    assert "not activated any more" in client.call("read_note")["error"]["message"]
    assert client.end()[0] == 0


def test_a_server_that_dies_is_told_and_the_others_go_on(agent: Agent) -> None:
    client = Client(agent)
    client.begin()
    assert "error" in client.call("die")
    assert client.names() == ["plugin", "show"]
    assert json.loads(client.text("show"))
    assert client.end()[0] == 0


def test_a_tool_of_two_servers_offers_nothing(agent: Agent) -> None:
    agent.plugin("beta", {"b": tools("read_note")})
    agent.ready(agent.root / "plugins/alpha", agent.root / "plugins/beta")
    client = Client(agent)
    code, errors = client.end()
    assert code == 125
    assert "duplicate MCP tool name: read_note" in errors
    assert _are_gone(descendants(client.host.pid))
    client = Client(agent, "--plugins", "beta")
    assert client.begin() == ["plugin", "read_note"]
    assert client.end()[0] == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_host_that_is_ended_ends_all_and_says_so_in_the_trails(number: signal.Signals, agent: Agent) -> None:
    client = Client(agent)
    client.begin()
    below = descendants(client.host.pid)
    assert len(below) == 4
    client.host.send_signal(number)
    code, _ = client.end()
    assert code == 128 + number
    assert _are_gone(below)
    for name in ("alpha", "beta"):
        assert _events(agent, name)[-1] == "ended"


def test_a_refused_server_is_told_and_the_host_serves_the_others(agent: Agent) -> None:
    (agent.root / "plugins/beta/server.py").write_text("# other\n")
    client = Client(agent)
    assert client.begin() == ["plugin", "write_note", "read_note", "hang", "die"]
    code, errors = client.end()
    assert code == 0
    assert "content-drifted" in errors
