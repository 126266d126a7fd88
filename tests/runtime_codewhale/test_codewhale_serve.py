"""`plugseal codewhale serve`: what active bundles contribute, offered to an MCP client, and gone when it must be."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from plugseal.runtime.reaper import descendants
from tests import codewhale_world as worlds

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
_HANG_SECONDS = 60
TOOL = "plugin-5-hello-local"


class Client:
    """An MCP client over the pipes of a host."""

    def __init__(self, world: Any) -> None:
        names = ("PATH", "PLUGSEAL_HOME", "CODEWHALE_HOME")
        self.gate = subprocess.Popen(
            [sys.executable, "-I", "-m", "plugseal", "codewhale", "serve", "--workspace", str(world.workspace)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={name: os.environ[name] for name in names},
            cwd="/usr",
        )
        self._number = 0

    def send(self, method: str, **params: object) -> int:
        """Send a request and return its number."""
        self._number += 1
        body = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        assert self.gate.stdin is not None
        self.gate.stdin.write(json.dumps(body).encode() + b"\n")
        self.gate.stdin.flush()
        return self._number

    def receive(self) -> dict[str, Any]:
        """Return the next message."""
        assert self.gate.stdout is not None
        found: dict[str, Any] = json.loads(self.gate.stdout.readline())
        return found

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        """Return the answer to a request."""
        number = self.send(method, **params)
        while (found := self.receive()).get("id") != number:
            pass
        return found

    def end(self) -> tuple[int, str]:
        """Close, and return the exit code and what was said on standard error."""
        _, errors = self.gate.communicate(timeout=_HANG_SECONDS)
        return self.gate.returncode, errors.decode()


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    found = worlds.World(tmp_path / "world", monkeypatch)
    found.bundle()
    found.trust()
    return found


@pytest.fixture
def client(world: Any) -> Iterator[Client]:
    found = Client(world)
    yield found
    found.gate.kill()
    found.gate.communicate(timeout=_HANG_SECONDS)


def test_skills_and_tools_are_offered_and_used(client: Client, world: Any) -> None:
    about = client.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={})
    assert about["result"]["serverInfo"]["name"] == "plugseal-codewhale"
    tools = {tool["name"]: tool for tool in client.ask("tools/list")["result"]["tools"]}
    assert list(tools) == ["load_skill", *(f"{TOOL}.{name}" for name in ("echo", "hang", "look", "fail"))]
    assert "hello:hello: Greets." in tools["load_skill"]["description"]
    loaded = client.ask("tools/call", name="load_skill", arguments={"name": "hello:hello"})
    assert loaded["result"]["content"][0]["text"] == worlds.SKILL
    told = client.ask("tools/call", name=f"{TOOL}.echo", arguments={"n": 1})
    assert json.loads(told["result"]["content"][0]["text"]) == {"n": 1}
    failed = client.ask("tools/call", name=f"{TOOL}.fail", arguments={"message": "no https://h.invalid/x?key=secret"})
    assert failed["result"] == {
        "content": [{"type": "text", "text": "no https://h.invalid/x?[hidden]"}],
        "isError": True,
    }
    unknown = client.ask("tools/call", name="load_skill", arguments={"name": "other:hello"})
    assert "no active bundle has a skill" in unknown["error"]["message"]
    below = descendants(client.gate.pid)
    code, errors = client.end()
    assert (code, errors) == (0, "")
    assert [pid for pid in below if Path(f"/proc/{pid}").exists()] == []


def test_a_revocation_takes_tools_and_skills_away_and_says_so(client: Client, world: Any) -> None:
    client.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={})
    assert len(client.ask("tools/list")["result"]["tools"]) == 5
    below = descendants(client.gate.pid)
    world.revoke()
    assert client.receive()["method"] == "notifications/tools/list_changed"
    assert client.ask("tools/list")["result"]["tools"] == []
    assert [pid for pid in below if Path(f"/proc/{pid}").exists()] == []
    assert "there is no tool" in client.ask("tools/call", name=f"{TOOL}.echo", arguments={})["error"]["message"]
    assert client.end()[0] == 0
    assert world.events()[-1] == ("stopped", "revoked-meanwhile")


def test_a_revocation_during_a_call_is_answered_and_leaves_nothing(client: Client, world: Any, tmp_path: Path) -> None:
    client.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={})
    client.ask("tools/list")
    marker = tmp_path / "marker"
    number = client.send("tools/call", name=f"{TOOL}.hang", arguments={"marker": str(marker)})
    while not marker.exists():
        assert client.gate.poll() is None
    below = descendants(client.gate.pid)
    world.revoke()
    answer = client.receive()
    assert answer["id"] == number
    assert answer["result"]["isError"] is True
    assert "revoked-meanwhile" in answer["result"]["content"][0]["text"]
    assert [pid for pid in below if Path(f"/proc/{pid}").exists()] == []


def test_a_client_that_goes_away_during_a_call_is_not_waited_for(client: Client, world: Any, tmp_path: Path) -> None:
    client.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={})
    marker = tmp_path / "marker"
    client.send("tools/call", name=f"{TOOL}.hang", arguments={"marker": str(marker)})
    while not marker.exists():
        assert client.gate.poll() is None
    below = descendants(client.gate.pid)
    assert client.end()[0] == 0
    assert [pid for pid in below if Path(f"/proc/{pid}").exists()] == []


def test_a_host_that_is_ended_ends_its_servers_and_says_so_in_the_trail(client: Client, world: Any) -> None:
    client.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={})
    client.ask("tools/list")
    below = descendants(client.gate.pid)
    client.gate.send_signal(signal.SIGTERM)
    code, _ = client.end()
    assert code == 128 + signal.SIGTERM
    assert [pid for pid in below if Path(f"/proc/{pid}").exists()] == []
    assert world.events()[-1] == ("ended", "")


def test_what_is_trusted_after_the_start_is_offered_by_the_next_one(client: Client, world: Any) -> None:
    client.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={})
    world.bundle("late")
    world.trust("late")
    names = [tool["name"] for tool in client.ask("tools/list")["result"]["tools"]]
    assert not [name for name in names if "late" in name]
