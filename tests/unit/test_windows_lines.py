"""Lines that programs give to the shell of Windows keep their backslashes: `cmd /c del C:\\x`, `reg add HKCU\\…`."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, Interest, Nested
from plugseal.lang.python.reader import read_python

_LINES = {
    "a list": ('subprocess.run(["cmd", "/c", "del C:\\\\x"])', "del C:\\x"),
    "words": ('subprocess.run(["cmd.exe", "/c", "del", "C:\\\\x"])', "del C:\\x"),
    "a line": ('subprocess.run("reg add HKCU\\\\x /v y", shell=True)', "reg add HKCU\\x /v y"),
}


def _nested(text: str) -> set[Nested]:
    return set(read_python(f"import subprocess\n{text}\n".encode(), Context("a.py", Interest())).nested)


@pytest.mark.parametrize(("text", "line"), _LINES.values(), ids=_LINES.keys())
def test_a_line_for_windows_is_read_as_one(text: str, line: str) -> None:
    assert {(one.language, one.text) for one in _nested(text)} == {("batch", line)}


def test_a_line_without_backslashes_is_anybodys() -> None:
    assert {one.language for one in _nested('subprocess.run("copy a b", shell=True)')} == {"shell"}
