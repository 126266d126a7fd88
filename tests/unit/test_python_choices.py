"""Words that may be one of several, members of enumerations, functions that are called through their type."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.python.reader import PythonReader

_HEAD = "import os, sys, subprocess\n"
_TOLD = {
    "a loop over programs": ('for one in ("ruff", "mypy"):\n    subprocess.run([one, "."])', "process.exec", "mypy"),
    "a table of programs": (
        'one = {"a": "ruff", "b": "mypy"}.get(x, "ruff")\nsubprocess.run([one, "."])',
        "process.exec",
        "mypy",
    ),
    "an address in either": (
        'one = {"a": "curl", "b": "wget"}.get(x)\nsubprocess.run([one, "https://a.example.invalid/x"])',
        "net.outbound",
        "a.example.invalid",
    ),
    "a member of an enumeration": (
        'import enum\nclass A(enum.Enum):\n    GIT = "git"\nsubprocess.run([A.GIT.value, "log"])',
        "process.exec",
        "git",
    ),
    "the type of a function": ('def f(g):\n    type(g).__call__(g, "ls -l")\nf(os.system)', "process.shell", "ls"),
    "a kind of function": ('import types\ntypes.FunctionType.__call__(os.system, "ls -l")', "process.shell", "ls"),
    "a call by an operator": ('import operator\noperator.call(os.system, "ls -l")', "process.shell", "ls"),
    "any module that is loaded": ('for one in sys.modules.values():\n    one.popen("ls -l")', "process.shell", "ls"),
    "any module by its name": (
        'for name, one in list(sys.modules.items()):\n    if name == "os":\n        one.system("ls -l")',
        "process.shell",
        "ls",
    ),
    "a module under a name that is not known": ('sys.modules[x].system("ls -l")', "process.shell", "ls"),
    "a list that grows": ("l = ['ls']\nl.append(x)\nfor one in l:\n    os.system(one)", "process.shell", None),
    "a folder beside for modules": ('sys.path.insert(0, "../lib")', "code.import", "../lib"),
    "a template of who knows what": ("from jinja2 import Template\nTemplate(x).render()", "code.dynamic", None),
    "a client's address": (
        'import httpx\nc = httpx.Client(base_url="https://a.example.invalid")\nc.get("/v1")',
        "net.outbound",
        "a.example.invalid",
    ),
    "an asynchronous client's address": (
        'import aiohttp\nasync def f():\n    s = aiohttp.ClientSession("https://a.example.invalid")\n    s.post("/v1")',
        "net.outbound",
        "a.example.invalid",
    ),
}
_SILENT = {
    "modules that are looked at": (
        "for name, one in list(sys.modules.items()):\n    print(name, one.__file__)\ndel sys.modules['a']"
    ),
    "a template that is written there": 'from jinja2 import Template\nTemplate("Hello {{ name }}").render(name=x)',
    "one's own callable": 'class A:\n    def __call__(self, x):\n        return x\ntype(A()).__call__(A(), "ls")',
}


def _facts(text: str) -> set[tuple[str, str | None]]:
    found = PythonReader().read((_HEAD + text + "\n").encode(), Context("a.py", Interest()))
    return {(fact.capability, fact.object) for fact in found.facts if fact.channel != "import"}


@pytest.mark.parametrize(("text", "capability", "named"), _TOLD.values(), ids=_TOLD.keys())
def test_what_it_does_is_told(text: str, capability: str, named: str | None) -> None:
    assert (capability, named) in _facts(text)


@pytest.mark.parametrize("text", _SILENT.values(), ids=_SILENT.keys())
def test_what_does_nothing_is_silent(text: str) -> None:
    assert _facts(text) == set()
