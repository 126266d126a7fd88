"""`plugseal run` as a client's command: what starts, how it ends, and what is left in the trail and on the machine."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from plugseal.runtime.policies import pin_policy
from plugseal.runtime.reaper import descendants
from plugseal.verbs.trust import revoke
from tests import gated

_HANG_SECONDS = 60
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir("/usr")
    return gated.World(tmp_path / "world").trust()


def _run(world: Any, *words: str, **around: str) -> subprocess.Popen[bytes]:
    environment = {"PATH": "/usr/bin:/bin", "PLUGSEAL_HOME": str(world.store.home), **around}
    return subprocess.Popen(
        [sys.executable, "-I", "-m", "plugseal", "run", world.id, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        cwd="/usr",
    )


def _ask(gate: subprocess.Popen[bytes], method: str, number: int = 1, **params: object) -> dict[str, Any]:
    assert gate.stdin is not None
    assert gate.stdout is not None
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    gate.stdin.write(json.dumps(message).encode() + b"\n")
    gate.stdin.flush()
    found: dict[str, Any] = json.loads(gate.stdout.readline())
    return found


def _end(gate: subprocess.Popen[bytes]) -> tuple[int, str, str]:
    out, errors = gate.communicate(timeout=_HANG_SECONDS)
    return gate.returncode, out.decode(), errors.decode()


def test_what_is_started_is_the_reviewed_command_from_the_copy_in_a_built_environment(world: Any) -> None:
    gate = _run(world, AWS_SECRET_ACCESS_KEY="s", HTTPS_PROXY="p", NODE_OPTIONS="--require=/evil.js")
    found = _ask(gate, "look")["result"]
    home = Path(found["environment"]["HOME"])
    assert found["cwd"] == str(world.stage)
    assert found["argv"] == [f"{world.stage}/server.py", "--flag"]
    assert not {"AWS_SECRET_ACCESS_KEY", "HTTPS_PROXY", "NODE_OPTIONS", "PLUGSEAL_HOME"} & set(found["environment"])
    assert list(home.iterdir()) == []
    assert len(found["fds"]) == 4
    code, _, errors = _end(gate)
    assert code == 0, errors
    assert world.events() == ["started", "ended"]
    assert not home.exists()
    assert list((world.store.home / "run").iterdir()) == []


@pytest.mark.parametrize("version", VERSIONS)
def test_each_version_of_the_protocol_passes(version: str, world: Any) -> None:
    gate = _run(world)
    assert _ask(gate, "initialize", protocolVersion=version)["result"]["protocolVersion"] == version
    assert _ask(gate, "tools/list", 2)["result"]["tools"][0]["name"] == "echo"
    answer = _ask(gate, "tools/call", 3, name="echo", arguments={"x": 1})
    assert answer["result"]["content"][0]["text"] == "{'x': 1}"
    assert _end(gate)[0] == 0


def test_what_is_denied_meanwhile_ends_and_a_policy_that_denies_something_else_ends_nothing(world: Any) -> None:
    gate = _run(world)
    assert _ask(gate, "look")["result"]
    head = b'schema = "plugseal.policy/1"\n[gate]\n'
    pin_policy(world.store, head + b'deny = ["codewhale:other"]\n')
    time.sleep(1.2)
    assert _ask(gate, "look", 2)["result"]
    pin_policy(world.store, head + b'deny = ["agent-plugins:sample"]\n')
    code, _, errors = _end_by_itself(gate)
    assert code == 126
    assert "policy-denies" in errors
    assert world.events()[-1] == "stopped"
    assert _run(world).wait(_HANG_SECONDS) == 126


def _end_by_itself(gate: subprocess.Popen[bytes]) -> tuple[int, str, str]:
    """Wait for an end that the client did not ask for."""
    assert gate.wait(_HANG_SECONDS)
    return _end(gate)


def test_an_edited_byte_refuses_and_the_restored_one_runs(world: Any) -> None:
    file = world.source / "server.py"
    text = file.read_text()
    file.write_text(text + " ")
    code, out, errors = _end(_run(world))
    assert (code, out) == (126, "")
    assert "content-drifted" in errors
    assert "plugseal diff" in errors
    file.write_text(text)
    gate = _run(world)
    assert "result" in _ask(gate, "look")
    assert _end(gate)[0] == 0
    assert world.events() == ["refused", "started", "ended"]


def test_a_revocation_in_flight_is_answered_and_leaves_nothing(world: Any) -> None:
    gate = _run(world)
    _ask(gate, "look")
    assert gate.stdin is not None
    gate.stdin.write(b'{"jsonrpc":"2.0","id":"wait","method":"hang"}\n')
    gate.stdin.flush()
    below = descendants(gate.pid)
    assert len(below) == 2
    (record,) = world.store.records()
    revoke(record, world.store)
    assert gate.stdout is not None
    answer = json.loads(gate.stdout.readline())
    assert answer["id"] == "wait"
    assert "revoked-meanwhile" in answer["error"]["message"]
    code, _, errors = _end(gate)
    assert code == 126, errors
    assert [pid for pid in below if Path(f"/proc/{pid}").exists()] == []
    assert world.events() == ["started", "stopped"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_gate_that_is_ended_ends_all_and_says_so_in_the_trail(number: signal.Signals, world: Any) -> None:
    gate = _run(world)
    _ask(gate, "look")
    below = descendants(gate.pid)
    gate.send_signal(number)
    code, _, _ = _end(gate)
    assert code == 128 + number
    assert [pid for pid in below if Path(f"/proc/{pid}").exists()] == []
    assert world.events() == ["started", "ended"]


def test_what_a_killed_gate_left_is_removed_by_the_next(world: Any) -> None:
    gate = _run(world)
    _ask(gate, "look")
    below = descendants(gate.pid)
    gate.kill()
    gate.communicate(timeout=_HANG_SECONDS)
    end = time.monotonic() + _HANG_SECONDS
    while [pid for pid in below if Path(f"/proc/{pid}").exists()] and time.monotonic() < end:
        time.sleep(0.01)
    assert len(list((world.store.home / "run").iterdir())) == 1
    gate = _run(world)
    _ask(gate, "look")
    assert len(list((world.store.home / "run").iterdir())) == 1
    _end(gate)
    assert list((world.store.home / "run").iterdir()) == []


@pytest.mark.parametrize(
    "name", ["GLIBC_TUNABLES", "LD_LIBRARY_PATH", "LD_DEBUG_OUTPUT", "DYLD_LIBRARY_PATH", "GCONV_PATH"]
)
def test_under_a_variable_that_reaches_our_process_nothing_starts(name: str, world: Any) -> None:
    code, out, errors = _end(_run(world, **{name: "/nonexistent"}))
    assert (code, out) == (125, "")
    assert f"`{name}` is set around plugseal" in errors
    assert world.events() == []


@pytest.mark.parametrize("words", [("--", "x"), ("server:main", "x"), ("--flag",), ("server:main", "--", "-c", "x")])
def test_nothing_can_be_added_to_the_command(words: tuple[str, ...], world: Any) -> None:
    code, out, _ = _end(_run(world, *words))
    assert code in (2, 126)
    assert out == ""
    assert "started" not in world.events()


def test_a_state_folder_that_was_brought_along_starts_nothing(world: Any, tmp_path: Path) -> None:
    brought = tmp_path / "brought"
    shutil.copytree(world.store.home, brought)
    code, out, errors = _end(_run(world, PLUGSEAL_HOME=str(brought)))
    assert (code, out) == (125, "")
    assert "not registered" in errors
    assert not list((brought / "plugins").glob("*.runs"))


def test_a_path_or_a_name_is_no_id(world: Any) -> None:
    for word in (str(world.source), "sample", "agent-plugins:sample"):
        world.id = word
        code, _, errors = _end(_run(world))
        assert code in (2, 126), errors


def test_a_flood_ends_within_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/usr")
    flood = 'import sys\nwhile True:\n    sys.stdout.write("x" * 65536)\n'
    world = gated.World(tmp_path / "world", None, server_dot_py=flood)
    world.trust()
    gate = _run(world)
    assert gate.stdin is not None
    code = gate.wait(_HANG_SECONDS)
    errors = _end(gate)[2]
    assert code == 125, errors
    assert "longer than" in errors


def test_a_child_cannot_read_the_memory_of_its_gate(world: Any) -> None:
    gate = _run(world)
    _ask(gate, "look")
    try:
        status = os.stat(f"/proc/{gate.pid}/environ")
        assert status.st_uid == 0
    finally:
        _end(gate)
