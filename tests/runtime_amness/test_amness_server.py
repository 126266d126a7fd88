"""`plugseal amness serve` as a harness speaks to it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

_HANG_SECONDS = 60
pytestmark = pytest.mark.usefixtures("node")


@pytest.fixture
def node(amness: ModuleType) -> None:
    """Skip where there is no Node."""
    if amness.shutil.which("node") is None:
        pytest.skip("needs Node")


PLUGIN = """\
export default {
  name: "p",
  description: "for a harness",
  hooks: { PreToolUse: ({ tool }) => tool === "sh" ? { block: "no shell" } : undefined },
  tools: [{ name: "change", risky: true, run: () => "changed" }, {
    name: "wait", readOnly: true, run: () => new Promise(() => setInterval(() => {}, 1000)) }],
  commands: [{
    name: "both", help: "h", run: async (ctx) => {
      ctx.say((await Promise.all([ctx.ask("first"), ctx.ask("second")])).join(" "));
    },
  }, {
    name: "c", help: "h", run: async (ctx, arg) => { ctx.say("hi " + arg); ctx.say(await ctx.ask("do")); },
  }],
  system: (base) => base + "!",
  policy: ({ tool }) => tool === "sh" ? { action: "deny", reason: "no" } : "allow",
};
"""


class Harness:
    """A started server and its two streams."""

    def __init__(self, world: Any, *words: str) -> None:
        environment = {"PATH": os.environ["PATH"], "PLUGSEAL_HOME": str(world.store.home)}
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-m", "plugseal", "amness", "serve", "--workspace", str(world.workspace), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            cwd="/usr",
            text=True,
        )

    def send(self, body: object) -> None:
        """Send one line."""
        assert self.process.stdin is not None
        self.process.stdin.write((body if isinstance(body, str) else json.dumps(body)) + "\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        """Return the next line."""
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def ask(self, method: str, **params: object) -> Any:
        """Return the answer to one request."""
        self.send({"id": method, "method": method, "params": params})
        answer = self.read()
        assert answer["id"] == method
        return answer.get("result", answer.get("error"))

    def end(self) -> int:
        """Close our side and return the exit code."""
        self.process.communicate(timeout=_HANG_SECONDS)
        return self.process.returncode


@pytest.fixture
def harness(world: Any, tmp_path: Any) -> Iterator[Harness]:
    world.trust("p.js", PLUGIN)
    started = Harness(world, "--trust-project")
    yield started
    started.end()


def test_without_the_flag_it_says_how_many_files_it_skipped(world: Any) -> None:
    world.trust("p.js", PLUGIN)
    harness = Harness(world)
    told = harness.read()
    assert (told["event"], told["text"].startswith("1 plugin files of the project were skipped")) == ("told", True)
    assert harness.ask("list")["plugins"] == []
    assert harness.end() == 0


def test_contributions_are_requests(harness: Harness) -> None:
    listed = harness.ask("list")
    assert [plugin["name"] for plugin in listed["plugins"]] == ["p"]
    assert harness.ask("hook", event="PreToolUse", payload={"tool": "sh", "args": {}})["block"] == "no shell"
    tools = {tool["name"]: (tool["readOnly"], tool["risky"]) for tool in harness.ask("tools")["tools"]}
    assert tools == {"change": (False, True), "wait": (True, False)}
    listed = [(one["name"], one["help"]) for one in harness.ask("commands")["commands"]]
    assert listed == [("both", "h (plugin p)"), ("c", "h (plugin p)")]
    assert harness.ask("system", base="x")["value"] == "x!"
    assert harness.ask("policy", tool="sh", args={}, own="allow")["action"] == "deny"
    assert harness.ask("policy", tool="read", args={}, own="ask", floor=False)["action"] == "allow"
    assert harness.ask("policy", tool="read", args={}, own="ask")["action"] == "ask"
    assert harness.ask("strategy", name="explore-then-act")["strategy"] == "explore-then-act"
    assert harness.ask("hook", event="PreModel", payload={"step": 0, "reading": ["read"]})["tools"] == ["read", "wait"]
    assert harness.ask("phase", tool="sh")["refusal"] == "ERROR: sh is not allowed in this phase"
    assert harness.end() == 0


def test_a_command_asks_the_agent_through_the_harness(harness: Harness) -> None:
    harness.send({"id": 1, "method": "command", "params": {"name": "c", "arg": "you"}})
    assert harness.read() == {"event": "say", "plugin": "p", "text": "hi you"}
    request = harness.read()
    assert (request["method"], request["params"]["text"]) == ("ask", "do")
    # The agent that was asked makes its steps, and each asks the plugins: the one that waits too.
    assert harness.ask("hook", event="PreToolUse", payload={"tool": "sh", "args": {}})["block"] == "no shell"
    assert harness.ask("system", base="x")["value"] == "x!"
    assert harness.ask("reload")["message"] == "a plugin is being called"
    harness.send({"response": 99, "result": "another"})
    harness.send({"response": request["request"], "result": "done"})
    assert harness.read() == {"event": "say", "plugin": "p", "text": "done"}
    assert harness.read() == {"id": 1, "result": {"text": "", "failed": False}}


def test_questions_of_one_command_at_once_are_answered_in_turn(harness: Harness) -> None:
    harness.send({"id": 1, "method": "command", "params": {"name": "both"}})
    for number, text in ((1, "first"), (2, "second")):
        request = harness.read()
        assert (request["request"], request["params"]["text"]) == (number, text)
        harness.send({"response": number, "result": text.upper()})
    assert harness.read()["text"] == "FIRST SECOND"
    assert harness.read()["id"] == 1


def test_questions_that_wait_for_each_other_end_somewhere(harness: Harness) -> None:
    depth = 0
    harness.send({"id": 0, "method": "command", "params": {"name": "c"}})
    while True:
        line = harness.read()
        if "request" in line:
            depth += 1
            harness.send({"id": depth, "method": "command", "params": {"name": "c"}})
        elif "result" in line:
            assert line["result"]["text"] == "plugin p: /c failed: more than 16 questions wait for each other"
            break
    assert depth == 16


def test_a_revocation_while_a_command_waits_for_the_agent_is_an_error(harness: Harness, world: Any) -> None:
    (plugin,) = harness.ask("list")["plugins"]
    harness.send({"id": 1, "method": "command", "params": {"name": "c"}})
    assert [harness.read().get("event"), harness.read().get("method")] == ["say", "ask"]
    world.revoke(plugin["id"])
    answer = harness.read()
    assert (answer["id"], answer["error"]["reason"]) == (1, "revoked-meanwhile")
    assert harness.ask("system", base="x")["value"] == "x"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        pytest.param("not JSON", "the line is no message", id="no JSON"),
        pytest.param("[]", "the line is no message", id="a list"),
        pytest.param('{"id": 1, "id": 2, "method": "list"}', "the line is no message", id="a key twice"),
        pytest.param('{"id": 1e999, "method": "list"}', "the line is no message", id="a number without end"),
        pytest.param('{"id": "\\ud83d", "method": "list"}', "the line is no message", id="half of a character"),
        pytest.param('{"id": null, "method": "list"}', "a request has an `id` and a `method`", id="no number"),
        pytest.param('{"id": 1, "method": "list", "params": 5}', "`params` is no object", id="odd parameters"),
        pytest.param('{"id": 1, "method": "nope"}', "there is no method `nope`", id="an unknown method"),
        pytest.param('{"id": 1, "method": "hook", "params": {"event": "x"}}', "there is no event `x`", id="no event"),
        pytest.param('{"id": 1, "method": "tool", "params": {}}', "`name` is no text", id="no name"),
        pytest.param('{"id": 1, "method": "policy", "params": {"tool": "x", "own": "y"}}', "`own` is none", id="own"),
    ],
)
def test_what_is_no_request_is_an_error_and_the_server_goes_on(harness: Harness, line: str, why: str) -> None:
    harness.send(line)
    assert harness.read()["error"]["message"].startswith(why)
    assert harness.ask("system", base="x")["value"] == "x!"


def test_after_an_edit_a_reload_asks_again_with_what_the_file_touches(harness: Harness, world: Any) -> None:
    world.write("p.js", PLUGIN + 'import "node:fs";\n')
    found = harness.ask("reload")
    assert found["plugins"] == []
    (skipped,) = found["skipped"]
    assert "content-drifted" in skipped["reason"]
    assert skipped["touches"].startswith("p.js: ")
    world.trust("p.js")
    assert [plugin["name"] for plugin in harness.ask("reload")["plugins"]] == ["p"]


def test_a_revocation_in_flight_is_an_error_and_the_server_goes_on(harness: Harness, world: Any) -> None:
    (plugin,) = harness.ask("list")["plugins"]
    harness.send({"id": 9, "method": "tool", "params": {"name": "wait", "args": {}}})
    world.revoke(plugin["id"])
    answer = harness.read()
    assert (answer["id"], answer["error"]["reason"]) == (9, "revoked-meanwhile")
    assert harness.ask("system", base="x")["value"] == "x"


def test_a_revocation_while_nothing_is_asked_is_told(harness: Harness, world: Any) -> None:
    (plugin,) = harness.ask("list")["plugins"]
    world.revoke(plugin["id"])
    told = harness.read()
    assert (told["event"], told["plugin"], "revoked-meanwhile" in told["text"]) == ("ended", "p", True)


def test_prompts_are_chosen_by_their_ids(harness: Harness, world: Any) -> None:
    folder = world.workspace / ".amness" / "prompts"
    folder.mkdir()
    (folder / "terse.md").write_text("---\ntitle: x\n---\nBe terse.\n")
    (folder / "two words.md").write_text("no")
    (folder / "base.md").write_text("no")
    assert harness.ask("prompts")["prompts"] == ["terse"]
    assert harness.ask("prompt", id="terse", base="mine")["value"] == "Be terse.\n"
    assert harness.ask("prompt", id="base", base="mine")["value"] == "mine"
    assert harness.ask("prompt", id="gone", base="mine")["message"] == "there is no prompt `gone`"
