"""What a client gives `plugseal run` for its streams: files, nothing at all, a full disk; and how a crash is told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
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
