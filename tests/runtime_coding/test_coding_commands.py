"""`plugseal coding` as its users call it: what it prints, how it ends, and who authorizes a call."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from plugseal.runtime.policies import pin_policy
from plugseal.verbs.trust import disable, revoke
from tests.coding_plugins import TOOLS, World, progress

ROOT = Path(__file__).parents[2]

_HANG_SECONDS = 60
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.chdir("/usr")
    return World(tmp_path / "world")


def start(world: World, *words: str) -> subprocess.Popen[str]:
    """Start a command."""
    return subprocess.Popen(
        [sys.executable, "-I", "-m", "plugseal", "coding", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PATH": "/usr/bin:/bin", "PLUGSEAL_HOME": str(world.store.home)},
        cwd="/usr",
    )


def run(world: World, *words: str, said: str = "") -> tuple[int, str, str]:
    """Return how a command ended, and what it printed."""
    command = start(world, *words)
    out, errors = command.communicate(said, timeout=_HANG_SECONDS)
    return command.returncode, out, errors


def workbench(world: World) -> str:
    """Trust and enable the sample with real tools, and return its ID."""
    source = world.root / "workbench"
    shutil.copytree(ROOT / "fixtures" / "coding" / "workbench", source)
    return world.trust(source)


def test_the_list_shows_states_and_the_reviewed_tools_and_starts_nothing(world: World) -> None:
    assert run(world, "list")[0] == 3
    plugin = workbench(world)
    world.puppet()
    (record,) = [one for one in world.store.records() if one.subject.name == "puppet"]  # type: ignore[union-attr]
    disable(record, world.store)  # type: ignore[arg-type]  # none is broken
    code, out, _ = run(world, "list")
    assert code == 0
    assert f"workbench 1.2.0  enabled  {plugin}\n  count_lines  parallel  Count the lines" in out
    assert "puppet 1.0.0  trusted" in out
    assert "its process alone tells its tools" in out
    assert out.endswith("2 plugins: 1 enabled\n")
    found = json.loads(run(world, "list", "--format", "json")[1])
    assert found["format"] == "plugseal.coding-list/1"
    assert {one["name"]: (one["state"], one["declares"], len(one["tools"])) for one in found["plugins"]} == {
        "workbench": ("enabled", True, 2),
        "puppet": ("trusted", False, 0),
    }
    assert world.runs() == []


def test_load_shows_what_the_process_tells(world: World) -> None:
    code, out, errors = run(
        world, "load", world.puppet(about={"tools": [TOOLS[0], {**TOOLS[1], "label": "x"}]}, declared=True)
    )
    assert code == 0, errors
    assert "side  parallel  Beside others." in out
    assert "denied: tool `alone` is not what was reviewed" in out
    assert out.endswith("2 tools, 1 denied; each call needs authorization\n")
    found = json.loads(run(world, "load", "puppet", "--format", "json")[1])
    assert found["format"] == "plugseal.coding-loaded/1"
    assert found["tools"][0] == {
        "name": "side",
        "mode": "parallel",
        "description": "Beside others.",
        "why_not": None,
    }
    assert "puppet is up" in errors


def test_a_call_works_on_files_shows_progress_and_prints_the_result(world: World, tmp_path: Path) -> None:
    plugin = workbench(world)
    (tmp_path / "notes").mkdir()
    arguments = {"folder": str(tmp_path / "notes"), "name": "a.txt", "text": "one\ntwo\n"}
    code, out, errors = run(world, "call", plugin, "write_note", json.dumps(arguments), "--authorize", "write_note")
    assert code == 0, errors
    assert (tmp_path / "notes" / "a.txt").read_text() == "one\ntwo\n"
    assert json.loads(out)["outcome"] == {"status": "success", "data": {"bytes": 8}}
    where = json.dumps({"folder": str(tmp_path / "notes")})
    code, out, errors = run(world, "call", plugin, "count_lines", where, "--authorize", "write_note,count_lines")
    assert (code, json.loads(out)["content"]) == (0, [{"type": "text", "text": "lines: 2, files: 1"}])
    assert "progress: a.txt: 2 lines" in errors
    code, out, _ = run(world, "call", plugin, "write_note", json.dumps(arguments), "--authorize", "write_note")
    assert (code, json.loads(out)["outcome"]) == (1, {"status": "failed", "errorCode": "io"})


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        pytest.param(["side", '{"steps": 1}', "--authorize", "side"], 1, "", id="arguments that don't fit"),
        pytest.param(["side", "{}"], 126, "not-authorized", id="nobody authorized it"),
        pytest.param(["side", "{}", "--authorize", "plain,sid"], 126, "not-authorized", id="others are authorized"),
        pytest.param(["nope", "{}", "--authorize", "nope"], 125, "there is no tool `nope`", id="no such tool"),
        pytest.param(["side", "[]"], 2, "no JSON object", id="no object"),
        pytest.param(["side", "{}", "--timeout", "never"], 2, "`--timeout`", id="a time that is none"),
        pytest.param(["side", "{}", "--timeout", "nan"], 2, "`--timeout`", id="a time that is no number"),
    ],
)
def test_a_call_ends_with_the_code_of_what_went_wrong(words: list[str], code: int, told: str, world: World) -> None:
    found, out, errors = run(world, "call", world.puppet(), *words)
    assert (found, told in errors) == (code, True), errors
    assert ("Traceback" in errors, bool(out)) == (False, code == 1)


def test_numbers_go_to_the_plugin_and_come_back_as_they_were_written(world: World) -> None:
    plugin = world.puppet()
    source = world.root / "puppet"
    echo = "echo = line.partition('\"arguments\":')[2].rstrip()[:-2]"
    reply = 'raw(\'{"jsonrpc":"2.0","id":%d,"result":{"callId":"call-1","outcome":{"status":"success","data":%s}}}\''
    play = 'threading.Thread(target=play, args=(request["id"], request["params"]), daemon=True).start()'
    code = (source / "puppet.py").read_text()
    assert play in code
    (source / "puppet.py").write_text(code.replace(play, f"{echo}; {reply} % (request['id'], echo))"))
    about = json.loads((source / "about.json").read_text())
    about["tools"][0]["inputSchema"] = {"type": "object"}
    (source / "about.json").write_text(json.dumps(about))
    plugin = world.trust(source)
    numbers = '{"numbers": [1.10, 1E40, -0, 12345678901234567890]}'
    ended, out, errors = run(world, "call", plugin, "side", numbers, "--authorize", "side")
    assert ended == 0, errors
    assert re.sub(r"\s+", "", out).endswith('"data":{"numbers":[1.10,1E40,-0,12345678901234567890]}}}')


@pytest.mark.parametrize("spoiled", ["revoked", "edited"])
def test_what_is_not_as_it_was_trusted_is_not_called(spoiled: str, world: World) -> None:
    plugin = world.puppet()
    if spoiled == "revoked":
        (record,) = world.store.records()
        revoke(record, world.store)  # type: ignore[arg-type]  # none is broken
    else:
        (world.root / "puppet" / "puppet.py").write_text("\n")
    code, out, errors = run(world, "call", plugin, "side", "{}", "--authorize", "side")
    assert (code, out) == (126, "")
    assert {"revoked": "not-trusted", "edited": "content-drifted"}[spoiled] in errors


def test_the_pinned_policy_authorizes_what_it_names(world: World) -> None:
    plugin = world.puppet()
    pin_policy(world.store, f'schema = "plugseal.policy/1"\n[gate]\nauthorize = ["{plugin}/side"]\n'.encode())
    assert run(world, "call", plugin, "side", "{}")[0] == 0
    assert run(world, "call", plugin, "plain", "{}")[0] == 126
    (record,) = world.store.records()
    token = record.standing.trust.token  # type: ignore[union-attr]  # trusted
    pin_policy(world.store, f'schema = "plugseal.policy/1"\n[gate]\nauthorize = ["{token}/plain"]\n'.encode())
    assert run(world, "call", plugin, "side", "{}")[0] == 126
    assert run(world, "call", plugin, "plain", "{}")[0] == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_cancels_the_call(number: signal.Signals, world: World) -> None:
    arguments = json.dumps({"steps": [progress("here"), ["until_cancelled"]]})
    command = start(world, "call", world.puppet(), "side", arguments, "--authorize", "side")
    assert command.stderr is not None
    while "progress: here" not in command.stderr.readline():
        pass
    command.send_signal(number)
    out, _ = command.communicate(timeout=_HANG_SECONDS)
    assert command.returncode == 128 + number
    assert json.loads(out)["outcome"]["status"] == "success"  # it ended by itself once it was asked to


class Client:
    """An MCP client of `plugseal coding serve`."""

    def __init__(self, world: World, *words: str) -> None:
        self.server = start(world, "serve", *words)
        self._number = 0
        self.notes: list[dict[str, Any]] = []
        self.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "t", "version": "1"})

    def send(self, **message: Any) -> None:
        assert self.server.stdin is not None
        self.server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.server.stdin.flush()

    def ask(self, method: str, **params: Any) -> Any:
        self._number += 1
        self.send(id=self._number, method=method, params=params)
        return self.wait(self._number)

    def wait(self, number: int | str) -> Any:
        assert self.server.stdout is not None
        while True:
            found = json.loads(self.server.stdout.readline())
            if found.get("id") == number:
                return found.get("result", found.get("error"))
            self.notes.append(found)

    def end(self) -> tuple[int, str]:
        _, errors = self.server.communicate(timeout=_HANG_SECONDS)
        return self.server.returncode, errors


def test_an_mcp_client_gets_the_tools_of_all_enabled_plugins(world: World, tmp_path: Path) -> None:
    workbench(world)
    told = [{**TOOLS[0], "label": "Side", "guidelines": ["Ask first."]}, {**TOOLS[2], "name": "not for MCP"}]
    world.puppet(about={"tools": told})
    client = Client(world, "--authorize", "count_lines,side")
    tools = {tool["name"]: tool for tool in client.ask("tools/list")["tools"]}
    assert sorted(tools) == ["count_lines", "side", "write_note"]
    assert tools["side"]["title"] == "Side"
    assert tools["side"]["description"] == "Beside others.\n\n- Ask first."
    (tmp_path / "a").write_text("1\n2\n3\n")
    found = client.ask(
        "tools/call", name="count_lines", arguments={"folder": str(tmp_path)}, _meta={"progressToken": "t"}
    )
    assert found["content"][0]["text"] == "lines: 3, files: 1"
    assert (found["isError"], found["structuredContent"]) == (False, {"a": 3})
    assert client.notes[0]["params"] == {"progressToken": "t", "progress": 1, "message": "a: 3 lines"}
    denied = client.ask("tools/call", name="write_note", arguments={"folder": "/", "name": "x", "text": ""})
    assert (denied["isError"], denied["_meta"]["coding/outcome"]["errorCode"]) == (True, "not_authorized")
    end = {"callId": "$call", "outcome": {"status": "timeout", "errorCode": "slow", "exitCode": 2}, "terminate": True}
    found = client.ask("tools/call", name="side", arguments={"steps": [["end", end]]})
    assert found["isError"]
    assert found["_meta"]["coding/outcome"] == {
        "status": "timeout",
        "errorCode": "slow",
        "exitCode": 2,
        "terminate": True,
    }
    code, errors = client.end()
    assert code == 0
    assert "tool `not for MCP` is not offered" in errors


def test_a_plugin_that_cannot_be_offered_keeps_no_other_from_it(world: World) -> None:
    first = world.puppet("one")
    second = world.puppet("two")
    client = Client(world)
    assert len(client.ask("tools/list")["tools"]) == 3
    _, errors = client.end()
    assert f"{second} is not offered: tool `side` of {second} is held by {first}" in errors
    code, out, errors = run(world, "serve", second, first)
    assert (code, out) == (125, "")
    assert "is held by" in errors


def test_a_client_that_cancels_cancels_the_call(world: World, tmp_path: Path) -> None:
    world.puppet()
    mark = tmp_path / "mark"
    client = Client(world, "--authorize", "side")
    steps = [progress("here"), ["until_cancelled"], ["mark", str(mark)]]
    client.send(
        id="c",
        method="tools/call",
        params={"name": "side", "arguments": {"steps": steps}, "_meta": {"progressToken": 1}},
    )
    assert client.server.stdout is not None
    assert "here" in client.server.stdout.readline()
    client.send(method="notifications/cancelled", params={"requestId": "c"})
    # Only once the first was asked to stop does the second end.
    seen = client.ask("tools/call", name="side", arguments={"steps": [["await", str(mark)]]})
    assert not seen["isError"]
    assert client.end()[0] == 0


def test_calls_of_a_client_go_on_beside_each_other_as_their_modes_allow(world: World, tmp_path: Path) -> None:
    world.puppet()
    go, log = str(tmp_path / "go"), tmp_path / "log"
    client = Client(world, "--authorize", "side,alone")
    first = {"name": "side", "arguments": {"steps": [["await", go], ["mark", str(log)]]}}
    client.send(id="a", method="tools/call", params=first)
    client.send(id="a", method="tools/call", params=first)
    client.send(id="b", method="tools/call", params={"name": "side", "arguments": {"steps": [["mark", go]]}})
    client.send(id="c", method="tools/call", params={"name": "alone", "arguments": {"steps": [["mark", str(log)]]}})
    client.send(id="d", method="tools/call", params={"name": "side", "arguments": {"steps": [["mark", str(log)]]}})
    assert "waits already" in client.wait("a")["message"]
    found = {}
    assert client.server.stdout is not None
    while len(found) < 4:
        answer = json.loads(client.server.stdout.readline())
        found[answer["id"]] = answer["result"]["isError"]
    assert found == {"a": False, "b": False, "c": False, "d": False}
    assert [*sorted(found)[:2], *list(found)[2:]] == ["a", "b", "c", "d"]
    assert client.end()[0] == 0


def test_a_revocation_takes_the_tools_from_a_client(world: World) -> None:
    world.puppet()
    client = Client(world, "--authorize", "side")
    assert len(client.ask("tools/list")["tools"]) == 3
    (record,) = world.store.records()
    revoke(record, world.store)  # type: ignore[arg-type]  # none is broken
    assert client.server.stdout is not None
    assert json.loads(client.server.stdout.readline())["method"] == "notifications/tools/list_changed"
    assert client.ask("tools/list")["tools"] == []
    assert "there is no tool" in client.ask("tools/call", name="side", arguments={})["message"]
    assert client.end()[0] == 0
    assert [event for event in world.runs() if event != "pinned"] == ["started", "stopped revoked-meanwhile"]


@pytest.mark.parametrize("end", ["a signal", "a closed pipe"])
def test_a_server_that_is_ended_ends_what_runs(end: str, world: World, tmp_path: Path) -> None:
    world.puppet()
    client = Client(world, "--authorize", "side")
    pid = tmp_path / "pid"
    steps = [["spawn", str(pid)], progress("here"), ["silent"]]
    params = {"name": "side", "arguments": {"steps": steps}, "_meta": {"progressToken": 1}}
    client.send(id="x", method="tools/call", params=params)
    assert client.server.stdout is not None
    assert "here" in client.server.stdout.readline()
    if end == "a signal":
        client.server.send_signal(signal.SIGTERM)
    code, errors = client.end()
    assert code == (143 if end == "a signal" else 0), errors
    assert not Path(f"/proc/{pid.read_text()}").exists()
    assert [event for event in world.runs() if event != "pinned"] == ["started", "ended"]


def test_nothing_enabled_is_nothing_to_serve(world: World) -> None:
    assert run(world, "serve")[0] == 3
    code, out, errors = run(world, "serve", "coding:x@000000000000")
    assert (code, out) == (126, ""), errors
