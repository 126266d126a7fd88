"""A started program gets what was reviewed and nothing else; whatever it leaves behind is ended, whoever dies first."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from plugseal.errors import SupervisorError
from plugseal.runtime import child as child_module
from plugseal.runtime import reaper
from plugseal.runtime.child import Child, Launch, start
from plugseal.runtime.limits import Limits
from plugseal.runtime.reaper import descendants

_HANG_SECONDS = 60
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
DAEMONS = """
import os, signal, sys, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            for descriptor in (0, 1, 2):
                os.close(descriptor)
            time.sleep(600)
        os._exit(0)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
time.sleep(0.1)
print(os.getpid(), flush=True)
time.sleep(600)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def _start(folder: int, code: str, *, grace: float = 0.2, limits: Limits = Limits(), **more: str) -> Child:  # noqa: B008
    argv = (sys.executable, "-I", "-S", "-c", code)
    return start(Launch(os.path.realpath(sys.executable), argv, {"PATH": "/bin", **more}, folder, limits), grace=grace)


def _told(child: Child) -> str:
    with os.fdopen(os.dup(child.stdout), "rb") as stream:
        return stream.readline().decode().strip()


def _alive(pids: list[int]) -> list[int]:
    return [pid for pid in pids if Path(f"/proc/{pid}").exists()]


def test_the_program_sees_its_own_descriptors_folder_environment_and_limits_alone(
    folder: int, tmp_path: Path, descriptors_stay: None
) -> None:
    poison = os.open("/etc/passwd", os.O_RDONLY)
    os.dup2(poison, 199, inheritable=True)
    code = (
        "import json, os, resource, signal\n"
        "print(json.dumps({'fds': sorted(map(int, os.listdir('/proc/self/fd'))), 'cwd': os.getcwd(),"
        " 'env': dict(os.environ), 'umask': os.umask(0), 'sid': os.getsid(0) == os.getpid(),"
        " 'core': resource.getrlimit(resource.RLIMIT_CORE), 'data': resource.getrlimit(resource.RLIMIT_DATA)[0],"
        " 'ignored': signal.getsignal(signal.SIGTERM) == signal.SIG_DFL,"
        " 'nnp': 'NoNewPrivs:\\t1' in open('/proc/self/status').read()}))"
    )
    try:
        child = _start(folder, code, limits=Limits(data_bytes=1 << 30))
        found = json.loads(_told(child))
        assert child.end()
    finally:
        os.close(poison)
        os.close(199)
    fds = found.pop("fds")
    assert fds[:3] == [0, 1, 2]
    assert len(fds) == 4, "the listing itself is the fourth"
    environment: Mapping[str, str] = found.pop("env")
    assert {name for name in environment if name != "LC_CTYPE"} == {"PATH"}
    assert found == {
        "cwd": str(tmp_path),
        "umask": 0o077,
        "sid": True,
        "core": [0, 0],
        "data": 1 << 30,
        "ignored": True,
        "nnp": True,
    }


@pytest.mark.parametrize(("open_files", "room"), [(4096, True), (20, False)])
def test_a_program_has_room_for_descriptors_before_it_has_threads(folder: int, open_files: int, room: bool) -> None:
    code = "print([line.split()[1] for line in open('/proc/self/status') if line.startswith('FDSize')][0], flush=True)"
    child = _start(folder, code, limits=Limits(open_files=open_files))
    assert (int(_told(child)) >= 1024) is room
    assert child.end()


def test_a_limit_is_never_loosened(folder: int) -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    child = _start(folder, "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE)[1])")
    assert int(_told(child)) <= hard
    child.end()


def _launch(folder: int, *words: str) -> Launch:
    return Launch(f"/bin/{words[0]}", words, {"PATH": "/bin"}, folder)


def test_nothing_is_executed_before_it_is_allowed(folder: int, tmp_path: Path, descriptors_stay: None) -> None:
    def before() -> None:
        while len(descendants()) < len(others) + 2:  # the reaper, and what waits to become the program
            continue
        assert not (tmp_path / "made").exists()

    others = descendants()
    child = start(_launch(folder, "mkdir", "made"), before=before)
    assert os.read(child.stdout, 1) == b"", "it ended"
    assert child.end()
    assert (tmp_path / "made").exists()


@pytest.mark.parametrize("error", [SupervisorError("no"), SystemExit(143), KeyboardInterrupt()], ids=repr)
def test_what_is_not_allowed_is_never_executed(
    folder: int, tmp_path: Path, error: BaseException, descriptors_stay: None
) -> None:
    def before() -> None:
        raise error

    with pytest.raises(type(error)):
        start(_launch(folder, "mkdir", "made"), before=before)
    assert not (tmp_path / "made").exists()


def test_what_waits_for_a_gate_that_is_killed_is_never_executed(folder: int, tmp_path: Path) -> None:
    def before() -> None:
        while len(descendants()) < 2:
            continue
        (tmp_path / "pids").write_text(" ".join(map(str, descendants())))
        os.kill(os.getpid(), signal.SIGKILL)

    gate = os.fork()
    if gate == 0:
        start(_launch(folder, "mkdir", "made"), before=before)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(gate, 0)[1]) == -signal.SIGKILL
    pids = list(map(int, (tmp_path / "pids").read_text().split()))
    end = time.monotonic() + _HANG_SECONDS
    while _alive(pids) and time.monotonic() < end:
        time.sleep(0.005)
    assert _alive(pids) == []
    assert not (tmp_path / "made").exists()


def test_what_cannot_be_executed_is_an_error_of_ours(folder: int, descriptors_stay: None) -> None:
    for program, what in (("/nonexistent", "no such file"), ("/etc/passwd", "permission denied")):
        with pytest.raises(SupervisorError, match=f"(?i){what}"):
            start(Launch(program, ("x",), {}, folder))


def test_a_process_with_other_threads_does_not_fork(folder: int) -> None:
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        with pytest.raises(SupervisorError, match="without other threads") as refused:
            _start(folder, "")
        assert refused.value.hint is not None
        assert "plugseal run" in refused.value.hint
    finally:
        stop.set()
        thread.join()


def test_the_exit_code_is_the_programs_own(folder: int, descriptors_stay: None) -> None:
    child = _start(folder, "raise SystemExit(7)")
    while child.gone is None:
        child.heed()
    assert child.end()
    assert child.code == 7


@pytest.mark.parametrize("at_once", [False, True])
def test_daemons_that_ignore_every_polite_signal_end(folder: int, at_once: bool, descriptors_stay: None) -> None:
    child = _start(folder, DAEMONS)
    _told(child)
    below = descendants()
    assert len(below) == 5, "a reaper, the program, three daemons"
    assert child.end(at_once=at_once)
    assert child.left == 0
    assert _alive(below) == []


def test_daemons_end_with_the_program_that_made_them(folder: int, descriptors_stay: None) -> None:
    child = _start(folder, DAEMONS.replace('time.sleep(600)\n"', "").rpartition("time.sleep(600)")[0])
    _told(child)
    while child.gone is None:
        child.heed()
    assert child.gone
    assert descendants() in ([], [child._reaper])
    child.end()


GATE = """
import os, sys, time
from plugseal.runtime.child import Launch, start
folder = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
child = start(Launch(sys.executable, (sys.executable, "-I", "-S", "-c", sys.argv[1]), {}, folder))
os.read(child.stdout, 100)
print("up", flush=True)
time.sleep(600)
"""


def test_nothing_survives_a_gate_that_is_killed() -> None:
    for _ in range(3):
        gate = subprocess.Popen([sys.executable, "-c", GATE, DAEMONS], stdout=subprocess.PIPE)
        assert gate.stdout is not None
        assert gate.stdout.readline() == b"up\n"
        below = descendants(gate.pid)
        assert len(below) == 5
        gate.send_signal(signal.SIGKILL)
        # The client waits for the end of its pipe: nobody who outlives the gate may hold it.
        assert gate.stdout.read() == b""
        gate.wait(_HANG_SECONDS)
        end = time.monotonic() + _HANG_SECONDS
        while _alive(below) and time.monotonic() < end:
            time.sleep(0.01)
        assert _alive(below) == []


def test_too_many_processes_end_the_run(folder: int) -> None:
    code = "import os, time\nfor _ in range(20):\n    if os.fork() == 0: time.sleep(600)\ntime.sleep(600)"
    child = _start(folder, code, limits=Limits(descendants=10))
    end = time.monotonic() + _HANG_SECONDS
    while child.gone is None and time.monotonic() < end:
        child.heed()
    assert child.problem == "more than 10 processes at the same time"
    assert child.end()


HEADLESS = """
import ctypes, os, platform, threading, time
def later():
    while "State:\\tZ" not in open(f"/proc/{os.getpid()}/status").read():
        time.sleep(0.01)
    for _ in range(20):
        if os.fork() == 0:
            time.sleep(600)
    print(os.getpid(), flush=True)
    time.sleep(600)
threading.Thread(target=later).start()
ctypes.CDLL(None).syscall({"x86_64": 60}.get(platform.machine(), 93), 0)
"""
"""Its first thread ends and another one forks: the kernel shows the process as a zombie."""


def test_who_looks_like_a_zombie_and_has_threads_is_counted_with_all_below_it(folder: int) -> None:
    child = _start(folder, HEADLESS, limits=Limits(descendants=10))
    end = time.monotonic() + _HANG_SECONDS
    while child.gone is None and time.monotonic() < end:
        child.heed()
    assert child.problem == "more than 10 processes at the same time"
    assert child.end()


def test_who_looks_like_a_zombie_and_has_threads_is_ended_without_the_quick_list(
    folder: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reaper, "_below", list)
    child = _start(folder, HEADLESS)
    _told(child)
    below = descendants()
    assert len(below) == 22
    assert child.end(at_once=True)
    assert _alive(below) == []


def test_a_reaper_that_was_killed_proves_nothing(folder: int) -> None:
    child = _start(folder, "import time; print(1, flush=True); time.sleep(600)")
    _told(child)
    os.kill(child._reaper, signal.SIGKILL)
    assert not child.end()
    assert child.gone is False


def test_a_reaper_that_could_not_end_all_in_time_says_so_and_goes_on(
    folder: int, monkeypatch: pytest.MonkeyPatch, descriptors_stay: None
) -> None:
    real, begin = reaper._send, time.monotonic() + 0.5

    def late(pid: int, number: int) -> None:
        if time.monotonic() > begin:
            real(pid, number)

    monkeypatch.setattr(reaper, "GONE_SECONDS", 0.05)
    monkeypatch.setattr(reaper, "_send", late)
    child = _start(folder, DAEMONS)
    _told(child)
    below = descendants()
    assert not child.end(at_once=True)
    assert (child.gone, child.left) == (False, 4)
    assert [child._reaper] == child_module._GOING_ON
    end = time.monotonic() + _HANG_SECONDS
    while child_module._GOING_ON and time.monotonic() < end:
        child._has_reaper_ended()
        time.sleep(0.01)
    assert _alive(below) == [], "not even the reaper, once there is nothing left to do"


BELOW = """
import os, time
from plugseal.runtime import kernel, reaper
assert kernel.set_subreaper()
if os.fork() == 0:
    if os.fork() == 0:
        time.sleep(600)
    time.sleep(600)
while len(reaper.descendants()) < 2:
    time.sleep(0.01)
assert sorted(reaper._below()) == sorted(reaper.descendants())
assert reaper.end_descendants() == 0
assert reaper.descendants() == []
"""


def test_the_quick_list_holds_what_the_whole_one_holds() -> None:
    subprocess.run([sys.executable, "-c", BELOW], check=True, timeout=_HANG_SECONDS)


def test_without_the_quick_list_all_are_ended_as_well(folder: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaper, "_below", list)
    child = _start(folder, DAEMONS)
    _told(child)
    below = descendants()
    assert child.end(at_once=True)
    assert _alive(below) == []


CHILDREN = """
import os, signal, time
from plugseal.runtime import reaper
assert not reaper._has_children()
pid = os.fork()
if pid == 0:
    time.sleep(600)
    os._exit(0)
assert reaper._has_children()
os.kill(pid, signal.SIGKILL)
os.waitpid(pid, 0)
assert not reaper._has_children()
"""


def test_a_child_that_cannot_be_waited_for_yet_counts_as_there() -> None:
    # In a process of its own: the one that runs the tests has children of theirs.
    subprocess.run([sys.executable, "-c", CHILDREN], check=True, timeout=_HANG_SECONDS)


def test_the_memory_of_the_reaper_is_its_own(folder: int) -> None:
    child = _start(folder, "import time; print(1, flush=True); time.sleep(600)")
    _told(child)
    try:
        assert os.stat(f"/proc/{child._reaper}/mem").st_uid == 0
        assert os.readlink(f"/proc/{child._reaper}/fd/0") == "/dev/null"
    finally:
        child.end(at_once=True)
