"""Every kind of contribution, called in a plugin's own Node process behind the gate."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from plugseal.errors import UsageError
from plugseal.runtime.amness.policy import Action
from plugseal.runtime.amness.selftest import run_selftest

pytestmark = pytest.mark.usefixtures("node")


@pytest.fixture
def node(amness: ModuleType) -> None:
    """Skip where there is no Node."""
    if amness.shutil.which("node") is None:
        pytest.skip("needs Node")


EVERYTHING = """\
import { definePlugin, defineTool, votingGate } from "../../src/index.ts";
import * as fs from "node:fs";

interface Note { name: string; description: string; content: string }
const notes = new Map<string, Note>();

export default definePlugin({
  name: "everything",
  description: "one of each",
  hooks: {
    SessionStart: () => "welcome",
    UserPromptSubmit: async ({ prompt }: { prompt: string }) => ({ context: `seen ${prompt}` }),
    PreModel: ({ step }: { step: number }) =>
      step === 0 ? { tools: ["read"], then: "now act", context: "plan" } : undefined,
    PostModel: ({ text }: { text: string }) => { console.log("replied", text.length); return "ignored"; },
    PreToolUse: ({ tool, args }: { tool: string; args: any }) =>
      tool === "edit_file" ? { block: "no edits" } : tool === "sh" ? { args: { cmd: "echo " + args.cmd } } : undefined,
    PostToolUse: ({ result, ok }: { result: string; ok: boolean }) => `${result.length} ${ok}`,
    PreCompact: ({ chars }: { chars: number }) => chars < 10 ? { block: "too little" } : undefined,
    Stop: ({ summary }: { summary: string }) => summary ? undefined : { block: "say something" },
  },
  tools: [defineTool({
    name: "keep",
    description: "Writes a file.",
    schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    run: ({ path }: { path: string }, ctx: { cwd: string }) => {
      fs.writeFileSync(path, "kept\\n");
      return { wrote: path, cwd: ctx.cwd };
    },
  })],
  system: (base: string) => base + "\\nBe kind.",
  commands: [{
    name: "greet",
    help: "say hello",
    run: async (ctx: any, arg: string) => {
      ctx.say("hello " + arg);
      const done = await ctx.run("printf out; exit 3", 5_000);
      const said = await ctx.ask(`${done.code} ${done.output} ${Object.keys(ctx).sort()}`);
      ctx.say("agent: " + said);
    },
  }],
  gates: [
    {
      name: "tests",
      check: (ctx: any) => ctx.changed.length && ctx.testsAfterLastEdit === false ? "run the tests" : true,
    },
    votingGate("jury", [
      { name: "one", review: () => false },
      { name: "two", review: () => { throw new Error("asleep"); } },
      { name: "three", review: (ctx: any) => ctx.summary === "bad" ? ["bad words"] : true },
    ]),
  ],
  policy: ({ tool, args }: { tool: string; args: any }) =>
    tool === "sh" && /\\bcurl\\b/.test(String(args.cmd)) ? { action: "deny", reason: "no downloads" } : undefined,
  context: (messages: any[], { budget }: { budget: number }) => budget > 0.7 ? messages.slice(-1) : undefined,
  memory: (cwd: string) => ({
    list: () => [...notes.values()],
    save: (entry: Note) => { notes.set(entry.name, { ...entry }); return entry; },
    forget: (name: string) => notes.delete(name),
    search: async (query: string, n = 5) =>
      [...notes.values()].filter((one) => one.content.includes(query)).slice(0, n),
    context: () => notes.size ? "## Notes in " + cwd : "",
    delta: () => "",
    endTurn: (success?: boolean) => { console.error("ended", success); },
  }),
  route: ({ tail }: { tail: { streak: number } }) => tail.streak >= 3 ? "small" : undefined,
  status: ({ cwd, running }: { cwd: string; running: boolean }) =>
    running ? "busy" : fs.existsSync(cwd) ? "here" : "gone",
  metrics: { files: ({ dir }: { dir: string }) => fs.readdirSync(dir).length, nothing: () => NaN },
  graders: {
    short: (session: any) => session.calls.length ? { score: 1 / session.calls.length, note: "calls" } : undefined,
  },
  cases: [
    {
      name: "sound",
      files: { "a.txt": "one\\n" },
      task: "two",
      check: async (dir: string) =>
        (await import("node:fs")).readFileSync(`${dir}/a.txt`, "utf8").trim() === "two" ? true : "no",
      solution: { "a.txt": "two\\n" },
    },
    { name: "by-shell", files: { "a.txt": "one\\n" }, check: "grep -q two a.txt", solution: { "a.txt": "two\\n" } },
    { name: "always", files: {}, check: () => true },
    { name: "never", files: {}, check: () => "no", solution: {} },
    { name: "excluded", files: {}, setup: () => { throw new Error("no network"); }, check: () => "no" },
    { name: "outside", files: { "../x": "y" }, check: () => "no" },
  ],
  variants: { lean: { off: ["nudge"], system: (base: string) => base } },
});
"""


@pytest.fixture
def host(world: Any) -> Any:
    world.trust("everything.ts", EVERYTHING)
    with world.host() as found:
        yield found


def test_hooks_at_the_eight_events(host: Any, world: Any) -> None:
    assert host.hook("SessionStart", {}).context == "welcome"
    assert host.hook("UserPromptSubmit", {"prompt": "hi"}).context == "seen hi"
    outcome = host.hook("PreModel", {"step": 0, "max": 5, "messages": [], "promptTokens": 1, "budget": 0.1})
    assert (outcome.tools, outcome.then, outcome.context) == (("read",), "now act", "plan")
    assert host.hook("PostModel", {"text": "x" * 5000}).context == ""
    assert host.hook("PreToolUse", {"tool": "edit_file", "args": {}}).block == "no edits"
    assert host.hook("PreToolUse", {"tool": "sh", "args": {"cmd": "ls"}}).args == {"cmd": "echo ls"}
    assert host.hook("PostToolUse", {"tool": "sh", "args": {}, "result": "ERROR: x"}).context == "8 false"
    assert host.hook("PreCompact", {"chars": 5}).block == "too little"
    assert host.hook("Stop", {"summary": ""}).block == "say something"
    assert any("replied 4000" in line for line in world.told), world.told


def test_an_event_that_amness_does_not_have_is_refused(host: Any) -> None:
    with pytest.raises(UsageError, match="no event `PreLunch`"):
        host.hook("PreLunch", {})


def test_a_tool_works_on_files_of_the_working_folder(host: Any, world: Any) -> None:
    result = host.call_tool("keep", {"path": "kept.txt"})

    assert json.loads(result.text) == {"wrote": "kept.txt", "cwd": str(world.workspace)}
    assert (world.workspace / "kept.txt").read_text() == "kept\n"


def test_a_tool_that_the_turn_does_not_allow_is_not_called(host: Any, world: Any) -> None:
    host.hook("PreModel", {"step": 0})

    assert host.call_tool("keep", {"path": "kept.txt"}).text == "ERROR: keep is not allowed in this phase"
    assert not (world.workspace / "kept.txt").exists()
    assert (host.after_text(), host.after_text()) == ("now act", "")


def test_new_arguments_must_fit_the_schema_of_the_tool(host: Any) -> None:
    schema = {"type": "object", "properties": {"cmd": {"type": "string", "enum": ["ls"]}}}
    outcome = host.hook("PreToolUse", {"tool": "sh", "args": {"cmd": "ls"}}, schema=schema)

    assert (outcome.args, "don't fit the schema of sh" in (outcome.block or "")) == (None, True)


def test_a_command_says_runs_and_asks_and_has_four_things(host: Any, world: Any) -> None:
    assert host.run_command("greet", "you").text == ""
    assert world.chat.said == [("everything", "hello you"), ("everything", "agent: done")]
    assert world.chat.asked == [("everything", "3 out ask,cwd,run,say")]


def test_gates_and_a_vote_of_reviewers(host: Any) -> None:
    ctx = {"task": "t", "summary": "s", "changed": ["a"], "testsAfterLastEdit": False}
    assert host.finish(ctx).rejected.endswith('gate "tests" (plugin everything) found problems:\n- run the tests')
    fine = host.finish({**ctx, "testsAfterLastEdit": True})
    assert fine.rejected == ""
    assert any("two: failed: asleep" in warning for warning in fine.warnings)
    bad = host.finish({**ctx, "testsAfterLastEdit": True, "summary": "bad"}).rejected
    assert "- said no: one, three" in bad
    assert "- three: bad words" in bad


def test_a_policy_decides_about_a_call(host: Any) -> None:
    verdict, warnings = host.decide("sh", {"cmd": "curl x"}, Action.ALLOW, floor=False)

    assert (verdict.action, verdict.text.startswith("DENIED: no downloads"), warnings) == (Action.DENY, True, [])
    assert host.decide("sh", {"cmd": "ls"}, Action.ALLOW, floor=False)[0].action is Action.ALLOW


def test_texts_and_messages(host: Any) -> None:
    assert host.system("base").value == "base\nBe kind."
    assert host.context([{"a": 1}, {"b": 2}], {"step": 0, "budget": 0.9}).value == [{"b": 2}]
    assert host.context([{"a": 1}, {"b": 2}], {"step": 0, "budget": 0.1}).value == [{"a": 1}, {"b": 2}]
    assert (host.route({"tail": {"streak": 3}}).value, host.route({"tail": {"streak": 0}}).value) == ("small", None)
    assert host.status() == ["everything: here"]
    assert host.status(running=True) == ["everything: busy"]


def test_the_seven_methods_of_a_memory(host: Any, world: Any) -> None:
    entry = {"name": "n", "type": "t", "description": "d", "content": "about tests"}
    assert host.memory("context", ["task"]).value == ""
    assert host.memory("save", [entry]).value == entry
    assert host.memory("list", []).value == [entry]
    assert host.memory("search", ["tests", 1]).value == [entry]
    assert host.memory("context", ["task"]).value == f"## Notes in {world.workspace}"
    assert host.memory("delta", ["text", []]).value == ""
    assert host.memory("endTurn", [True]).failed is False
    assert host.memory("warmQuery", ["x"]).value is None
    assert host.memory("forget", ["n"]).value is True


def test_metrics_and_graders(host: Any, world: Any) -> None:
    measured = host.measure({"case": "c", "row": {}, "outcome": "ok", "dir": str(world.workspace)})
    assert measured.values == {"everything:files": 1}
    assert len(measured.warnings) == 1
    scores, _ = host.grade({"calls": [{"tool": "sh", "args": {}}] * 4})
    assert [(one.grader, one.score, one.note) for one in scores] == [("everything:short", 0.25, "calls")]


def test_cases_are_tried_without_a_model(host: Any) -> None:
    tried = {one.case: one.outcome for one in run_selftest(host.plugins)}

    assert tried == {
        "sound": "ok",
        "by-shell": "ok",
        "always": "unsound",
        "never": "unsound",
        "excluded": "excluded",
        "outside": "unsound",
    }


def test_variants_are_told_by_name(host: Any) -> None:
    (loaded,) = host.plugins

    assert loaded.description.variants["lean"]["off"] == ["nudge"]


def test_everything_ends_and_stands_in_the_trail(world: Any) -> None:
    plugin = world.trust("everything.ts", EVERYTHING)
    with world.host() as host:
        host.status()

    assert world.events(plugin) == ["started", "ended"]


def test_what_runs_is_the_copy_without_types_and_the_copy_is_what_was_reviewed(world: Any) -> None:
    world.trust("everything.ts", EVERYTHING)
    (record,) = world.store.records()
    approval = record.standing.trust
    stage = Path(world.store.home) / "stage" / approval.content / "everything.ts"
    derived = Path(world.store.home) / "derived" / approval.derived / "everything.ts"

    assert stage.read_text() == EVERYTHING
    assert [len(line) for line in derived.read_text().split("\n")] == [len(line) for line in EVERYTHING.split("\n")]
    assert "interface" not in derived.read_text()
    assert derived.stat().st_mode & 0o777 == 0o400


def test_a_plugin_of_plain_javascript_runs_from_the_copy_itself(world: Any) -> None:
    world.trust("plain.js", 'export default { name: "plain", status: () => import.meta.url };')
    (record,) = world.store.records()

    assert record.standing.trust.derived == ""
    with world.host() as host:
        assert "/stage/" in host.status()[0] or host.status()[0].startswith("plain: file://")


def test_a_plugin_may_load_what_lies_beside_it(world: Any) -> None:
    world.write("lib/rules.ts", "export const word: string = 'from lib';\n")
    world.write("lib/old.js", "exports.word = 'from old';\n")
    text = (
        'import { word } from "./lib/rules";\nimport { word as same } from "./lib/rules.js";\n'
        'import old from "./lib/old.js";\n'
        'export default { name: "helped", status: () => word + same + old.word };\n'
    )
    world.write("helped.ts", text)
    world.trust_folder("helped")
    with world.host() as host:
        assert host.status() == ["helped: from libfrom libfrom old"]
