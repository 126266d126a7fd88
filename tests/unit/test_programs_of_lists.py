"""A list of words starts every program that it names: the one that wraps, and the one behind it."""

from __future__ import annotations

import json

import pytest

from plugseal.lang.ecmascript.reader import read_script
from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.lang.python.reader import read_python

_LISTS = {
    "env": (["env", "A=1", "curl", "x"], {"env", "curl"}),
    "sudo": (["sudo", "-u", "nobody", "rm", "-rf", "/var/x"], {"sudo", "rm"}),
    "one behind the other": (["nice", "timeout", "5", "git", "pull"], {"nice", "timeout", "git"}),
    "a shell": (["nsenter", "-t", "1", "-m", "bash"], {"nsenter", "bash"}),
    "a module of Python": (["python3", "-m", "pip", "list"], {"python3", "pip"}),
    "a folder before the name": (["/usr/bin/env", "/opt/x/tool"], {"/usr/bin/env", "/opt/x/tool"}),
    "nothing behind it": (["env"], {"env"}),
    "words of another program": (["echo", "sudo", "rm"], {"echo"}),
    "a module's file": (["python3", "curl.py"], {"python3"}),
}


def _started(facts: FileFacts) -> set[str | None]:
    assert facts.status == "read"
    return {fact.object for fact in facts.facts if fact.capability == "process.exec" and fact.channel != "import"}


@pytest.mark.parametrize(("words", "expected"), _LISTS.values(), ids=_LISTS)
def test_python_starts_every_program_of_a_list(words: list[str], expected: set[str]) -> None:
    source = f"import subprocess\nsubprocess.run({json.dumps(words)})\n".encode()
    assert _started(read_python(source, Context("x.py", Interest()))) == expected


@pytest.mark.parametrize(("words", "expected"), _LISTS.values(), ids=_LISTS)
def test_a_script_starts_every_program_of_a_list(words: list[str], expected: set[str]) -> None:
    source = f"require('child_process').spawnSync({json.dumps(words[0])}, {json.dumps(words[1:])});\n".encode()
    assert _started(read_script(source, Context("x.cjs", Interest()), language="javascript")) == expected


def test_what_another_machine_runs_is_possible() -> None:
    source = b"import subprocess\nsubprocess.run(['ssh', 'host.example.invalid', 'ls'])\n"
    facts = read_python(source, Context("x.py", Interest())).facts
    assert [fact.resolution for fact in facts if fact.object == "ls"] == ["possible"]
