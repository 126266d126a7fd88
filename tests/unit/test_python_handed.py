"""Functions that are handed over are called with what is handed over with them, and mappings give their keywords."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.python.reader import PythonReader

_HEAD = "import os, subprocess, threading, asyncio, sched, weakref, atexit, contextlib, functools, operator, json\n"
_LINES = {
    "a thread": 'threading.Thread(target=os.system, args=("ls -l",)).start()',
    "a timer": 'threading.Timer(1, os.system, ["ls -l"]).start()',
    "a process": 'import multiprocessing\nmultiprocessing.Process(target=os.system, args=("ls -l",))',
    "a pool": 'def f(pool):\n    pool.submit(os.system, "ls -l")',
    "each of a list": 'list(map(os.system, ["ls -l"]))',
    "an executor": 'async def f(loop):\n    await loop.run_in_executor(None, os.system, "ls -l")',
    "another thread": 'async def f():\n    await asyncio.to_thread(subprocess.run, "ls -l", shell=True)',
    "at exit": 'atexit.register(os.system, "ls -l")',
    "a stack": 'with contextlib.ExitStack() as s:\n    s.callback(os.system, "ls -l")',
    "a schedule": 'sched.scheduler().enter(1, 1, os.system, ("ls -l",))',
    "a partial": 'functools.partial(os.system, "ls -l")',
    "a pickle": 'class A:\n    def __reduce__(self):\n        return os.system, ("ls -l",)',
    "a function of the file": 'def f(c):\n    os.system(c)\nthreading.Thread(target=f, args=("ls -l",))',
    "a mapping": 'subprocess.run("ls -l", **dict(shell=True))',
    "a mapping inside another": 'one = dict(shell=True)\nsubprocess.run("ls -l", **{**one, "check": True})',
    "mappings put together": 'one = {"shell": True}\nsubprocess.run("ls -l", **(one | {"check": True}))',
    "a mapping of a class": (
        'class A:\n    how = {"shell": True}\n    def f(self):\n        subprocess.run("ls -l", **self.how)'
    ),
    "a field's default": (
        "from dataclasses import dataclass, field\n@dataclass\nclass A:\n    go: object = field(default=os.system)\n"
        'A().go("ls -l")'
    ),
    "an object that is called": 'class A:\n    __call__ = staticmethod(os.system)\nA()("ls -l")',
    "a pattern": 'match {"f": os.system}:\n    case {"f": go}:\n        go("ls -l")',
    "a whole namespace": 'globals().update(vars(os))\nsystem("ls -l")',
    "a name that is resolved": 'import pkgutil\npkgutil.resolve_name("os:system")("ls -l")',
    "what stands for characters": 'from urllib.parse import unquote\nos.system(unquote("ls%20-l"))',
    "what stands for characters in pages": 'import html\nos.system(html.unescape("&#108;s -l"))',
    "JSON": 'os.system(json.loads(\'{"a": ["ls -l"]}\')["a"][0])',
    "a table of characters": 'os.system("xs -l".translate(str.maketrans("x", "l")))',
    "a key that goes around": (
        'import itertools\nos.system(bytes(a ^ b for a, b in zip(b"mr!,m", itertools.cycle(b"\\x01"))).decode())'
    ),
}
_NAMED = {
    "a member of sh": ("import sh\nsh.git.clone('https://a.example.invalid/r')", "net.outbound", "a.example.invalid"),
    "an imported member": ("from sh import rm\nrm('-rf', '/opt/x')", "fs.delete", "/opt/x"),
    "a file that is fetched": (
        "import urllib.request as u\nu.urlopen('file:///etc/passwd')",
        "fs.read",
        "/etc/passwd",
    ),
    "an empty host": (
        "import http.server as h\nh.HTTPServer(('', 8000), None).serve_forever()",
        "net.listen",
        "0.0.0.0:8000",
    ),
    "variables that are added": ("os.environ |= {'BASH_ENV': '/opt/x'}", "env.write", "BASH_ENV"),
}
_MERE = {
    "nothing is handed over with it": "threading.Thread(target=os.remove)",
    "what is not known": "def f(words):\n    threading.Thread(target=os.remove, args=words)",
}


def _facts(text: str) -> set[tuple[str, str | None, str]]:
    found = PythonReader().read((_HEAD + text + "\n").encode(), Context("a.py", Interest()))
    return {(fact.capability, fact.object, fact.resolution) for fact in found.facts if fact.channel != "import"}


@pytest.mark.parametrize("text", _LINES.values(), ids=_LINES.keys())
def test_the_line_is_told(text: str) -> None:
    assert ("process.shell", "ls") in {fact[:2] for fact in _facts(text)}


@pytest.mark.parametrize(("text", "capability", "named"), _NAMED.values(), ids=_NAMED.keys())
def test_what_it_does_is_told(text: str, capability: str, named: str) -> None:
    assert (capability, named) in {fact[:2] for fact in _facts(text)}


@pytest.mark.parametrize("text", _MERE.values(), ids=_MERE.keys())
def test_a_function_that_is_merely_mentioned_is_possible(text: str) -> None:
    assert _facts(text) == {("fs.delete", None, "possible")}


def test_a_later_key_of_a_mapping_wins() -> None:
    text = 'one = {"shell": True}\nsubprocess.run(["ls"], **{**one, "shell": False})'

    assert "process.shell" not in {fact[0] for fact in _facts(text)}
