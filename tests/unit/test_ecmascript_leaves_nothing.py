"""Reading a script leaves nothing behind: its workers run without a collector of circles, over thousands of files."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest

from plugseal.lang.ecmascript.collecting.noting import Collected
from plugseal.lang.ecmascript.collecting.scope import Scope
from plugseal.lang.ecmascript.reader import read_script
from plugseal.lang.facts import Context, Interest

_SCRIPTS = {
    "functions": b"function outer() { return inner(); } function inner() { return outer; } outer();",
    "a class": b"class A { #b = 1; get b() { return this.#b; } static make() { return new A(); } } A.make().b;",
    "modules": b"const fs = require('fs'); import { run } from './run'; run(fs.readFileSync('a')); export default fs;",
    "objects": b"const a = { b: { run() { return a; } }, ...process.env }; a.b.run(); a.c = a; with (a) { c; }",
    "a promise": b"import('child_process').then(({ exec }) => exec('ls', () => eval('1')));",
}
_TWO_RUN_IT = b"""
const { spawnSync } = require("child_process");
for (const shell of ["sh", "bash", "dash", "ksh", "zsh"]) spawnSync(shell, ["-c", "ls"]);
"""
_PRINT = """
import sys
from plugseal.lang.ecmascript.reader import read_script
from plugseal.lang.facts import Context, Interest
print(read_script(sys.stdin.buffer.read(), Context("a.js", Interest()), language="javascript"))
"""


@pytest.mark.parametrize("script", _SCRIPTS.values(), ids=_SCRIPTS)
def test_nothing_of_a_script_lives_after_it_was_read(script: bytes) -> None:
    read_script(script, Context("a.js", Interest()), language="javascript")
    gc.collect()
    gc.disable()
    try:
        read_script(script, Context("a.js", Interest()), language="javascript")
        left = [one for one in gc.get_objects() if isinstance(one, (Collected, Scope))]
    finally:
        gc.enable()
    assert left == []


def test_the_texts_of_a_script_stand_in_the_same_order_in_every_process() -> None:
    def facts(seed: str) -> bytes:
        return subprocess.run(
            [sys.executable, "-c", _PRINT],
            input=_TWO_RUN_IT,
            capture_output=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout

    first = facts("0")
    assert first.count(b"Nested(") >= 2
    assert {facts(seed) for seed in ("1", "2", "3")} == {first}
