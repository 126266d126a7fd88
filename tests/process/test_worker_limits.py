"""A worker that hangs, crashes, hoards or lies costs one file: the next is read, and nothing is left behind."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.limits import MIB
from plugseal.scan import worker as worker_module
from plugseal.scan import worker_child, worker_pipe
from plugseal.scan.worker import StartMethod, Workers

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are forks only on Linux")

CONTEXT = Context("some/file.py", Interest())
GOOD = FileFacts("test", "read", "good")


class Scripted:
    """A reader whose behaviour a test chooses by the bytes."""

    language = "test"

    def __init__(self, deeds: dict[bytes, Callable[[], object]]) -> None:
        self.deeds = deeds

    def read(self, data: bytes, context: Context) -> FileFacts:
        self.deeds[data]()
        return GOOD


def _do_nothing() -> None:
    pass


def _spin() -> None:
    while True:
        pass


def _spin_in_c() -> None:
    re.match(r"(a+)+$", "a" * 64 + "b")


def _sleep() -> None:
    while True:
        time.sleep(1000)


def _sleep_without_clock() -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)
    _sleep()


def _hoard() -> None:
    kept = []
    while True:
        kept.append(bytes(64 * MIB))


def _overflow_the_native_stack() -> None:
    ctypes.string_at(0)


def _write_garbage() -> None:
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, b"\xff" * 64)
        except OSError:
            continue
    os._exit(0)


def _promise_too_much() -> None:
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, b"s\xff\xff\xff\xff")
        except OSError:
            continue
    _sleep()


def _flood() -> None:
    while True:
        _flood_once()


def _flood_once() -> None:
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, b"s\x00\x00\x00\x02{}" * 10000)
        except OSError:
            continue


def _close_the_pipes_and_stay() -> None:
    os.closerange(3, 64)
    _sleep()


def _write_a_file() -> None:
    descriptor = os.open("/tmp/plugseal-test-write", os.O_WRONLY | os.O_CREAT)
    os.write(descriptor, b"x")


def _raise() -> None:
    raise RuntimeError("hostile text")


def _recurse() -> None:
    _recurse()


DEEDS: dict[str, tuple[Callable[[], object], str]] = {
    "spins": (_spin, r"took more than 1 s of CPU"),
    "spins inside C code": (_spin_in_c, r"took more than 1 s of CPU"),
    "sleeps": (_sleep, r"took more than 2 s"),
    "sleeps with its clock off": (_sleep_without_clock, r"took more than 2 s"),
    "takes all memory": (_hoard, r"needed more than 1,536 MiB of memory"),
    "reads through a null pointer": (_overflow_the_native_stack, r"the parser crashed \(signal 11\)"),
    "kills itself": (lambda: os.kill(os.getpid(), signal.SIGKILL), r"the parser crashed \(signal 9\)"),
    "aborts": (os.abort, r"the parser crashed \(signal 6\)"),
    "exits": (lambda: os._exit(3), r"the parser exited \(status 3\)"),
    "exits as if all were well": (lambda: os._exit(0), r"the parser exited \(status 0\)"),
    "exits by an exception": (lambda: sys.exit(5), r"the parser exited \(status 72\)"),
    "answers with garbage": (_write_garbage, r"the parser answered nonsense"),
    "promises more than the limit": (_promise_too_much, r"the parser answered nonsense"),
    "floods": (_flood, r"the parser answered nonsense"),
    "closes its pipes and stays": (_close_the_pipes_and_stay, r"the parser crashed \(signal 9\)"),
    "writes a file": (_write_a_file, r"the parser crashed \(signal 25\)"),
    "raises": (_raise, r"the reader failed \(RuntimeError\)"),
    "recurses for ever": (_recurse, r"the reader failed \(RecursionError\)"),
}


def _set_clocks(monkeypatch: pytest.MonkeyPatch, *, cpu_seconds: int, wall_seconds: int) -> None:
    """Let one limit bite soon; the other is far away, however loaded the machine is."""
    monkeypatch.setattr(worker_child, "WORKER_CPU_SECONDS", cpu_seconds)
    monkeypatch.setattr(worker_child, "WORKER_WALL_SECONDS", wall_seconds)
    monkeypatch.setattr(worker_module, "WORKER_WALL_SECONDS", wall_seconds)
    monkeypatch.setattr(worker_module, "_TOO_LONG", f"took more than {wall_seconds} s")
    monkeypatch.setattr(worker_module, "_TOO_MUCH_CPU", f"took more than {cpu_seconds} s of CPU")


@pytest.fixture
def descriptors_stay() -> Iterator[None]:
    """Compare the open descriptors and the children before and after."""
    before = _open_descriptors()
    yield
    gc.collect()
    assert _open_descriptors() == before
    assert not _has_children()


def _open_descriptors() -> set[str]:
    return {name for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}")}


def _has_children() -> bool:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return False
    return True


@pytest.mark.usefixtures("descriptors_stay")
@pytest.mark.parametrize("name", DEEDS)
def test_a_worker_that_misbehaves_loses_only_its_file(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _set_clocks(monkeypatch, cpu_seconds=1, wall_seconds=2 if "sleeps" in name else 300)
    deed, reason = DEEDS[name]
    reader = Scripted({b"good": _do_nothing, b"bad": deed})
    with Workers(lambda _name: reader, method=StartMethod.FORK) as workers:
        assert workers.read("test", b"good", CONTEXT) == GOOD
        lost = workers.read("test", b"bad", CONTEXT)
        assert workers.read("test", b"good", CONTEXT) == GOOD
    assert lost.status == "unread"
    assert re.fullmatch(reason, lost.reason)


@pytest.mark.usefixtures("descriptors_stay")
def test_two_hundred_dead_workers_leave_no_descriptor_and_no_process() -> None:
    reader = Scripted({b"bad": lambda: os._exit(9)})
    with Workers(lambda _name: reader, method=StartMethod.FORK) as workers:
        for _ in range(200):
            assert workers.read("test", b"bad", CONTEXT).status == "unread"


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
    monkeypatch.setattr(worker_child, "WORKER_RETIRE_BYTES", worker_child._used_bytes() + 60 * MIB)
    with Workers(lambda _name: _NamesItsProcess(), method=StartMethod.FORK) as workers:
        first = workers.read("test", b"", CONTEXT)
        large = workers.read("test", bytes(100 * MIB), CONTEXT)
        third = workers.read("test", b"", CONTEXT)
    assert first.reason == large.reason != third.reason


@pytest.mark.usefixtures("descriptors_stay")
def test_a_worker_killed_between_two_files_costs_no_file() -> None:
    with Workers(lambda _name: _NamesItsProcess(), method=StartMethod.FORK) as workers:
        first = int(workers.read("test", b"", CONTEXT).reason)
        os.kill(first, signal.SIGKILL)
        os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
        second = workers.read("test", b"", CONTEXT)
    assert second.status == "read"
    assert second.reason != str(first)


@pytest.mark.usefixtures("descriptors_stay")
def test_a_file_may_use_as_much_memory_in_a_used_worker_as_in_a_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_child, "WORKER_MEMORY_BYTES", 256 * MIB)
    kept: list[bytes] = []
    reader = Scripted({b"keep": lambda: kept.append(bytes(200 * MIB)), b"much": lambda: len(bytes(300 * MIB))})
    with Workers(lambda _name: reader, method=StartMethod.FORK) as workers:
        answers = [workers.read("test", data, CONTEXT).status for data in (b"keep", b"keep", b"much", b"keep")]
    assert answers == ["read", "read", "unread", "read"]


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
from plugseal.scan.worker import Workers
class Reader:
    language = "test"
    def read(self, data, context):
        os.write(int(context.path), str(os.getpid()).encode() + b"\\n")
        while data: time.sleep(1000)
        from plugseal.lang.facts import FileFacts
        return FileFacts("test", "read")
import plugseal.scan.worker_child as child
close_others = child._close_others
child._close_others = lambda *kept: close_others(*kept, int(sys.argv[1]))
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


@pytest.mark.usefixtures("descriptors_stay")
def test_a_watch_without_poll_ends_a_stuck_worker_too(monkeypatch: pytest.MonkeyPatch) -> None:
    _set_clocks(monkeypatch, cpu_seconds=1, wall_seconds=2)
    monkeypatch.setattr(worker_pipe, "_HAS_POLL", False)
    reader = Scripted({b"good": _do_nothing, b"bad": _sleep_without_clock})
    with Workers(lambda _name: reader, method=StartMethod.FORK) as workers:
        assert workers.read("test", b"good", CONTEXT) == GOOD
        assert workers.read("test", b"bad", CONTEXT).reason == "took more than 2 s"
        assert workers.read("test", b"good", CONTEXT) == GOOD


@pytest.mark.usefixtures("descriptors_stay")
def test_an_interrupt_leaves_no_worker_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_args: object) -> None:
        raise KeyboardInterrupt

    reader = Scripted({b"slow": _sleep})
    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        with Workers(lambda _name: reader, method=StartMethod.FORK) as workers, pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            workers.read("test", b"slow", CONTEXT)
    finally:
        signal.signal(signal.SIGALRM, previous)


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


def test_a_system_that_gives_no_process_leaves_the_file_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", refuse)
    before = _open_descriptors()
    with Workers(lambda _name: Scripted({}), method=StartMethod.FORK) as workers:
        facts = workers.read("test", b"", CONTEXT)
    assert facts.reason == "no worker could be started (Resource temporarily unavailable)"
    assert _open_descriptors() == before
