"""What a client gives `plugseal run` for its streams: files, nothing at all, a full disk; and how a crash is told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests import gated

_HANG_SECONDS = 60
_LINE = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}) + "\n"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir("/usr")
    return gated.World(tmp_path / "world").trust()


def _run(world: Any, **streams: Any) -> subprocess.CompletedProcess[bytes]:
    words = [sys.executable, "-I", "-m", "plugseal", "run", world.id]
    environment = {"PATH": "/usr/bin:/bin", "PLUGSEAL_HOME": str(world.store.home)}
    return subprocess.run(
        words, check=False, env=environment, cwd="/usr", timeout=_HANG_SECONDS, stderr=subprocess.PIPE, **streams
    )


def test_requests_may_come_from_a_file_and_answers_go_to_one(world: Any, tmp_path: Path) -> None:
    lines = 40_000
    (tmp_path / "in").write_text(_LINE + "\n" * lines + _LINE.replace('"id": 1', '"id": 2'))
    with (tmp_path / "in").open("rb") as given, (tmp_path / "out").open("wb") as taken:
        done = _run(world, stdin=given, stdout=taken)
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]
    assert [answer["id"] for answer in answers] == [1, 2]
    assert all(answer["result"]["tools"] for answer in answers)


def test_a_slow_answer_and_a_slow_reader_lose_nothing_of_a_file(tmp_path: Path) -> None:
    world = gated.World(tmp_path / "world")
    slow_server = gated.SERVER.replace(
        "        continue\n    else:", "        time.sleep(1.5)\n        result = {}\n    else:"
    )
    world.write("server.py", slow_server.replace("import json\n", "import json\nimport time\n"))
    world.trust()
    lines = [{"jsonrpc": "2.0", "id": 1, "method": "hang"}]
    lines += [{"jsonrpc": "2.0", "id": number, "method": "look"} for number in range(2, 400)]
    (tmp_path / "in").write_text("".join(json.dumps(line) + "\n" for line in lines))
    reader = [sys.executable, "-c", "import sys, time; time.sleep(2); print(len(sys.stdin.readlines()))"]
    with subprocess.Popen(reader, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as slow:
        assert slow.stdin is not None
        assert slow.stdout is not None
        with (tmp_path / "in").open("rb") as given:
            done = _run(world, stdin=given, stdout=slow.stdin)
        slow.stdin.close()
        assert slow.stdout.read() == b"399\n", done.stderr
    assert done.returncode == 0, done.stderr


def _piped(world: Any, given: bytes) -> tuple[subprocess.CompletedProcess[bytes], float]:
    began = time.monotonic()
    return _run(world, input=given, stdout=subprocess.PIPE), time.monotonic() - began


def _slow(tmp_path: Path, begin: str, answer: str = "") -> Any:
    """Return a world whose server does something before it reads, and before it answers what it does not know."""
    world = gated.World(tmp_path / "world")
    text = gated.SERVER.replace("import json\n", f"import json\nimport signal\nimport time\n{begin}\n")
    world.write("server.py", text.replace("        continue\n    else:", f"        {answer or 'continue'}\n    else:"))
    return world.trust()


def test_requests_that_came_through_a_pipe_all_at_once_are_answered_however_slowly_a_server_begins(
    tmp_path: Path,
) -> None:
    world = _slow(tmp_path, "time.sleep(2.5)")
    greeting = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}
    done, _ = _piped(world, json.dumps(greeting).encode() + b"\n" + _LINE.encode())
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [0, 1], done.stderr
    assert done.returncode == 0
    done, _ = _piped(world, _LINE.encode())
    assert json.loads(done.stdout)["result"]["tools"], done.stderr


def test_a_client_that_goes_away_waits_less_than_two_seconds_for_a_server_that_does_not_listen(tmp_path: Path) -> None:
    world = _slow(tmp_path, "signal.signal(signal.SIGTERM, signal.SIG_IGN)", "time.sleep(600)")
    words = [sys.executable, "-I", "-m", "plugseal", "run", world.id]
    environment = {"PATH": "/usr/bin:/bin", "PLUGSEAL_HOME": str(world.store.home)}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(words, env=environment, cwd="/usr", **pipes) as gate:  # type: ignore[call-overload]  # pipes
        gate.stdin.write(_LINE.encode())
        gate.stdin.flush()
        assert json.loads(gate.stdout.readline())["id"] == 1
        gate.stdin.write(_LINE.replace('"id": 1', '"id": 2').replace("tools/list", "hang").encode())
        began = time.monotonic()
        out, told = gate.communicate(timeout=_HANG_SECONDS)
    assert time.monotonic() - began < 2.5  # two, and what a busy machine adds
    assert gate.returncode == 0
    assert "no answer came in time" in json.loads(out)["error"]["message"]
    assert b"1 of its requests had no answer" in told


def test_nothing_is_waited_for_where_nobody_reads(tmp_path: Path) -> None:
    world = _slow(tmp_path, "time.sleep(600)")
    there, away = os.pipe()
    os.close(there)
    began = time.monotonic()
    try:
        done = _run(world, input=_LINE.encode(), stdout=away)
    finally:
        os.close(away)
    assert time.monotonic() - began < 8
    assert done.returncode == 0, done.stderr


def test_a_client_without_words_ends_the_server(world: Any) -> None:
    done = _run(world, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize("closed", [pytest.param((0,), id="input"), pytest.param((0, 1), id="input and output")])
def test_streams_that_were_closed_are_no_bug_of_ours(closed: tuple[int, ...], world: Any) -> None:
    def close() -> None:
        for number in closed:
            os.close(number)

    done = _run(world, stdout=subprocess.DEVNULL, preexec_fn=close)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_an_answer_that_can_not_be_written_is_no_success(world: Any, tmp_path: Path) -> None:
    (tmp_path / "in").write_text(_LINE)
    with (tmp_path / "in").open("rb") as given, Path("/dev/full").open("wb") as taken:
        done = _run(world, stdin=given, stdout=taken)
    assert done.returncode == 125
    assert b"can't be written: no space left on device" in done.stderr


def test_a_server_that_dies_by_itself_at_the_end_is_not_taken_for_one_that_was_ended(tmp_path: Path) -> None:
    dies = "import os, sys\nsys.stdin.read()\nos.kill(os.getpid(), 11)\n"
    world = gated.World(tmp_path / "world")
    world.write("server.py", dies)
    world.trust()
    done = _run(world, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    assert done.returncode == 128 + signal.SIGSEGV, done.stderr
