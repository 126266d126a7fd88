"""A started program, a client and an environment attack the gate, as whoever runs the tests and as a plain user."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import plugseal
from tests import gated

HERE = Path(__file__).resolve().parent
_NOBODY = 65534
_PYTHON = Path("/usr/bin/python3")
SERVER = """
import json, os, resource, signal, sys, time

def daemons():
    ready, there = os.pipe()
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for number in (1, 2, 15):
                    signal.signal(number, signal.SIG_IGN)
                os.write(there, b".")
                time.sleep(3600)
            os._exit(0)
    for _ in range(3):
        os.read(ready, 1)

def guards(gate):
    import ctypes
    found = []
    for name, pid in (("reaper", os.getppid()), ("gate", gate)):
        for what in ("environ", "mem", "maps"):
            try:
                with open(f"/proc/{pid}/{what}", "rb") as file:
                    file.read(1)
                found.append(f"{name} {what}")
            except OSError:
                pass
        try:
            found.append(f"{name} {os.readlink(f'/proc/{pid}/fd/0')}")
        except OSError:
            pass
        if os.getuid() and ctypes.CDLL(None).ptrace(0x4206, pid, 0, 0) == 0:  # root's would hold it up
            found.append(f"{name} traced")
    return found

def answer(number, result):
    print(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}), flush=True)

for line in sys.stdin:
    request = json.loads(line)
    method, number, params = request["method"], request["id"], request.get("params") or {}
    if method == "look":
        fds = sorted(os.listdir("/proc/self/fd"))
        limits = resource.getrlimit(resource.RLIMIT_CORE), resource.getrlimit(resource.RLIMIT_NOFILE)
        home = os.listdir(os.environ["HOME"])
        umask = os.umask(0o077)
        answer(number, {"environment": dict(os.environ), "fds": fds, "cwd": os.getcwd(), "argv": sys.argv,
                        "limits": limits, "home": home, "umask": umask, "session": os.getsid(0) == os.getpid()})
    elif method == "guards":
        answer(number, guards(params["gate"]))
    elif method == "daemons":
        daemons()
        answer(number, "started")
    elif method == "fork":
        for _ in range(200):
            try:
                if os.fork() == 0:
                    time.sleep(3600)
            except OSError:
                break
        time.sleep(3600)
    elif method == "flood":
        while True:
            sys.stdout.write("x" * 65536)
    elif method == "scream":
        for _ in range(400):
            sys.stderr.write("x" * 9999 + "\\n")
        answer(number, "screamed")
    elif method == "half":
        sys.stdout.write('{"jsonrpc": "2.0", ')
        sys.stdout.flush()
        os.close(1)
        time.sleep(3600)
    elif method == "two readings":
        print('{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}', flush=True)
    elif method == "forge":
        sys.stderr.write("gate: allowed\\x1b[2J\\n\\r##[set-env name=X]y\\n::error::z\\n")
        sys.stderr.flush()
        answer(number, "forged")
    elif method == "stop reaper":
        daemons()
        os.kill(os.getppid(), signal.SIGSTOP)
        answer(number, "stopped")
    elif method == "kill reaper":
        daemons()
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(3600)
"""


def _has_python() -> bool:
    code = "import sys; print(sys.version_info >= (3, 10))"
    return _PYTHON.exists() and "True" in subprocess.run([_PYTHON, "-c", code], capture_output=True, text=True).stdout


pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="needs Linux"),
    pytest.mark.skipif(not _has_python(), reason="no Python that others may run is 3.10 or newer"),
]


@pytest.fixture(scope="module", params=["whoever runs the tests", "nobody"])
def found(request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    """Attack as a user, and return what became of it."""
    is_nobody = request.param == "nobody"
    if is_nobody and (os.geteuid() != 0 or shutil.which("setpriv") is None):
        pytest.skip("only root can become somebody else")
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        folder.chmod(0o755)
        patch.chdir("/usr")
        patch.setenv("PATH", "/usr/bin:/bin")
        source = Path(plugseal.__file__).parent
        shutil.copytree(source, folder / "plugseal", ignore=shutil.ignore_patterns("__pycache__", "data"))
        shutil.copy(HERE / "gate_attacks.py", folder / "gate_attacks.py")
        world = gated.World(folder / "world", None, server_dot_py=SERVER).trust()
        before: list[str] = []
        if is_nobody:
            for path in [folder / "world", *(folder / "world").rglob("*")]:
                os.lchown(path, _NOBODY, _NOBODY)
            before = ["setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups"]
        words = [*before, str(_PYTHON), "-I", str(folder / "gate_attacks.py"), name, str(world.store.home), world.id]
        ran = subprocess.run(words, capture_output=True, text=True, timeout=600)
        assert ran.returncode == 0, ran.stderr
        value = dict(json.loads(ran.stdout))
        assert (value["uid"] == _NOBODY) is is_nobody
        yield value


def test_what_starts_gets_what_was_reviewed_and_nothing_of_its_callers(found: dict[str, Any]) -> None:
    look = found["look"]["result"]
    names = set(look["environment"])
    assert "s3cret" not in str(look)
    assert "evil" not in str(look)
    assert not {name for name in names if name.startswith(("PLUGSEAL", "AWS", "NODE", "BASH", "GIT"))}
    assert {name for name in names if name.startswith("PYTHON")} == {"PYTHONNOUSERSITE", "PYTHONDONTWRITEBYTECODE"}
    assert len(look["fds"]) == 4  # the fourth lists them
    assert look["home"] == []
    assert look["umask"] == 0o077
    assert look["session"] is True
    assert look["argv"][1:] == ["--flag"]
    assert look["cwd"] == os.path.dirname(look["argv"][0])
    assert look["limits"][0] == [0, 0]


def test_the_memory_of_the_guards_is_closed_to_a_plain_user(found: dict[str, Any]) -> None:
    seen = found["guards"]["result"]
    # Root's programs read everything: the limits say so.
    assert seen == [] or found["uid"] == 0


@pytest.mark.parametrize("name", ["twice", "case"])
def test_a_message_with_two_readings_of_the_client_is_answered_by_the_gate(name: str, found: dict[str, Any]) -> None:
    assert found[name]["error"]["message"].startswith("plugseal: a message was refused")
    assert found["ends"] == {**found["ends"], "code": 0, "left": []}


def test_a_message_with_two_readings_of_the_server_never_arrives(found: dict[str, Any]) -> None:
    assert "a key stands twice" in found["two readings"]["answer"]["error"]["message"]


@pytest.mark.parametrize(
    "method", ["daemons", "fork", "flood", "scream", "half", "two readings", "kill reaper", "stop reaper"]
)
def test_however_it_ends_nobody_is_left(method: str, found: dict[str, Any]) -> None:
    assert found[method]["left"] == []
    assert found[method]["kib"] < 64 * 1024


@pytest.mark.parametrize(
    ("method", "code", "told"),
    [
        pytest.param("fork", 125, "more than 40 processes", id="a fork bomb"),
        pytest.param("flood", 125, "a line is longer than", id="a line without an end"),
        pytest.param("scream", 0, "gate ends: None", id="a flood of errors is cut, and goes on"),
        pytest.param("half", None, "gate ends", id="half a line"),
        pytest.param("daemons", 0, "gate ends: None", id="daemons end with the server"),
    ],
)
def test_what_goes_beyond_its_bounds_is_ended_with_its_reason(
    method: str, code: int | None, told: str, found: dict[str, Any]
) -> None:
    assert code is None or found[method]["code"] == code, found[method]
    assert told in found[method]["said"]
    assert found[method]["bytes"] < 400_000


def test_a_server_cannot_speak_for_the_gate_or_to_a_runner(found: dict[str, Any]) -> None:
    said = found["forge"]["said"]
    assert "\x1b" not in said
    assert not [line for line in said.splitlines() if line.startswith(("gate: allowed", "##[", "::"))]


@pytest.mark.parametrize("before", ["daemons", "stop reaper"])
def test_a_killed_gate_leaves_nobody(before: str, found: dict[str, Any]) -> None:
    assert found["killed"][before]["below"] >= 5
    assert found["killed"][before]["left"] == []
