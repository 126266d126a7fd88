"""`plugseal amber serve` and `call` as programs: any MCP client, plugins started at the first call, nothing left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from plugseal.cli.main import main
from plugseal.runtime.reaper import descendants
from plugseal.verbs.trust import disable, enable, revoke

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
_HANG_SECONDS = 60
META = "io.modelcontextprotocol/"


def _environment(world: Any) -> dict[str, str]:
    return {
        "PATH": "/usr/bin:/bin",
        "PLUGSEAL_HOME": str(world.store.home),
        "XDG_CONFIG_HOME": str(world.root / "config"),
    }


def _run(world: Any, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-m", "plugseal", "amber", *words],
        capture_output=True,
        text=True,
        env=_environment(world),
        cwd="/usr",
        timeout=_HANG_SECONDS,
        check=False,
    )


class Client:
    """An MCP client of a host."""

    def __init__(self, world: Any) -> None:
        self.host = subprocess.Popen(
            [sys.executable, "-I", "-m", "plugseal", "amber", "serve", "--workspace", str(world.workspace)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(world),
            cwd="/usr",
        )
        self._number = 0

    def send(self, method: str, **params: Any) -> int:
        self._number += 1
        body = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        assert self.host.stdin is not None
        self.host.stdin.write(json.dumps(body).encode() + b"\n")
        self.host.stdin.flush()
        return self._number

    def receive(self) -> Any:
        assert self.host.stdout is not None
        line = self.host.stdout.readline()
        assert line, self.end()
        return json.loads(line)

    def ask(self, method: str, **params: Any) -> Any:
        number = self.send(method, **params)
        while (answer := self.receive()).get("id") != number:
            assert "id" not in answer
        return answer["result"] if "result" in answer else answer["error"]

    def call(self, tool: str, **arguments: Any) -> Any:
        return self.ask("tools/call", name=tool, arguments=arguments)

    def end(self) -> str:
        _, errors = self.host.communicate(timeout=_HANG_SECONDS)
        return errors.decode()


@pytest.fixture
def connect(world: Any) -> Iterator[Callable[[], Client]]:
    opened: list[Client] = []

    def begin() -> Client:
        opened.append(Client(world))
        return opened[-1]

    yield begin
    for client in opened:
        if client.host.poll() is None:
            client.host.kill()
        client.host.communicate(timeout=_HANG_SECONDS)


def test_a_start_of_the_host_loads_no_scanner_and_nothing_that_reaches_a_network(world: Any) -> None:
    code = (
        "import sys; from plugseal.cli.main import main; main(['amber', 'serve']);"
        "print([name for name in sys.modules if name.startswith(('plugseal.scan', 'plugseal.rules', 'http', 'ssl'))])"
    )
    ran = subprocess.run(
        [sys.executable, "-I", "-c", code],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=_environment(world),
        cwd="/usr",
        timeout=_HANG_SECONDS,
        check=False,
    )
    assert ran.stdout == "[]\n", ran.stderr


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_each_version_lists_and_calls(version: str, world: Any, connect: Callable[[], Client]) -> None:
    world.add()
    client = connect()
    greeting = client.ask("initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "c"})
    assert greeting["protocolVersion"] == version
    assert greeting["instructions"].startswith("## Plugins\n\n### Fake (`fake`)")
    tools = {tool["name"]: tool for tool in client.ask("tools/list")["tools"]}
    assert tools["plugin_fake_echo"]["inputSchema"] == {"type": "object", "properties": {}}
    assert descendants(client.host.pid) == []
    assert client.call("plugin_fake_echo", text="x")["content"] == [{"type": "text", "text": "echo:x"}]
    failed = client.call("plugin_fake_fail")
    assert (failed["isError"], failed["content"][0]["text"]) == (True, "ERROR: nope")
    assert "started" in client.end()
    assert client.host.returncode == 0
    assert world.runs() == ["started", "ended"]


def test_the_stateless_version_lists_and_calls(world: Any, connect: Callable[[], Client]) -> None:
    world.add()
    client = connect()
    meta = {f"{META}protocolVersion": "2026-07-28", f"{META}clientCapabilities": {}}
    assert "2026-07-28" in client.ask("server/discover", _meta=meta)["supportedVersions"]
    assert client.ask("tools/list", _meta=meta)["resultType"] == "complete"
    called = client.ask("tools/call", name="plugin_fake_seen", arguments={}, _meta=meta)
    assert called["_meta"]["amber/meta"]["cwd"].startswith(str(world.store.home))
    client.end()


def test_a_plugin_that_is_switched_off_and_on_comes_and_goes(world: Any, connect: Callable[[], Client]) -> None:
    world.add()
    client = connect()
    client.ask("initialize", protocolVersion="2025-06-18")
    client.call("plugin_fake_echo")
    (pid,) = [one for one in descendants(client.host.pid) if _is_plugin(one)]
    record = world.store.read(world.subject())
    disable(record, world.store)
    assert client.receive() == {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
    assert not Path(f"/proc/{pid}").exists()
    assert client.ask("tools/list")["tools"] == []
    assert "there is no tool" in client.call("plugin_fake_echo")["message"]
    from plugseal.verbs.look import look
    from plugseal.verbs.select import Selection

    enable(look(Selection(Path(record.subject.root)), system="amber"), world.store)
    assert client.receive()["method"] == "notifications/tools/list_changed"
    assert client.call("plugin_fake_echo", text="again")["content"][0]["text"] == "echo:again"
    client.end()


def _all_below(client: Client, count: int) -> list[int]:
    """Return the processes below a host once there are as many: a reaper, a plugin, and what it forked away."""
    end = time.monotonic() + _HANG_SECONDS
    while len(below := descendants(client.host.pid)) < count and time.monotonic() < end:
        pass
    assert len(below) >= count
    return list(below)


def _is_plugin(pid: int) -> bool:
    return b"run.py" in Path(f"/proc/{pid}/cmdline").read_bytes()


def test_a_revocation_in_flight_is_answered_and_leaves_nothing(world: Any, connect: Callable[[], Client]) -> None:
    world.add()
    client = connect()
    client.call("plugin_fake_children")
    below = _all_below(client, 5)
    number = client.send("tools/call", name="plugin_fake_silent", arguments={})
    client.send("ping")
    assert client.receive()["result"] == {}
    revoke(world.store.read(world.subject()), world.store)
    answer = client.receive()
    assert answer["id"] == number
    assert answer["result"]["isError"]
    assert "revoked-meanwhile" in answer["result"]["content"][0]["text"]
    assert [pid for pid in below if Path(f"/proc/{pid}").exists()] == []
    client.end()
    assert world.runs() == ["started", "stopped"]


def test_a_cancelled_call_ends_its_plugin_and_gets_no_answer(world: Any, connect: Callable[[], Client]) -> None:
    world.add()
    client = connect()
    client.call("plugin_fake_echo")
    number = client.send("tools/call", name="plugin_fake_silent", arguments={})
    client.ask("ping")
    assert client.host.stdin is not None
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
    client.host.stdin.write(json.dumps(cancel).encode() + b"\n")
    assert client.call("plugin_fake_echo", text="next")["content"][0]["text"] == "echo:next"
    client.end()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_host_that_is_ended_ends_its_plugins(
    number: signal.Signals, world: Any, connect: Callable[[], Client]
) -> None:
    world.add()
    client = connect()
    client.call("plugin_fake_children")
    below = _all_below(client, 5)
    client.host.send_signal(number)
    client.end()
    assert [pid for pid in below if Path(f"/proc/{pid}").exists()] == []
    assert world.runs() == ["started", "ended"]


def test_a_call_by_hand_prints_the_envelope_and_ends_with_what_it_says(world: Any) -> None:
    path = world.add()
    done = _run(world, "call", "fake", "echo", '{"text": "x"}')
    assert (done.returncode, json.loads(done.stdout)) == (0, {"ok": True, "output": "echo:x", "meta": {}})
    assert _run(world, "call", str(path), "plugin_fake_fail").returncode == 1
    outside = _run(world, "call", "fake", "args", '{"path": "/etc/passwd"}', "--workspace", str(world.workspace))
    assert outside.returncode == 1
    assert "leads out of the workspace" in outside.stdout
    wrong = _run(world, "call", "fake", "echo", "[1]")
    assert (wrong.returncode, "no JSON object" in wrong.stderr) == (2, True)


def test_the_call_for_mcp_names_the_one_for_amber(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["call", "amber:fake@0123456789ab", "echo"]) == 2
    assert "plugseal amber call" in capsys.readouterr().err


def test_a_call_that_the_gate_refuses_ends_with_126_and_says_why(world: Any) -> None:
    path = world.add(enabled=False)
    off = _run(world, "call", "fake", "echo")
    assert (off.returncode, "not-enabled" in off.stderr) == (126, True)
    assert _run(world, "on", "fake").returncode == 0
    (path / "run.py").write_text("#!/usr/bin/env python3\n# edited\n")
    drifted = _run(world, "call", "fake", "echo")
    assert (drifted.returncode, "content-drifted" in drifted.stderr) == (126, True)
    assert "plugseal diff" in drifted.stderr


def test_switching_on_refuses_what_is_not_trusted_and_names_the_review(world: Any, amber: Any) -> None:
    path = amber.write_plugin(world.root / "config/amber/plugins/fake", amber.manifest(), amber.script())
    done = _run(world, "on", "fake")
    assert done.returncode == 1
    assert "is not trusted" in done.stderr
    assert f"plugseal review {path}" in done.stderr
    world.trust(path, enabled=False)
    assert _run(world, "on", "fake").returncode == 0
    assert "plugin_fake_echo" in _run(world, "list", "--prompt").stdout
    assert _run(world, "off", "fake").returncode == 0
    assert _run(world, "list", "--prompt").stdout == ""


def test_list_info_and_settings_are_json_too(world: Any, amber: Any, tmp_path: Path) -> None:
    path = world.trust(amber.write_plugin(world.root / "config/amber/plugins/fake", amber.manifest(), amber.script()))
    listed = json.loads(_run(world, "list", "--format", "json").stdout)
    row = {"id": "fake", "version": "1.0.0", "path": str(path), "origin": "user", "state": "on"}
    assert listed == {"format": "plugseal.amber-list/1", "plugins": [row]}
    info = json.loads(_run(world, "info", "fake", "--format", "json").stdout)
    assert (info["title"], info["state"], info["next"]) == ("Fake", "on", None)
    assert {"name": "plugin_fake_echo", "takes": "", "why_not": None} in info["tools"]
    assert _run(world, "settings", "fake", "times", "--format", "json", "-o", str(tmp_path / "o")).returncode == 0
    settings = json.loads((tmp_path / "o").read_text())["settings"]
    assert settings == [{"key": "times", "value": 3, "default": 3, "kind": "number"}]


def test_settings_are_shown_changed_by_type_and_put_back(world: Any) -> None:
    world.add()
    assert _run(world, "settings", "fake", "times=x").returncode == 2
    assert "is no true or false" in _run(world, "settings", "fake", "loud=yes").stderr
    assert "declares no setting `other`" in _run(world, "settings", "fake", "other=1").stderr
    assert _run(world, "settings", "fake", "greeting=a=b").stdout == '  greeting = "a=b"  default "Hello"\n'
    assert _run(world, "settings", "fake", "times=4").returncode == 0
    seen = json.loads(json.loads(_run(world, "call", "fake", "seen").stdout)["output"])["settings"]
    assert seen == {"greeting": "a=b", "times": 4, "ratio": 0.5, "loud": False}
    assert _run(world, "settings", "fake", "greeting", "--default").stdout == '  greeting = "Hello"\n'
    assert "  times = 4  default 3" in _run(world, "settings", "fake").stdout.splitlines()
    file = next((world.store.home / "amber").glob("*.settings"))
    assert (file.stat().st_mode & 0o777, os.stat(file.parent).st_mode & 0o777) == (0o600, 0o700)
    file.write_bytes(file.read_bytes().replace(b'"4"', b'"5"'))
    broken = _run(world, "call", "fake", "seen")
    assert "file of settings" in broken.stdout + broken.stderr
    assert broken.returncode != 0
