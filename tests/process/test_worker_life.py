"""One worker serves many files, holds nothing of its parent, and ends when it should."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys

import pytest

from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.limits import MIB
from plugseal.scan.workers import worker as worker_module
from plugseal.scan.workers import worker_child
from plugseal.scan.workers.worker import StartMethod, Workers

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are forks only on Linux")

CONTEXT = Context("some/file.py", Interest())


@pytest.mark.usefixtures("descriptors_stay")
def test_one_worker_reads_many_files() -> None:
    with Workers(lambda _name: _NamesItsProcess(), method=StartMethod.FORK) as workers:
        processes = {workers.read("test", b"", CONTEXT).reason for _ in range(100)}
    assert len(processes) == 1
    assert processes != {str(os.getpid())}


class _NamesItsProcess:
    language = "test"

    def read(self, data: bytes, context: Context) -> FileFacts:
        kept = bytearray(len(data))
        kept[::4096] = b"x" * len(kept[::4096])
        return FileFacts("test", "read", str(os.getpid()))


@pytest.mark.usefixtures("descriptors_stay")
def test_a_worker_whose_heap_has_grown_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_child, "WORKER_RETIRE_BYTES", 60 * MIB)
    with Workers(lambda _name: _NamesItsProcess(), method=StartMethod.FORK) as workers:
        first = workers.read("test", b"", CONTEXT)
        large = workers.read("test", bytes(100 * MIB), CONTEXT)
        third = workers.read("test", b"", CONTEXT)
    assert first.reason == large.reason != third.reason


@pytest.mark.parametrize("method", StartMethod)
def test_what_a_large_program_holds_replaces_none_of_its_workers(method: StartMethod) -> None:
    code = (
        "import sys; from plugseal.lang.facts import Context, Interest; from plugseal.limits import MIB, "
        "WORKER_RETIRE_BYTES; from plugseal.scan.workers import worker; "
        "held = bytearray(WORKER_RETIRE_BYTES + 16 * MIB); held[::4096] = b'x' * len(held[::4096]); "
        "workers = worker.Workers(method=worker.StartMethod(sys.argv[1])); "
        "context = Context('a.py', Interest()); workers.read('python', b'', context); first = workers._worker; "
        "workers.read('python', b'', context); print(first is workers._worker is not None); workers.close()"
    )
    ran = subprocess.run(
        [sys.executable, "-I", "-c", code, method.value], capture_output=True, text=True, timeout=120, check=False
    )
    assert (ran.stdout, ran.stderr) == ("True\n", "")


@pytest.mark.usefixtures("descriptors_stay")
def test_a_worker_killed_between_two_files_costs_no_file() -> None:
    with Workers(lambda _name: _NamesItsProcess(), method=StartMethod.FORK) as workers:
        first = int(workers.read("test", b"", CONTEXT).reason)
        os.kill(first, signal.SIGKILL)
        os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
        second = workers.read("test", b"", CONTEXT)
    assert second.status == "read"
    assert second.reason != str(first)


class _DescribesItself:
    """Tell what a parser could reach."""

    language = "test"

    def read(self, data: bytes, context: Context) -> FileFacts:
        standard = [os.readlink(f"/proc/self/fd/{number}") for number in range(3)]
        others = [os.readlink(path) for path in map("/proc/self/fd/{}".format, range(3, 64)) if os.path.lexists(path)]
        handlers = [n for n in signal.valid_signals() if callable(signal.getsignal(n))]
        return FileFacts("test", "read", json.dumps([standard, others, handlers]))


def test_a_worker_holds_nothing_of_its_parent(tmp_path: os.PathLike[str]) -> None:
    previous = signal.signal(signal.SIGUSR1, lambda *_: None)
    try:
        with open(f"{os.fspath(tmp_path)}/open", "w"), Workers(lambda _n: _DescribesItself()) as workers:
            text = workers.read("test", b"", CONTEXT).reason
    finally:
        signal.signal(signal.SIGUSR1, previous)
    standard, others, handlers = json.loads(text)
    assert standard == ["/dev/null"] * 3
    assert [link.partition(":")[0] for link in others] == ["pipe", "pipe"]
    assert handlers == []


PARENT = """
import os, sys, time
from plugseal.lang.facts import Context, Interest
from plugseal.scan.workers.worker import Workers
class Reader:
    language = "test"
    def read(self, data, context):
        os.write(int(context.path), str(os.getpid()).encode() + b"\\n")
        while data: time.sleep(1000)
        from plugseal.lang.facts import FileFacts
        return FileFacts("test", "read")
import plugseal.scan.workers.worker_child as child
close_others = child.close_others
child.close_others = lambda *kept: close_others(*kept, int(sys.argv[1]))
child.WORKER_WALL_SECONDS = 2
workers = Workers(lambda name: Reader())
workers.read("test", {data!r}, Context(sys.argv[1], Interest()))
print("idle", flush=True)
time.sleep(1000)
"""


@pytest.mark.parametrize("data", [b"", b"stuck"], ids=["idle", "stuck in a file"])
def test_a_worker_ends_when_its_parent_is_killed(data: bytes) -> None:
    told, tell = os.pipe()
    code = PARENT.format(data=data)
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tell)], stdout=subprocess.PIPE, pass_fds=[tell], text=True
    ) as parent:
        os.close(tell)
        worker = int(os.read(told, 100))
        assert parent.stdout is not None
        if not data:
            parent.stdout.readline()
        parent.kill()
    # The worker holds the only other end of this pipe: end of file is its end.
    ready, _, _ = select.select([told], [], [], 60)
    assert ready and os.read(told, 1) == b""
    os.close(told)
    assert worker > 1


@pytest.mark.usefixtures("descriptors_stay")
def test_a_spawned_worker_reads_as_a_forked_one_does() -> None:
    sources = [b"import os\nos.system('ls')\n", b"x = " + b"1, " * 1000, b"def broken(:\n"]
    interest = Interest(calls=frozenset({"os.system"}), strings=re.compile("l+s", re.IGNORECASE))
    context = Context("a.py", interest, frozenset({"helpers"}))
    results = []
    for method in StartMethod:
        with Workers(method=method) as workers:
            results.append([workers.read("python", source, context) for source in sources])
    assert repr(results[0]) == repr(results[1])
    assert [facts.status for facts in results[0]] == ["read", "read", "unread"]


def test_a_process_with_threads_does_not_fork() -> None:
    import threading

    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        assert worker_module._best_method() is StartMethod.SPAWN
    finally:
        stop.set()
        thread.join()
    assert worker_module._best_method() is StartMethod.FORK
