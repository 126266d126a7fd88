"""A worker that hangs, crashes, hoards or lies costs one file: the next is read, and nothing is left behind."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import sys
import time
from collections.abc import Callable

import pytest

from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.limits import MIB
from plugseal.scan.workers import worker as worker_module
from plugseal.scan.workers import worker_child, worker_pipe
from plugseal.scan.workers.worker import StartMethod, Workers

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
    monkeypatch.setattr(worker_module, "TOOK_TOO_LONG", f"took more than {wall_seconds} s")
    monkeypatch.setattr(worker_module, "_TOO_MUCH_CPU", f"took more than {cpu_seconds} s of CPU")


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
def test_a_file_may_use_as_much_memory_in_a_used_worker_as_in_a_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_child, "WORKER_MEMORY_BYTES", 256 * MIB)
    kept: list[bytes] = []
    reader = Scripted({b"keep": lambda: kept.append(bytes(200 * MIB)), b"much": lambda: len(bytes(300 * MIB))})
    with Workers(lambda _name: reader, method=StartMethod.FORK) as workers:
        answers = [workers.read("test", data, CONTEXT).status for data in (b"keep", b"keep", b"much", b"keep")]
    assert answers == ["read", "read", "unread", "read"]


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


@pytest.mark.usefixtures("descriptors_stay")
def test_a_system_that_gives_no_process_leaves_the_file_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", refuse)
    with Workers(lambda _name: Scripted({}), method=StartMethod.FORK) as workers:
        facts = workers.read("test", b"", CONTEXT)
    assert facts.reason == "no worker could be started (Resource temporarily unavailable)"
