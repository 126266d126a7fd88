"""With several processes and with one: a scan returns the same, in any of them, whatever happens to one."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from plugseal.errors import UsageError
from plugseal.lang.classify import Verdict
from plugseal.render.json import render_scan_json
from plugseal.scan.kept.outcome import Outcome
from plugseal.scan.workers import pool as pool_module
from plugseal.scan.workers.job import Job, Looked
from plugseal.scan.workers.pool import CRASHED, Pool, can_fork
from plugseal.verbs.scan import Memory, scan_path

FIXTURES = Path(__file__).parents[2] / "fixtures"
pytestmark = pytest.mark.skipif(not can_fork(), reason="no safe fork here")


@pytest.mark.parametrize("jobs", [2, 3])
def test_every_fixture_is_the_same(jobs: int) -> None:
    plain = scan_path(FIXTURES)
    spread = scan_path(FIXTURES, jobs=jobs)
    assert spread == plain
    assert "".join(render_scan_json(spread)) == "".join(render_scan_json(plain))


def test_with_a_cache_besides(tmp_path: Path) -> None:
    root = FIXTURES / "sample"
    memory = Memory(tmp_path / "cache", min_tree_bytes=0)
    plain = scan_path(root)
    assert scan_path(root, jobs=2, memory=memory) == plain
    assert scan_path(root, jobs=2, memory=memory) == plain
    assert scan_path(root, memory=memory) == plain


def job(number: int) -> Job:
    return Job(f"{number}.py", b"x" * 10_000, Verdict("read", "python"), "python", "")


def run(size: int, count: int, look_at: object) -> list[tuple[str, str]]:
    """Return the paths and reasons in the order in which they are handed on."""
    taken: list[tuple[str, str]] = []

    def take(done: Job, looked: Looked) -> None:
        taken.append((done.path, looked.outcome.unread))

    with Pool(size, look_at, take) as pool:  # type: ignore[arg-type]  # one of the functions below
        for number in range(count):
            pool.look(job(number))
        pool.drain()
    return taken


def answers(asked: Job) -> Looked:
    return Looked(Outcome(unread=f"is {asked.path}"))


def dies_over_seven(asked: Job) -> Looked:
    if asked.path == "7.py":
        os.kill(os.getpid(), signal.SIGKILL)
    return answers(asked)


def raises_over_seven(asked: Job) -> Looked:
    if asked.path == "7.py":
        raise MemoryError
    return answers(asked)


def test_outcomes_come_in_the_order_of_the_files() -> None:
    assert run(3, 300, answers) == [(f"{number}.py", f"is {number}.py") for number in range(300)]


@pytest.mark.parametrize("look_at", [dies_over_seven, raises_over_seven])
def test_a_process_that_ends_loses_only_its_file(look_at: object) -> None:
    expected = [(f"{number}.py", CRASHED if number == 7 else f"is {number}.py") for number in range(50)]
    assert run(2, 50, look_at) == expected


def test_what_waits_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "MAX_WAITING", 4)
    assert len(run(2, 100, answers)) == 100


def test_an_interrupt_leaves_no_process_behind() -> None:
    processes: list[int] = []
    with pytest.raises(KeyboardInterrupt), Pool(2, answers, lambda *_: None) as pool:
        for number in range(60):
            pool.look(job(number))
        processes += [process._pid for process, _ in pool._busy] + [p._pid for p in pool._idle if p is not None]
        raise KeyboardInterrupt
    assert processes
    for pid in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_small_tree_starts_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_text("import os\nos.system('x')\n" + "#" * 500)

    def no_fork() -> int:
        raise AssertionError("a process was started")

    monkeypatch.setattr(os, "fork", no_fork)
    assert scan_path(tmp_path, jobs=0).findings


@pytest.mark.parametrize("value", ["0", "-1", "x", "65", "", "1" * 5000, "²"])
def test_a_number_of_processes_that_can_not_be_is_refused(value: str) -> None:
    import argparse

    from plugseal.cli.settings import jobs_of

    with pytest.raises(UsageError):
        jobs_of(argparse.Namespace(jobs=value))
