"""Batch files that hide what runs: read twice, taken out of texts, given to another `cmd`, parted by other marks."""

from __future__ import annotations

import pytest

from plugseal.lang.batch.reader import BatchReader
from plugseal.lang.facts import Context, FileFacts, Interest


def _read(source: str) -> FileFacts:
    return BatchReader().read(source.encode("utf-8"), Context("tools/x.bat", Interest()))


def _programs(source: str) -> set[str | None]:
    found = _read(source)
    inner = [_read(nested.text) for nested in found.nested if nested.language == "batch"]
    return {fact.object for one in (found, *inner) for fact in one.facts if fact.capability == "process.exec"}


@pytest.mark.parametrize(
    "source",
    [
        "%COMSPEC:*System32\\=% /c calc",
        ",;,cmd.exe,;,/c,;,calc",
        "calc;/x",
        "set a=calc\ncall %%a%%",
        "set a=1calc\ncall %%a:~1%%",
        'for /f "tokens=2 delims=x" %%a in ("ax calc") do %%a',
        'for /f "tokens=1,2*" %%a in ("a b calc d") do %%c',
        "for /f \"usebackq tokens=1\" %%a in ('calc b') do %%a",
        "for /f %%i in ('echo calc') do %%i",
        'cmd /v:on /c "set x=calc&&!x!"',
        'cmd /c "set xy=calc&&call %%xy%%"',
        '@start /b "" calc',
    ],
)
def test_what_runs_is_named(source: str) -> None:
    assert any((name or "").strip().startswith("calc") for name in _programs(source))


@pytest.mark.parametrize(
    "source",
    [
        "set a=calc\necho %%a%%",
        'for /f "tokens=1" %%a in ("calc b") do echo %%a',
        'for /f %%a in ("calc") do echo %%a',
        "for %%a in (x) do echo %%a%%b",
    ],
)
def test_what_is_only_shown_is_silent(source: str) -> None:
    assert not _programs(source)


def test_a_file_of_lines_is_not_known() -> None:
    assert _programs("for /f %%a in (list.txt) do %%a") == {None}
