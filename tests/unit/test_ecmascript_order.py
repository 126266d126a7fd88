"""What a script does depends on its bytes alone, not on which scripts the same process has read before it."""

from __future__ import annotations

import subprocess
import sys

_SOURCE = b"""
import express from "express";
import { WebSocketServer } from "ws";
import fs from "fs";
const app = express();
app.get("/x", () => { fs.readFileSync("/etc/a"); });
new WebSocketServer({ port: 1 }).on("connection", () => { fs.unlinkSync("/etc/b"); });
"""
_READ_TWICE = """
import sys
from plugseal.lang.ecmascript.reader import read_script
from plugseal.lang.facts import Context, Interest

data, context = sys.stdin.buffer.read(), Context("a.js", Interest())
first = read_script(data, context, language="javascript")
assert first == read_script(data, context, language="javascript")
print(*sorted({fact.trigger for fact in first.facts}))
"""


def test_the_first_script_of_a_process_has_the_facts_that_it_has_later() -> None:
    command = [sys.executable, "-c", _READ_TWICE]
    done = subprocess.run(command, input=_SOURCE, capture_output=True, check=True, timeout=300)  # our own
    assert done.stdout.split() == [b"hook:connection", b"hook:request", b"import"]
