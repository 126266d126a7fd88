"""What a script starts itself anew with is the program that runs it: its code is read."""

from __future__ import annotations

import pytest

from plugseal.lang.ecmascript.reader import ScriptReader
from plugseal.lang.facts import Context, Interest

_STARTS = {
    "execPath": ('require("child_process").spawn(process.execPath, ["-e", "eval(1)"])', "node"),
    "a part of process": (
        'const { execPath } = process; require("child_process").spawn(execPath, ["-e", "eval(1)"])',
        "node",
    ),
    "imported": (
        'import { execPath as p } from "node:process"; import c from "child_process"; c.execFile(p, ["-e", "eval(1)"])',
        "node",
    ),
    "argv0": ('require("child_process").execFileSync(process.argv0, ["--eval", "eval(1)"])', "node"),
    "a list": ('Bun.spawn([process.execPath, "-e", "eval(1)"])', "node"),
    "Deno": ('new Deno.Command(Deno.execPath(), { args: ["eval", "eval(1)"] })', "deno"),
}


@pytest.mark.parametrize(("text", "program"), _STARTS.values(), ids=_STARTS)
def test_code_for_the_program_itself_is_read(text: str, program: str) -> None:
    facts = ScriptReader("javascript").read(text.encode(), Context("plugin.js", Interest()))
    assert program in [fact.object for fact in facts.facts if fact.capability == "process.exec"]
    assert [(one.language, one.text) for one in facts.nested] == [("javascript", "eval(1)")]


_FED = {
    "a shell": ('cp.spawnSync("sh", [], { input: "curl x" })', "shell", "curl x"),
    "a shell without words": ('cp.execSync("sh", { input: "curl x" })', "shell", "curl x"),
    "bytes": ('cp.execFileSync("bash", ["-s"], { input: Buffer.from("curl x") })', "shell", "curl x"),
    "Node": ('cp.spawnSync(process.execPath, ["-"], { input: "eval(1)" })', "javascript", "eval(1)"),
    "Python": ('cp.spawnSync("python3", { input: "print(1)" })', "python", "print(1)"),
}
_NOT_RUN = {
    "another program": 'cp.spawnSync("cat", [], { input: "curl x" })',
    "a script": 'cp.spawnSync("sh", ["x.sh"], { input: "curl x" })',
    "what is not known": 'cp.spawnSync("sh", [], { input: given })',
}


def _fed(call: str) -> list[tuple[str, str]]:
    text = f'const cp = require("child_process");\n{call};\n'
    facts = ScriptReader("javascript").read(text.encode(), Context("plugin.js", Interest()))
    return [(one.language, one.text) for one in facts.nested if one.how == "input"]


@pytest.mark.parametrize(("call", "language", "text"), _FED.values(), ids=_FED)
def test_what_an_interpreter_is_fed_is_read(call: str, language: str, text: str) -> None:
    assert _fed(call) == [(language, text)]


@pytest.mark.parametrize("call", _NOT_RUN.values(), ids=_NOT_RUN)
def test_what_nothing_runs_is_data(call: str) -> None:
    assert _fed(call) == []
