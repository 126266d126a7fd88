"""What is computed beside is what would be computed here, with its errors, and no process is left."""

from __future__ import annotations

import os
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from plugseal.errors import IntakeError
from plugseal.runtime.background import Background
from plugseal.runtime.reaper import descendants


def _where() -> bytes:
    return str(os.getpid()).encode()


def test_it_is_computed_in_another_process() -> None:
    with closing(Background(_where)) as other:
        assert int(other.result()) != os.getpid()


def test_with_other_threads_it_is_computed_here() -> None:
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        with closing(Background(_where)) as other:
            assert int(other.result()) == os.getpid()
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize("call", ["pipe", "fork"])
def test_where_the_system_gives_no_more_it_is_computed_here(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise OSError(24, "too many")

    before = len(os.listdir("/proc/self/fd"))
    monkeypatch.setattr(f"plugseal.runtime.background.os.{call}", refuse)
    with closing(Background(_where)) as other:
        assert int(other.result()) == os.getpid()
    assert len(os.listdir("/proc/self/fd")) == before


def test_an_error_is_raised_where_it_is_asked_for() -> None:
    def fail() -> bytes:
        raise IntakeError("gone")

    with closing(Background(fail)) as other, pytest.raises(IntakeError, match="gone"):
        other.result()


def test_what_is_not_asked_for_any_more_is_ended() -> None:
    before = set(descendants())
    with closing(Background(lambda: time.sleep(3600) or b"")):
        (pid,) = set(descendants()) - before
    assert not Path(f"/proc/{pid}").exists()


def test_a_process_that_was_killed_is_made_up_for() -> None:
    def die_there() -> bytes:
        if os.getpid() != here:
            os.kill(os.getpid(), 9)
        return b"here"

    here = os.getpid()
    with closing(Background(die_there)) as other:
        assert other.result() == b"here"
