"""What a command or a gate of Amness asks its host for: rather more than less, and lines for a shell are shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugseal.model.plugin import Component, Plugin
from tests import described

ROOT = Path(__file__).parents[1]


def plugin(command: str, *, before: str = "", field: str = "commands", key: str = "run") -> Plugin:
    text = f'{before}\nexport default {{ name: "p", {field}: [{{ name: "c", help: "h", {key}: {command} }}] }};\n'
    found: Plugin = described.one({".amness/plugins/p.ts": text}, "amness")
    return found


def component(found: Plugin, contributes: str) -> Component:
    return next(one for one in found.components if ("contributes", contributes) in one.extra and not one.shell)


ALL = ["ask", "run", "say"]


@pytest.mark.parametrize(
    ("command", "asks", "lines", "any_line"),
    [
        pytest.param("() => 1", [], [], False, id="nothing"),
        pytest.param('(ctx) => ctx.say("x")', ["say"], [], False, id="says"),
        pytest.param('async (ctx) => { await ctx.run("ls -l"); }', ["run"], ["ls -l"], False, id="a line"),
        pytest.param("async (ctx) => { await ctx.run(`ls`); }", ["run"], ["ls"], False, id="a template"),
        pytest.param('(ctx: any) => { ctx.run("a"); ctx.run("b"); }', ["run"], ["a", "b"], False, id="two lines"),
        pytest.param("(ctx, arg) => ctx.run(arg)", ["run"], [], True, id="a line that can't be told"),
        pytest.param("(ctx, arg) => ctx.run(`ls ${arg}`)", ["run"], [], True, id="a line put together"),
        pytest.param('(ctx) => { ctx.run("a"); ctx.run(b); }', ["run"], ["a"], True, id="both"),
        pytest.param("({ run, say }) => { run('a'); say('x'); }", ["run", "say"], ["a"], False, id="taken apart"),
        pytest.param("({ run: go }) => go('a')", ["run"], [], True, id="renamed"),
        pytest.param("({ ...all }) => all.run('a')", ALL, [], True, id="the rest"),
        pytest.param("(ctx) => helper(ctx)", ALL, [], True, id="handed on"),
        pytest.param('(ctx) => ctx["r" + "un"]("a")', ALL, [], True, id="a computed key"),
        pytest.param("(ctx) => { const { run } = ctx; run('a'); }", ALL, [], True, id="taken apart inside"),
        pytest.param("(ctx) => ({ ctx })", ALL, [], True, id="put into an object"),
        pytest.param("function () { arguments[0].run('a'); }", ALL, [], True, id="the arguments"),
        pytest.param("(ctx) => { const run = ctx.run; run('a'); }", ["run"], [], True, id="the function itself"),
        pytest.param("(ctx) => ctx!.run('a')", ["run"], ["a"], False, id="not null"),
        pytest.param("(ctx = {}) => ctx.run('a')", ["run"], ["a"], False, id="with a default"),
        pytest.param("imported", ALL, [], True, id="a function that can't be told"),
        pytest.param("(ctx) => ctx.cwd.length", [], [], False, id="the folder alone"),
    ],
)
def test_what_a_command_asks_for(command: str, asks: list[str], lines: list[str], any_line: bool) -> None:
    found = plugin(command)
    extra = dict(component(found, "commands.c").extra)

    assert json.loads(extra.get("asks", "[]")) == asks
    assert [one.command[0] for one in found.components if one.shell] == lines
    assert (extra.get("runs_any_line") == "true") is any_line


def test_a_gate_may_run_and_nothing_else() -> None:
    found = plugin('(ctx) => { ctx.say("x"); ctx.run("make test"); }', field="gates", key="check")

    assert json.loads(dict(component(found, "gates.c").extra)["asks"]) == ["run"]
    assert [(one.command, one.trigger) for one in found.components if one.shell] == [(("make test",), "hook:Stop")]


def test_a_method_and_a_named_function_are_looked_at_too() -> None:
    for before, command in (("", "run(ctx) { ctx.say('x'); }"), ("function go(ctx) { ctx.ask('x'); }", "run: go")):
        text = f'{before}\nexport default {{ name: "p", commands: [{{ name: "c", help: "h", {command} }}] }};\n'
        found = described.one({".amness/plugins/p.ts": text}, "amness")
        assert json.loads(dict(component(found, "commands.c").extra)["asks"]) == (["ask"] if before else ["say"])


def test_the_review_says_what_runs_it_behind_the_gate() -> None:
    found = plugin("() => 1")
    module = next(one for one in found.components if one.kind.value == "module")

    assert json.loads(dict(module.extra)["behind_gate"]) == [
        "node",
        "${PLUGSEAL}/amness/host.mjs",
        "${PLUGIN_ROOT}/p.ts",
    ]
    assert dict(module.extra)["contributions"] == '"read"'
