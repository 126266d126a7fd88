"""A gate for harnesses with threads: in a process of its own, with the same refusals and the same end."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from plugseal.errors import RefusedError, SupervisorError
from plugseal.runtime.apart import Apart, spawn_apart
from plugseal.runtime.reaper import descendants
from plugseal.verbs.trust import revoke
from tests import gated

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


@pytest.fixture(autouse=True)
def another_thread() -> Iterator[None]:
    """Run everything beside a thread that waits."""
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    yield
    done.set()
    thread.join()


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir("/usr")
    return gated.World(tmp_path / "world").trust()


def _ask(gate: Apart, method: str) -> dict[str, Any]:
    gate.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method}).encode() + b"\n")
    gate.stdin.flush()
    return dict(json.loads(gate.stdout.readline()))


def test_a_harness_with_threads_starts_a_component(world: Any) -> None:
    with pytest.raises(SupervisorError, match="without other threads"), world.supervisor().spawn(world.id):
        pass
    with spawn_apart(world.id, "server:main", store=world.store) as gate:
        assert _ask(gate, "tools/list")["result"]["tools"][0]["name"] == "echo"
        below = descendants(gate.pid)
    assert gate.code == 0
    assert len(below) == 2
    assert [pid for pid in [gate.pid, *below] if os.path.exists(f"/proc/{pid}")] == []
    assert world.events()[-3:] == ["started", "pinned", "ended"]


def test_a_refusal_is_raised_with_its_reason_and_hint(world: Any) -> None:
    world.write("server.py", gated.SERVER + " ")
    with pytest.raises(RefusedError) as refused, spawn_apart(world.id, store=world.store) as gate:
        assert gate.stdout.readline() == b""
    assert refused.value.reason == "content-drifted"
    assert "plugseal diff" in (refused.value.hint or "")


def test_a_revocation_is_raised_at_the_end_of_the_block(world: Any) -> None:
    with pytest.raises(RefusedError) as refused, spawn_apart(world.id, store=world.store) as gate:
        _ask(gate, "tools/list")
        (record,) = world.store.records()
        revoke(record, world.store)
        assert gate.stdout.readline() == b""
    assert refused.value.reason == "revoked-meanwhile"


def test_a_gate_that_fails_is_told(world: Any) -> None:
    around = {"PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": "/nonexistent"}
    with (
        pytest.raises(SupervisorError, match="LD_LIBRARY_PATH"),
        spawn_apart(world.id, store=world.store, environment=around) as gate,
    ):
        assert gate.stdout.readline() == b""


def test_what_the_block_raises_comes_through_and_nothing_is_left(world: Any) -> None:
    with pytest.raises(KeyError), spawn_apart(world.id, store=world.store) as gate:
        _ask(gate, "tools/list")
        raise KeyError("mine")
    assert not os.path.exists(f"/proc/{gate.pid}")
