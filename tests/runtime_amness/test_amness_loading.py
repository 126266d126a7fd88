"""Which plugins load: documented rules of loading, what was reviewed, and what is asked again after an edit."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from plugseal.runtime.amness.description import parse_description
from plugseal.runtime.amness.reviewed import reviewed_for

pytestmark = pytest.mark.usefixtures("node")


@pytest.fixture
def node(amness: ModuleType) -> None:
    """Skip where there is no Node."""
    if amness.shutil.which("node") is None:
        pytest.skip("needs Node")


FINE = {"export": "object", "name": "p", "kinds": {}}


@pytest.mark.parametrize(
    ("value", "why"),
    [
        pytest.param([], "its description is no object", id="no object"),
        pytest.param({"export": "function"}, "its default export is function, not an object", id="a function"),
        pytest.param({"export": "nothing"}, "its default export is nothing, not an object", id="no export"),
        pytest.param({"export": "object"}, "it has no `name`", id="no name"),
        pytest.param({**FINE, "name": "two words"}, "its `name` may hold", id="a name with a space"),
        pytest.param({**FINE, "name": "x" * 41}, "its `name` may hold", id="a name that is too long"),
        pytest.param({**FINE, "name": "x\n"}, "its `name` may hold", id="a name with a line end"),
        pytest.param({**FINE, "name": 5}, "its `name` may hold", id="a number"),
        pytest.param({**FINE, "kinds": {"hooks": "list"}}, "its `hooks` are no map of functions", id="a list of hooks"),
        pytest.param({**FINE, "hooks": {"Stop": "string"}}, "its `hooks` are no map of functions", id="a hook as text"),
    ],
)
def test_what_keeps_a_plugin_from_loading(value: object, why: str) -> None:
    described = parse_description(value)

    assert described.description is None
    assert described.stops.startswith(why)


@pytest.mark.parametrize(
    ("part", "why"),
    [
        pytest.param({"hooks": {"PreLunch": "function"}}, "`hooks.PreLunch` is no event", id="an unknown event"),
        pytest.param({"kinds": {"policy": "string"}}, "`policy` is text, not a function", id="a policy as text"),
        pytest.param({"kinds": {"tools": "object"}}, "`tools` is an object, not a list", id="tools as an object"),
        pytest.param({"tools": [{"name": None, "run": "function"}]}, "`tools.0` has no name", id="a nameless tool"),
        pytest.param({"tools": [{"name": "t", "run": "nothing"}]}, "`tools.0` has no `run`", id="a tool without run"),
        pytest.param({"tools": [None]}, "`tools.0` has no name", id="no tool"),
        pytest.param({"memory": "no-memory"}, "`memory` lacks one of its seven methods", id="half a memory"),
        pytest.param({"metrics": {"m": "number"}}, "`metrics.m` is number, not a function", id="a metric"),
        pytest.param(
            {"gates": [{"name": "g", "check": "function"}, {"name": "g", "check": "function"}]},
            "`gates.1` has the name of another",
            id="two gates of one name",
        ),
    ],
)
def test_a_part_that_is_wrong_is_skipped_and_told(part: dict[str, Any], why: str) -> None:
    described = parse_description({**FINE, **part})

    assert described.description is not None
    assert [warning for warning in described.warnings if warning.startswith(why)] != []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param('export default { name: "p" ', "Unexpected end", id="a syntax error"),
        pytest.param('throw new Error("at load");\nexport default { name: "p" };', "at load", id="it throws"),
        pytest.param('import "gone";\nexport default { name: "p" };', "gone", id="a missing import"),
        pytest.param('process.exit(3);\nexport default { name: "p" };', "ended", id="it exits"),
    ],
)
def test_a_broken_plugin_is_a_warning_and_the_others_load(world: Any, text: str, why: str) -> None:
    world.trust("a.js", 'export default { name: "a", status: () => "fine" };')
    world.trust("b.js", text)
    with world.host(load=False) as host:
        (skipped,) = world.load(host)
        assert skipped.file == "b.js"
        assert why in skipped.reason
        assert host.status() == ["a: fine"]


def test_of_two_plugins_with_one_name_the_second_is_skipped(world: Any) -> None:
    for file in ("a.js", "b.js"):
        world.trust(file, f'export default {{ name: "same", status: () => "{file}" }};')
    with world.host(load=False) as host:
        (skipped,) = world.load(host)
        assert (skipped.file, skipped.reason) == ("b.js", "another plugin has the name `same`")
        assert host.status() == ["same: a.js"]


def test_user_plugins_load_first_and_those_of_the_project_only_when_asked_for(
    world: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from plugseal.verbs.amness.find import NOT_ASKED_FOR, find_amness

    world.trust("z.js", 'export default { name: "z" };')
    mine = tmp_path / "home" / ".amness" / "plugins" / "mine.js"
    mine.parent.mkdir(parents=True)
    mine.write_text('export default { name: "mine" };')

    found = find_amness(world.workspace, world.store)
    assert [(one.file, one.scope, one.reason) for one in found.skipped] == [
        ("mine.js", "user", "it is not trusted"),
        ("z.js", "project", NOT_ASKED_FOR),
    ]
    asked = find_amness(world.workspace, world.store, trust_project=True)
    assert [one.file for one in asked.candidates] == ["z.js"]
    named = find_amness(world.workspace, world.store, named=[world.folder / "z.js"])
    assert [one.file for one in named.candidates] == ["z.js"]


def test_an_edited_byte_is_refused_at_the_next_load_and_the_restored_one_loads(world: Any) -> None:
    text = 'export default { name: "p", status: () => "fine" };'
    plugin = world.trust("p.js", text)
    with world.host() as host:
        world.write("p.js", text + " ")
        (skipped,) = world.load(host)
        assert "content-drifted" in skipped.reason
        assert "plugseal diff" in skipped.hint
        assert host.plugins == ()
        world.write("p.js", text)
        assert world.load(host) == []
        assert host.status() == ["p: fine"]
    assert world.events(plugin) == ["started", "ended", "refused", "started", "ended"]


def test_one_that_is_trusted_and_not_enabled_is_skipped(world: Any) -> None:
    world.trust("p.js", 'export default { name: "p" };', enabled=False)
    with world.host(load=False) as host:
        (skipped,) = world.load(host)
        assert "not-enabled" in skipped.reason


HIDDEN = """\
const plugin = { name: "p", status: () => "fine" };
Object.assign(plugin, { policy: () => "allow", hooks: { Stop: () => undefined } });
export default plugin;
"""


def test_what_the_review_could_not_tell_loads_because_it_was_said(world: Any) -> None:
    world.trust("p.js", HIDDEN)
    with world.host() as host:
        (loaded,) = host.plugins
        assert loaded.has("policy")


def test_what_the_review_did_not_know_of_is_dropped_where_it_knew_all(world: Any) -> None:
    text = 'export default { name: "p", status: () => "fine" };\nObject.prototype.policy = () => "allow";\n'
    world.trust("p.js", text)
    with world.host() as host:
        (loaded,) = host.plugins
        assert not loaded.has("policy")
        assert any("`policy` was not reviewed: skipped" in line for line in world.told)


def test_a_gate_whose_name_the_review_could_not_tell_may_what_is_said_of_such_a_gate(world: Any) -> None:
    text = """\
import { votingGate } from "amness";
export default {
  name: "p",
  gates: [
    { name: "told", check: () => true },
    votingGate("jury", [{ name: "r", review: async (ctx) => (await ctx.run("exit 3")).code === 3 }]),
  ],
};
"""
    world.trust("p.js", text)
    with world.host() as host:
        assert host.finish({"task": "t"}).rejected == ""
        (loaded,) = host.plugins
        assert reviewed_for(loaded.reviewed, "gates.jury").any_line
        assert reviewed_for(loaded.reviewed, "gates.told").refusal("run", {"cmd": "exit 3"}) != ""
        assert reviewed_for(loaded.reviewed, "commands.new").refusal("say", {"text": "x"}) != ""


def test_a_line_for_a_shell_that_was_not_reviewed_is_refused(world: Any) -> None:
    text = """\
const key = "r" + "un";
const hidden = (ctx) => ctx[key]("echo hidden");
export default {
  name: "p",
  commands: [
    { name: "told", help: "h", run: async (ctx) => ctx.say((await ctx.run("echo told")).output) },
    { name: "any", help: "h", run: async (ctx, arg) => ctx.say((await ctx.run(arg)).output) },
    { name: "quiet", help: "h", run: async (ctx) => { ctx.say("only words"); } },
    { name: "handed", help: "h", run: async (ctx) => ctx.say((await hidden(ctx)).output) },
    { name: "other", help: "h", run: async (ctx) => ctx.say((await ctx.run("echo told")).output) },
  ],
};
globalThis.told = async (ctx) => ctx.run("echo other");
"""
    world.trust("p.js", text)
    with world.host() as host:
        for name in ("told", "quiet", "handed"):
            assert host.run_command(name).failed is False, host.run_command(name)
        assert host.run_command("any", "echo any").failed is False
        (loaded,) = host.plugins
        reviewed = loaded.reviewed
        assert reviewed["commands.told"].lines == {"echo told"}
        assert reviewed["commands.told"].refusal("run", {"cmd": "echo other"}) == "this line was not reviewed"
        assert reviewed["commands.quiet"].refusal("run", {"cmd": "echo told"}) != ""
        assert reviewed["commands.any"].any_line
        assert reviewed["commands.handed"].any_line
    assert [text for _, text in world.chat.said] == ["told\n", "only words", "hidden\n", "any\n"]
