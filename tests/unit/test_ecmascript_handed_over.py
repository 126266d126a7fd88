"""Functions that are handed over, attributes that run code, pages that a browser is sent to, members of classes."""

from __future__ import annotations

import pytest

from plugseal.lang.ecmascript.reader import read_script
from plugseal.lang.facts import Context, Interest

_HEAD = 'const cp = require("child_process"); const fs = require("fs");\n'
_TOLD = {
    "a timer": ('setTimeout(cp.exec, 10, "ls -l")', "process.shell", "ls"),
    "the next turn": ('process.nextTick(fs.unlinkSync, "/opt/x")', "fs.delete", "/opt/x"),
    "each of a list": ('["/opt/x"].forEach(fs.unlinkSync)', "fs.delete", "/opt/x"),
    "a mapped list": ('["ls -l"].map(cp.exec)', "process.shell", "ls"),
    "a handler's attribute": (
        'el.setAttribute("onclick", "fetch(\'https://a.example.invalid\')")',
        "code.dynamic",
        None,
    ),
    "an address that is code": ('el.setAttribute("href", "javascript:alert(1)")', "code.dynamic", None),
    "a page": ('location.href = "https://a.example.invalid/x"', "net.outbound", "a.example.invalid"),
    "a static member that is inherited": (
        'class A { static run = cp.exec; }\nclass B extends A {}\nclass C extends B {}\nC.run("ls -l");',
        "process.shell",
        "ls",
    ),
    "a variable that is got": ('Reflect.get(process.env, "A_TOKEN")', "env.read", "A_TOKEN"),
}
_SILENT = {
    "another attribute": 'el.setAttribute("class", "javascript:x"); el.setAttribute("one", "x")',
    "a handler that is a function": 'el.setAttribute("onclick", handler)',
    "a page of its own": 'location.href = "/login"',
    "classes that extend each other": "class A extends B {}\nclass B extends A {}\nA.run(1);",
}


def _facts(text: str) -> set[tuple[str, str | None]]:
    found = read_script((_HEAD + text + "\n").encode(), Context("a.js", Interest()), language="javascript")
    return {(fact.capability, fact.object) for fact in found.facts if fact.channel != "import"}


@pytest.mark.parametrize(("text", "capability", "named"), _TOLD.values(), ids=_TOLD.keys())
def test_what_it_does_is_told(text: str, capability: str, named: str | None) -> None:
    assert (capability, named) in _facts(text)


@pytest.mark.parametrize("text", _SILENT.values(), ids=_SILENT.keys())
def test_what_does_nothing_is_silent(text: str) -> None:
    assert _facts(text) == set()


def test_the_environment_is_not_read_as_a_whole_for_one_variable() -> None:
    assert _facts('Reflect.get(process.env, "A_TOKEN")') == {("env.read", "A_TOKEN")}


def test_a_function_that_is_handed_over_alone_is_merely_mentioned() -> None:
    assert _facts("files.forEach(fs.unlinkSync)") == {("fs.delete", None)}
