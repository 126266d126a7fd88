"""The words of a program count where a function takes them apart from it, in a list or one by one."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.python.reader import PythonReader

_LINE = "curl https://x.example.invalid"
_SHELLS = {
    "execv": f'os.execv("/bin/sh", ["sh", "-c", "{_LINE}"])',
    "execve": f'os.execve("/bin/sh", ["sh", "-c", "{_LINE}"], {{}})',
    "execvp": f'os.execvp("sh", ("sh", "-c", "{_LINE}"))',
    "execl": f'os.execl("/bin/sh", "sh", "-c", "{_LINE}")',
    "execlp": f'os.execlp("sh", "sh", "-c", "{_LINE}")',
    "execle": f'os.execle("/bin/sh", "sh", "-c", "{_LINE}", {{}})',
    "spawnv": f'os.spawnv(os.P_WAIT, "/bin/sh", ["sh", "-c", "{_LINE}"])',
    "spawnlp": f'os.spawnlp(os.P_NOWAIT, "sh", "sh", "-c", "{_LINE}")',
    "posix_spawn": f'os.posix_spawn("/bin/sh", ["sh", "-c", "{_LINE}"], {{}})',
    "posix": f'import posix\nposix.execv("/bin/sh", ["sh", "-c", "{_LINE}"])',
    "asyncio": f'import asyncio\nasyncio.create_subprocess_exec("sh", "-c", "{_LINE}")',
    "asyncio.subprocess": f'from asyncio import subprocess as s\ns.create_subprocess_exec("sh", "-c", "{_LINE}")',
    "pexpect": f'import pexpect\npexpect.spawn("sh", ["-c", "{_LINE}"])',
    "what is fed": f'import subprocess\nsubprocess.run(["sh"], input="{_LINE}", text=True)',
    "what is fed as bytes": f'import subprocess\nsubprocess.check_output(["bash", "-s"], input=b"{_LINE}")',
    "what is fed to one word": f'import subprocess\nsubprocess.run(args="sh", input="{_LINE}")',
    "words in a variable": f'words = ["sh", "-c", "{_LINE}"]\nos.execvp(words[0], words)',
}
_CODE = "import os; os.system('ls')"
_PYTHONS = {
    "execv": f'os.execv(sys.executable, [sys.executable, "-c", "{_CODE}"])',
    "execl": f'os.execl(sys.executable, sys.executable, "-c", "{_CODE}")',
    "spawnv": f'os.spawnv(os.P_WAIT, sys.executable, ["python", "-c", "{_CODE}"])',
    "asyncio": f'import asyncio\nasyncio.create_subprocess_exec(sys.executable, "-c", "{_CODE}")',
    "what is fed": f'import subprocess\nsubprocess.run([sys.executable, "-"], input="{_CODE}")',
    "a list": f'import subprocess\nsubprocess.run(["python3", "-c", "{_CODE}"])',
}
_PLAIN = {
    "what is fed to another program": f'import subprocess\nsubprocess.run(["cat"], input="{_LINE}")',
    "what is fed to a script": f'import subprocess\nsubprocess.run(["sh", "x.sh"], input="{_LINE}")',
    "no words": 'os.execvp("sh", ["sh"])',
    "words that are not known": 'os.execvp("sh", sys.argv)',
    "another program": 'os.execvp("ls", ["ls", "-c", "x"])',
}


def _read(text: str) -> tuple[list[str | None], list[str]]:
    facts = PythonReader().read(f"import os, sys\n{text}\n".encode(), Context("x.py", Interest()))
    assert facts.status == "read"
    shells = [fact.object for fact in facts.facts if fact.capability == "process.shell"]
    return shells, [one.text for one in facts.nested if one.language == "shell"]


@pytest.mark.parametrize("text", _SHELLS.values(), ids=_SHELLS)
def test_a_line_for_a_shell_is_read(text: str) -> None:
    shells, lines = _read(text)
    assert "curl" in shells
    assert _LINE in lines


@pytest.mark.parametrize("text", _PYTHONS.values(), ids=_PYTHONS)
def test_code_for_python_is_read(text: str) -> None:
    assert _read(text)[0] == ["ls"]


@pytest.mark.parametrize("text", _PLAIN.values(), ids=_PLAIN)
def test_what_is_given_no_line_has_none(text: str) -> None:
    assert _read(text) == ([], [])
