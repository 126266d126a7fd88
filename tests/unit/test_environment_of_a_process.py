"""The environment of a process is read whole from its file too; the `shell` of a class of the file is none."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.registry import reader_named

_READS = {
    "python": ("python", 'open("/proc/self/environ").read()'),
    "python, of its parent": ("python", 'import os\nopen(f"/proc/{os.getppid()}/environ", "rb")'),
    "python, a path": ("python", 'import pathlib\npathlib.Path("/proc/1/environ").read_bytes()'),
    "javascript": ("javascript", 'require("fs").readFileSync("/proc/self/environ")'),
    "javascript, of its parent": ("javascript", 'require("fs").readFileSync(`/proc/${process.ppid}/environ`)'),
    "shell": ("shell", "cat /proc/self/environ"),
    "shell, redirected": ("shell", "tr x y < /proc/$PPID/environ"),
    "shell, by a task": ("shell", "cat /proc/self/task/1/environ"),
}
_OWN = {
    "a field": "from dataclasses import dataclass\n@dataclass\nclass C:\n    shell: bool = True\nC(shell=True)\n",
    "a parameter of its making": "class C:\n    def __init__(self, shell): pass\nC(shell=True)\n",
}
_HANDED_ON = {
    "a parameter": "import subprocess\ndef f(c, shell=0): subprocess.run(c, shell=shell)\nf('curl', shell=True)\n",
    "any parameters": "import subprocess\ndef f(c, **more): subprocess.run(c, **more)\nf('curl x', shell=True)\n",
    "a class of another": "import subprocess\nclass P(subprocess.Popen): pass\nP('curl x', shell=True)\n",
    "a function of the file": "def f(line, shell=False): return line\nf('x', shell=True)\n",
    "a method of the file": "class C:\n    def run(self, line, shell=False): return line\nC().run('x', shell=True)\n",
    "nobody knows what": "def f(z):\n    z.run('curl x', shell=True)\n",
}


def _found(language: str, text: str, capability: str) -> list[str | None]:
    facts = reader_named(language).read(text.encode(), Context(f"x.{language[:2]}", Interest()))
    return [fact.object for fact in facts.facts if fact.capability == capability]


@pytest.mark.parametrize(("language", "text"), _READS.values(), ids=_READS)
def test_the_file_of_an_environment_is_the_whole_of_it(language: str, text: str) -> None:
    assert set(_found(language, text, "env.bulk")) == {None}


@pytest.mark.parametrize("text", _OWN.values(), ids=_OWN)
def test_what_is_a_class_s_own_starts_no_shell_by_its_name(text: str) -> None:
    assert _found("python", text, "process.shell") == []


@pytest.mark.parametrize("text", _HANDED_ON.values(), ids=_HANDED_ON)
def test_what_may_be_handed_on_does(text: str) -> None:
    assert _found("python", text, "process.shell") != []
