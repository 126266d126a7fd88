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
