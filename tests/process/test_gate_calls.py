"""`plugseal call` and the exchange of lines below it: one answer for one question, or an error that says why not."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from plugseal.errors import RefusedError, SupervisorError
from plugseal.runtime.caller import Caller
from plugseal.runtime.exchange import Exchange
from plugseal.runtime.limits import Limits
from plugseal.runtime.reaper import descendants
from plugseal.verbs.known import find_record
from plugseal.verbs.run import guard_of
from plugseal.verbs.trust import revoke
from tests import gated

_HANG_SECONDS = 60
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")

TALKATIVE = '''"""Echo lines; say things on standard error; end at `end`."""

import sys

print("warned\\x1b[31m", file=sys.stderr, flush=True)
for line in sys.stdin:
    if line == "end\\n":
        break
    if line == "long\\n":
        line = "x" * 5000 + "\\n"
    if line != "silent\\n":
        print(line, end="", flush=True)
'''


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir("/usr")
    return gated.World(tmp_path / "world").trust()


@pytest.fixture
def talkative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir("/usr")
    return gated.World(tmp_path / "world", server_dot_py=TALKATIVE).trust()


def _call(world: Any, *words: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-I", "-m", "plugseal", "call", world.id, *words],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "PLUGSEAL_HOME": str(world.store.home)},
        cwd="/usr",
        timeout=_HANG_SECONDS,
    )
    return done.returncode, done.stdout, done.stderr


def test_one_call_by_hand_prints_the_answer_and_pins_the_tools(world: Any) -> None:
    code, out, errors = _call(world, "echo", '{"x": 1}')
    assert code == 0, errors
    assert json.loads(out)["content"][0]["text"] == "{'x': 1}"
    assert world.events()[0] == "started"
    assert world.events()[-1] == "ended"


@pytest.mark.parametrize(
    ("words", "code", "what"),
    [
        pytest.param(("echo", "{"), 2, "the arguments are no JSON", id="no JSON"),
        pytest.param(("echo", "[1]"), 2, "no JSON object", id="no object"),
        pytest.param(("other", "{}"), 126, "lists no tool other; it lists `echo`", id="a tool that it never listed"),
    ],
)
def test_a_call_that_can_not_be_made_says_why(words: tuple[str, ...], code: int, what: str, world: Any) -> None:
    found, out, errors = _call(world, *words)
    assert (found, out) == (code, "")
    assert what in errors


def test_an_edited_byte_refuses_a_call(world: Any) -> None:
    with (world.source / "server.py").open("a") as file:
        file.write(" ")
    code, out, errors = _call(world, "echo", "{}")
    assert (code, out) == (126, "")
    assert "content-drifted" in errors


def test_an_answer_that_does_not_come_ends_the_wait(world: Any) -> None:
    limits = Limits()
    with world.supervisor().spawn(world.id) as session:
        guard = guard_of(session, world.store, lambda _: None)
        caller = Caller(session, guard=guard, on_event=lambda _: None, limits=limits, seconds=0.2)
        with pytest.raises(SupervisorError, match="did not answer within"):
            caller.ask("hang", {})


def test_lines_go_out_and_come_back_and_errors_are_told_harmless(talkative: Any) -> None:
    told: list[str] = []
    with talkative.supervisor().spawn(talkative.id) as session:
        exchange = Exchange(session, on_event=told.append)
        exchange.send({"a": 1})
        exchange.send(b"two")
        end = time.monotonic() + _HANG_SECONDS
        assert exchange.receive(end) == b'{"a": 1}'
        assert exchange.receive(end) == b"two"
        exchange.send(b"silent")
        assert exchange.receive(time.monotonic() + 0.05) is None
        exchange.send(b"end")
        with pytest.raises(SupervisorError, match="ended without an answer"):
            exchange.receive(end)
        assert exchange.is_ended
    assert told == ["warned\\x1b[31m"]


def test_a_line_beyond_its_bound_is_an_error(talkative: Any) -> None:
    with talkative.supervisor().spawn(talkative.id) as session:
        exchange = Exchange(session, on_event=lambda _: None, limits=Limits(line_bytes=1000))
        exchange.send(b"long")
        with pytest.raises(SupervisorError, match="longer than 1,000 bytes"):
            exchange.receive(time.monotonic() + _HANG_SECONDS)


def test_standard_error_beyond_its_bound_is_not_told(talkative: Any) -> None:
    told: list[str] = []
    with talkative.supervisor().spawn(talkative.id) as session:
        exchange = Exchange(session, on_event=told.append, limits=Limits(error_bytes=0))
        exchange.send(b"one")
        assert exchange.receive(time.monotonic() + _HANG_SECONDS) == b"one"
    assert told == []


def test_a_revocation_refuses_the_wait_and_the_next_line_and_ends_all(talkative: Any) -> None:
    before = set(descendants())
    with pytest.raises(RefusedError) as caught, talkative.supervisor().spawn(talkative.id) as session:
        exchange = Exchange(session, on_event=lambda _: None)
        revoke(find_record(talkative.id, talkative.store), talkative.store)
        with pytest.raises(RefusedError):
            exchange.receive(time.monotonic() + _HANG_SECONDS)
        exchange.send(b"late")
    assert caught.value.reason == "revoked-meanwhile"
    assert set(descendants()) == before
    assert talkative.events()[-1] == "stopped"
