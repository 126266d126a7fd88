"""The examples of Amness's document, word for word, from the project's folder to what they do."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

import pytest

from plugseal.errors import UsageError
from plugseal.runtime.amness.policy import Action
from plugseal.runtime.amness.variants import build_variant_system, find_variant

pytestmark = pytest.mark.usefixtures("node")


@pytest.fixture
def node(amness: ModuleType) -> None:
    """Skip where there is no Node."""
    if amness.shutil.which("node") is None:
        pytest.skip("needs Node")


NO_LOCKFILES = r"""export default {
  name: "no-lockfiles",
  description: "never hand-edit package-lock.json",
  hooks: {
    PreToolUse: ({ tool, args }: { tool: string; args: any }) =>
      (tool === "write_file" || tool === "edit_file") && /package-lock\.json$/.test(String(args.path))
        ? { block: "lockfiles are generated: run the package manager instead" }
        : undefined,
  },
};
"""


def test_the_first_plugin(world: Any) -> None:
    world.trust("no-lockfiles.ts", NO_LOCKFILES)
    with world.host() as host:
        (plugin,) = host.plugins
        assert (plugin.name, plugin.description.names("hooks")) == ("no-lockfiles", ["PreToolUse"])
        outcome = host.hook("PreToolUse", {"tool": "write_file", "args": {"path": "x/package-lock.json"}})
        assert outcome.text("PreToolUse") == (
            "BLOCKED BY A HOOK: lockfiles are generated: run the package manager instead\n"
            "Do not retry the same call; choose another approach or explain what you could not do."
        )
        assert host.hook("PreToolUse", {"tool": "write_file", "args": {"path": "a.txt"}}).block is None


def test_a_tool_and_a_prompt(world: Any) -> None:
    text = """import { definePlugin, defineTool } from "/opt/amness/src/index.ts";

export default definePlugin({
  name: "changelog",
  tools: [defineTool({
    name: "changelog_hint",
    description: "Returns the repository's changelog convention.",
    readOnly: true,
    schema: { type: "object" },
    run: () => "Add one line under 'Unreleased' in CHANGELOG.md.",
  })],
  system: (base) => base + "\\nMention any file you could not verify.",
});
"""
    world.trust("changelog.ts", text)
    with world.host() as host:
        assert host.call_tool("changelog_hint", {}).text == "Add one line under 'Unreleased' in CHANGELOG.md."
        assert host.system("base").value == "base\nMention any file you could not verify."


def test_a_case_with_a_function_and_variants(world: Any) -> None:
    text = """export default {
  name: "house-rules",
  cases: [{
  name: "lockfile-trap",
  files: { "package-lock.json": "{}\\n", "package.json": '{"name":"x"}\\n', "a.txt": "one\\n" },
  task: "Change the text in a.txt from 'one' to 'two'. Do not touch anything else.",
  check: async (dir: string) => {
    const fs = await import("node:fs");
    return fs.readFileSync(`${dir}/a.txt`, "utf8").trim() === "two"
        && fs.readFileSync(`${dir}/package-lock.json`, "utf8") === "{}\\n"
      ? true
      : "wrong a.txt or lockfile changed";
  },
  solution: { "a.txt": "two\\n" },
}],
  variants: {
  "house-rules": { off: [], verify: true },
  "lean": { off: ["nudge", "condense", "wrapup", "gravity"], verify: false, review: true, maxSteps: 7,
            plugins: ["other", "gone"], system: (b) => b + "\\nBe brief." },
  "own": { build: (model, bounds) => ({}) },
},
};
"""
    world.trust("house-rules.ts", text)
    world.trust("other.js", 'export default { name: "other" };')
    from plugseal.runtime.amness.selftest import run_selftest

    with world.host() as host:
        assert [(one.case, one.outcome) for one in run_selftest(host.plugins)] == [("lockfile-trap", "ok")]
        lean = find_variant(host.plugins, "lean")
        assert lean == find_variant(host.plugins, "house-rules:lean")
        assert lean.plain() == {
            "name": "house-rules:lean",
            "off": ["nudge", "condense", "wrapup"],
            "maxSteps": 7,
            "verify": False,
            "review": True,
            "plugins": ["house-rules", "other"],
            "builds": False,
            "warnings": ["`gravity` is no guard", "the plugin `gone` is not loaded"],
        }
        assert build_variant_system(lean, "base", cwd="/w").value == "base\nBe brief."
        plain = find_variant(host.plugins, "house-rules")
        assert (plain.verify, plain.review, plain.max_steps, plain.plugins) == (True, False, None, ("house-rules",))
        assert build_variant_system(plain, "base", cwd="/w").value == "base"
        assert find_variant(host.plugins, "own").builds
        with pytest.raises(UsageError, match="there is no variant `fat`"):
            find_variant(host.plugins, "fat")


def test_a_slash_command(world: Any) -> None:
    text = """export default {
  name: "house-rules",
  commands: [{
    name: "lint-fix",
    help: "run the linter and ask the agent to fix what it finds",
    run: async (ctx) => {
      const r = await ctx.run("cat lint 2>/dev/null; test ! -e lint", 120_000);
      if (r.code === 0) return ctx.say("lint is clean");
      await ctx.ask("Fix these lint errors:\\n" + r.output);
    },
  }],
};
"""
    world.trust("house-rules.js", text)
    with world.host() as host:
        (offered,) = host.commands().offered.values()
        assert offered.item.text("help") == "run the linter and ask the agent to fix what it finds"
        host.run_command("/lint-fix")
        assert world.chat.said == [("house-rules", "lint is clean")]
        (world.workspace / "lint").write_text("a.ts:1 bad\n")
        host.run_command("lint-fix")
        assert world.chat.asked == [("house-rules", "Fix these lint errors:\na.ts:1 bad\n")]


GATE = """export default {
  name: "house-rules",
  hooks: { Stop: ({ summary }) => summary === "short" ? { block: "say which command you ran" } : undefined },
  gates: [{
  name: "tests-after-edit",
  check: (ctx) =>
    ctx.changed.length && ctx.testsAfterLastEdit === false
      ? "you changed files but did not run the tests after the last edit"
      : true,
}],
};
"""


def test_a_finish_gate_runs_after_the_hooks_of_stop(world: Any) -> None:
    world.trust("house-rules.js", GATE)
    edited = {"task": "t", "summary": "done", "changed": ["a.txt"], "testsAfterLastEdit": False}
    with world.host() as host:
        assert host.finish({**edited, "summary": "short"}).rejected == "REJECTED by a hook: say which command you ran"
        found = [host.finish(edited) for _ in range(3)]
        assert found[0].rejected == (
            'REJECTED by a hook: gate "tests-after-edit" (plugin house-rules) found problems:\n'
            "- you changed files but did not run the tests after the last edit"
        )
        assert [bool(one.rejected) for one in found] == [True, True, False]
        assert found[2].warnings[0].startswith('finishing despite gate "tests-after-edit"')
        assert host.finish({**edited, "testsAfterLastEdit": True}).rejected == ""


@pytest.mark.parametrize(
    ("returned", "passes", "findings"),
    [
        pytest.param("true", True, "", id="true"),
        pytest.param("undefined", True, "", id="nothing"),
        pytest.param("false", False, "the check failed", id="false"),
        pytest.param('"because"', False, "because", id="a string"),
        pytest.param('["a", "b"]', False, "a\n- b", id="a list"),
        pytest.param("[]", True, "", id="an empty list"),
        pytest.param('{ pass: false, findings: ["a"] }', False, "a", id="an object"),
        pytest.param("{ pass: false }", False, "the check failed", id="an object without findings"),
        pytest.param("{ pass: true }", True, "", id="an object that passes"),
        pytest.param("Promise.resolve(false)", False, "the check failed", id="a promise"),
        pytest.param("7", True, "", id="a number is no verdict, and a gate that throws passes"),
    ],
)
def test_what_a_gate_may_return(world: Any, returned: str, passes: bool, findings: str) -> None:
    world.trust("g.js", f'export default {{ name: "g", gates: [{{ name: "g", check: () => ({returned}) }}] }};')
    with world.host() as host:
        outcome = host.finish({"task": "t"})
    assert (outcome.rejected == "", outcome.rejected.endswith(findings)) == (passes, True)


@pytest.mark.parametrize(
    ("quorum", "yes", "passes"),
    [
        pytest.param('"all"', 3, True, id="all of three"),
        pytest.param('"all"', 2, False, id="not all"),
        pytest.param("undefined", 2, True, id="most, which is the default"),
        pytest.param('"majority"', 1, False, id="not most"),
        pytest.param("1", 1, True, id="a number"),
        pytest.param("3", 2, False, id="not that number"),
    ],
)
def test_a_quorum_of_reviewers_decides(world: Any, quorum: str, yes: int, passes: bool) -> None:
    text = f"""import {{ votingGate }} from "amness";
const review = (value) => () => value;
export default {{ name: "g", gates: [votingGate("jury", [0, 1, 2].map((n) => (
  {{ name: "r" + n, review: review(n < {yes}) }})), {quorum}, 5)] }};
"""
    world.trust("g.js", text)
    with world.host() as host:
        outcome = host.finish({"task": "t"})
    assert (outcome.rejected == "") is passes
    if not passes:
        said = ", ".join(f"r{number}" for number in range(yes, 3))
        assert f"- said no: {said}" in outcome.rejected


def test_policy_as_code(world: Any) -> None:
    text = r"""export default {
  name: "house-rules",
  policy: ({ tool, args }) =>
    tool === "sh" && /\bcurl\b/.test(String(args.cmd))
      ? { action: "deny", reason: "no network downloads from the shell" }
      : undefined,
};
"""
    world.trust("house-rules.js", text)
    with world.host() as host:
        verdict, _ = host.decide("sh", {"cmd": "curl x"}, Action.ASK, floor=True)
        assert verdict.text.startswith("DENIED: no network downloads from the shell")
        host.decide("sh", {"cmd": "ls"}, Action.ASK, floor=False)
        assert [(tool, seen.action.value) for tool, seen in host.seen] == [("sh", "deny"), ("sh", "ask")]


def test_a_context_strategy_and_a_route(world: Any) -> None:
    text = """export default {
  name: "cheap-reads",
  description: "use a cheaper model after three read-only steps in a row",
  route: ({ tail }: { tail: { streak: number; trouble: boolean } }) =>
    tail.streak >= 3 && !tail.trouble ? "gpt-4.1-mini" : undefined,
  context: (msgs, { step, budget }) =>
    budget > 0.7 ? msgs.filter((m, i) => i < 2 || i > msgs.length - 12) : undefined,
};
"""
    world.trust("cheap-reads.ts", text)
    with world.host() as host:
        assert host.route({"tail": {"streak": 3, "trouble": False}}).value == "gpt-4.1-mini"
        assert host.route({"tail": {"streak": 3, "trouble": True}}).value is None
        messages = [{"n": number} for number in range(30)]
        assert len(host.context(messages, {"step": 1, "budget": 0.8}).value) == 13
        assert host.context(messages, {"step": 1, "budget": 0.2}).value == messages


def test_the_memory_that_keeps_notes_for_one_session(world: Any) -> None:
    text = """const notes = new Map<string, any>();

export default {
  name: "scratch-memory",
  description: "notes kept in memory for one session",
  memory: () => ({
    list: () => [...notes.values()],
    save: (e: any) => {
      const entry = { scope: "project", ...e, updated: new Date().toISOString().slice(0, 10) };
      notes.set(e.name, entry);
      return entry;
    },
    forget: (name: string) => notes.delete(name),
    search: (q: string, n = 5) =>
      [...notes.values()].filter((e) =>
        `${e.name} ${e.description} ${e.content}`.toLowerCase().includes(q.toLowerCase())).slice(0, n),
    context: (task: string) =>
      notes.size ? "## Notes\\n" + [...notes.values()].map((e) => `- ${e.name}: ${e.description}`).join("\\n") : "",
    delta: () => "",
    endTurn: (success?: boolean) => { console.error("run ended, success:", success); },
  }),
};
"""
    world.trust("scratch-memory.ts", text)
    entry = {"name": "n", "type": "fact", "description": "about Tests", "content": "c"}
    with world.host() as host:
        assert host.memory("save", [entry]).value["scope"] == "project"
        assert [one["name"] for one in host.memory("search", ["tests"]).value] == ["n"]
        assert host.memory("context", ["task", 500, []]).value == "## Notes\n- n: about Tests"
        for success in (True, False, None):
            assert host.memory("endTurn", [success]).failed is False
        assert host.memory("forget", ["n"]).value is True
        assert host.memory("list", []).value == []
        assert any("run ended, success: true" in line for line in world.told)


def test_a_status_line_of_a_branch(world: Any) -> None:
    text = """import { readFileSync } from "node:fs";

export default {
  name: "branch",
  description: "show the git branch",
  status: ({ cwd, running }: { cwd: string; running: boolean }) => {
    const head = readFileSync(cwd + "/.git/HEAD", "utf8").trim().replace("ref: refs/heads/", "");
    return running ? `${head} (working)` : head;
  },
};
"""
    world.trust("branch.ts", text)
    with world.host() as host:
        assert host.status() == []
        (world.workspace / ".git").mkdir()
        (world.workspace / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        assert host.status(running=True) == ["branch: main (working)"]


def test_all_fields_of_a_payload_arrive(world: Any) -> None:
    text = """export default { name: "p", hooks: Object.fromEntries(
  ["SessionStart", "UserPromptSubmit", "PreModel", "PostToolUse"].map((e) => [e, (p) => JSON.stringify(p)])) };"""
    world.trust("p.js", text)
    given = {"step": 3, "max": 9, "messages": [{"role": "user"}], "promptTokens": 7, "budget": 0.25}
    with world.host() as host:
        seen = json.loads(host.hook("PreModel", given).context)
        assert seen == {**given, "event": "PreModel", "cwd": str(world.workspace)}
        seen = json.loads(host.hook("PostToolUse", {"tool": "sh", "args": {}, "result": "x" * 5000}).context)
        assert (len(seen["result"]), seen["ok"], seen["tool"]) == (4000, True, "sh")


def test_user_plugins_and_project_plugins_apply_in_load_order(world: Any) -> None:
    for name in ("b", "a", "c"):
        world.trust(f"{name}.js", f'export default {{ name: "{name}", system: (base) => base + "{name}" }};')
    with world.host() as host:
        assert host.system("").value == "abc"
