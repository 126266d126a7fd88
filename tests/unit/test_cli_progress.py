"""Progress shows itself only on a terminal, only for long work, and leaves nothing behind."""

from __future__ import annotations

import io
import sys

import pytest

from plugseal.cli import progress
from plugseal.cli.progress import Progress


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class _Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> _Clock:
    clock = _Clock()
    monkeypatch.setattr(progress, "monotonic", clock)
    return clock


def _run(stream: io.StringIO, clock: _Clock, *, seconds: float, quiet: bool, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress(quiet=quiet) as shown:
        for step in range(11):
            shown.update(1000 * step + 2345, 81_000_000 + step)
            clock.now += seconds / 10
    return stream.getvalue()


def test_long_work_on_a_terminal_is_shown_and_cleared(clock: _Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    text = _run(_Terminal(), clock, seconds=3, quiet=False, monkeypatch=monkeypatch)
    assert "\r\x1b[2Kread 12,345 files, 81 MB" in text
    assert text.endswith("\r\x1b[2K")
    assert "\n" not in text


SILENT = {
    "work that is soon done": (_Terminal, 0.5, False),
    "a pipe": (io.StringIO, 3, False),
    "quiet": (_Terminal, 3, True),
}


@pytest.mark.parametrize(("stream", "seconds", "quiet"), SILENT.values(), ids=SILENT)
def test_there_is_no_progress_for(
    stream: type[io.StringIO], seconds: float, quiet: bool, clock: _Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _run(stream(), clock, seconds=seconds, quiet=quiet, monkeypatch=monkeypatch) == ""


def test_progress_does_not_write_more_often_than_it_can_be_read(clock: _Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = _Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress(quiet=False) as shown:
        clock.now += 2
        for number in range(1000):
            shown.update(number, number)
    assert stream.getvalue().count("read") == 1


def test_verbose_says_what_was_read_and_in_what_time(clock: _Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress(quiet=False, verbose=True) as shown:
        shown.update(3, 2_000_000)
        clock.now += 0.25
    assert stream.getvalue() == "debug: read 3 files, 2 MB in 0.25 s\n"
