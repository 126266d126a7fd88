"""The documented rules of each kind of contribution, with plugins that answer what the test says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from plugseal.runtime.amness.description import MAX_REJECTIONS, Description, Item
from plugseal.runtime.amness.gates import Gates
from plugseal.runtime.amness.hooks import CLIPPED, build_payload, run_hooks
from plugseal.runtime.amness.loaded import Loaded
from plugseal.runtime.amness.measures import grade, measure
from plugseal.runtime.amness.memory import call_memory, find_memory
from plugseal.runtime.amness.policy import Action, ask_policies, judge
from plugseal.runtime.amness.protocol import Answer
from plugseal.runtime.amness.strategies import EXPLORED_STEPS, STRATEGIES, Turn, add_strategy
from plugseal.runtime.amness.texts import MAX_STATUS, StatusLines, build_messages, build_system, choose_model
from plugseal.runtime.amness.tools import call_tool, find_commands, find_tools, run_command


class Told:
    """A process that answers what it was told to, and remembers its calls."""

    def __init__(self, *answers: Any) -> None:
        self._answers = list(answers)
        self.calls: list[tuple[str, Mapping[str, object]]] = []

    def call(self, method: str, params: Mapping[str, object], **_: object) -> Answer:
        self.calls.append((method, params))
        value = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return value if isinstance(value, Answer) else Answer(value)


_RETRY = "Do not retry the same call; choose another approach or explain what you could not do."
THROWN = Answer(failed="boom")


def loaded(
    *answers: Any, has: str = "", name: str = "p", fail_closed: bool = False, **lists: tuple[Item, ...]
) -> Loaded:
    description = Description(
        name=name,
        description="",
        fail_closed=fail_closed,
        functions=frozenset(has.split()),
        tools=lists.get("tools", ()),
        commands=lists.get("commands", ()),
        gates=lists.get("gates", ()),
        cases=(),
        variants={},
    )
    return Loaded(name, f"{name}.ts", "project", description, Told(*answers or [None]))


def hooked(*answers: Any, event: str = "PreToolUse", **more: Any) -> Loaded:
    return loaded(*answers, has=f"hooks.{event}", **more)


@pytest.mark.parametrize(
    ("event", "answer", "block", "context"),
    [
        pytest.param("UserPromptSubmit", None, None, "", id="nothing goes on"),
        pytest.param("UserPromptSubmit", "note", None, "note", id="text is context"),
        pytest.param("UserPromptSubmit", {"block": "no"}, "no", "", id="block refuses the message"),
        pytest.param("UserPromptSubmit", {"context": "a", "block": "no"}, "no", "a", id="both"),
        pytest.param("PreToolUse", "note", None, "", id="context is not read before a tool"),
        pytest.param("PostToolUse", {"block": "no", "context": "a"}, None, "a", id="after a tool nothing is blocked"),
        pytest.param("PostModel", {"block": "no", "context": "a"}, None, "", id="after the model nothing changes"),
        pytest.param("PreCompact", {"block": "keep"}, "keep", "", id="block cancels the trim"),
        pytest.param("Stop", {"block": "no"}, "no", "", id="block rejects the finish"),
        pytest.param("Stop", {"block": True}, "no reason given", "", id="a block without words"),
        pytest.param("Stop", {"block": ""}, None, "", id="an empty block is none"),
        pytest.param("SessionStart", "note", None, "note", id="context of the first message"),
    ],
)
def test_a_hook_returns_what_its_event_allows(event: str, answer: object, block: str | None, context: str) -> None:
    outcome = run_hooks([hooked(answer, event=event)], event, {}, cwd="/w")

    assert (outcome.block, outcome.context, outcome.warnings) == (block, context, [])


def test_the_first_block_stops_all_later_hooks_and_context_is_joined() -> None:
    last = hooked("late", event="UserPromptSubmit", name="c")
    plugins = [
        hooked("one", event="UserPromptSubmit", name="a"),
        hooked({"context": "two", "block": "no"}, event="UserPromptSubmit", name="b"),
        last,
    ]
    outcome = run_hooks(plugins, "UserPromptSubmit", {"prompt": "x"}, cwd="/w")

    assert (outcome.context, outcome.block, outcome.by) == ("one\ntwo", "no", "b")
    assert last.process.calls == []


def test_the_last_arguments_win_and_later_hooks_see_those_before() -> None:
    first, second = hooked({"args": {"path": "b"}}, name="a"), hooked({"args": {"path": "c"}}, name="b")
    outcome = run_hooks([first, second], "PreToolUse", {"tool": "t", "args": {"path": "a"}}, cwd="/w")

    assert outcome.args == {"path": "c"}
    assert second.process.calls[0][1]["payload"]["args"] == {"path": "b"}


@pytest.mark.parametrize(
    ("answer", "fail_closed", "blocks"),
    [
        pytest.param(THROWN, False, False, id="a hook that throws only warns"),
        pytest.param(THROWN, True, True, id="failClosed blocks"),
        pytest.param(7, False, False, id="an undocumented answer warns"),
        pytest.param(7, True, True, id="failClosed blocks an undocumented answer"),
    ],
)
def test_a_failed_hook(answer: object, fail_closed: bool, blocks: bool) -> None:
    outcome = run_hooks([hooked(answer, fail_closed=fail_closed)], "PreToolUse", {}, cwd="/w")

    assert (outcome.block is not None, len(outcome.warnings)) == (blocks, 1)
    assert outcome.warnings[0].startswith("plugin p: its hook for PreToolUse ")


@pytest.mark.parametrize("event", ["PostModel", "PostToolUse"])
def test_fail_closed_can_block_nothing_where_nothing_can_be_blocked(event: str) -> None:
    outcome = run_hooks([hooked(THROWN, event=event, fail_closed=True)], event, {}, cwd="/w")

    assert (outcome.block, len(outcome.warnings)) == (None, 1)


@pytest.mark.parametrize(
    ("event", "given", "key", "value"),
    [
        pytest.param("PostModel", {"text": "x" * 5000}, "text", "x" * CLIPPED, id="a reply is clipped"),
        pytest.param("PostToolUse", {"result": "x" * 5000}, "result", "x" * CLIPPED, id="a result is clipped"),
        pytest.param("PostToolUse", {"result": "ERROR: x"}, "ok", False, id="an error is not ok"),
        pytest.param("PostToolUse", {"result": "DENIED: x"}, "ok", False, id="a denial is not ok"),
        pytest.param("PostToolUse", {"result": "fine"}, "ok", True, id="all else is ok"),
        pytest.param("Stop", {"summary": "s"}, "event", "Stop", id="the event's name"),
        pytest.param("Stop", {"cwd": "/elsewhere"}, "cwd", "/w", id="the working folder is ours to say"),
    ],
)
def test_the_payload_of_a_hook(event: str, given: dict[str, object], key: str, value: object) -> None:
    assert build_payload(event, given, cwd="/w")[key] == value


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (
            "PreToolUse",
            f"BLOCKED BY A HOOK: no\n{_RETRY}",
        ),
        ("Stop", "REJECTED by a hook: no"),
        ("PreModel", "stopped: no"),
    ],
)
def test_the_agent_is_told_of_a_block_in_the_documented_words(event: str, text: str) -> None:
    assert run_hooks([hooked({"block": "no"}, event=event)], event, {}, cwd="/w").text(event) == text


def test_a_loop_strategy_limits_the_turn_and_says_what_follows() -> None:
    plugins = [
        hooked({"tools": ["a", "b"], "then": "go"}, event="PreModel", name="a"),
        hooked({"tools": ["b", "c"], "context": "note"}, event="PreModel", name="b"),
    ]
    outcome = run_hooks(plugins, "PreModel", {"step": 0}, cwd="/w")
    turn = Turn()
    turn.begin(outcome)

    assert (outcome.tools, outcome.context) == (("b",), "note")
    assert turn.refusal("a") == "ERROR: a is not allowed in this phase"
    assert turn.refusal("b") == ""
    assert (turn.after_text(), turn.after_text()) == ("go", "")


def test_an_empty_list_means_no_tools_and_none_means_all() -> None:
    turn = Turn()
    turn.begin(run_hooks([hooked({"tools": []}, event="PreModel")], "PreModel", {}, cwd="/w"))
    assert turn.refusal("sh") != ""
    turn.begin(run_hooks([], "PreModel", {}, cwd="/w"))
    assert turn.refusal("sh") == ""


def test_plan_first_allows_no_tool_at_step_zero_and_all_after_it() -> None:
    first, later = (STRATEGIES["plan-first"]({"step": step}, ["read"]) for step in (0, 1))

    assert (first.tools, bool(first.then), later.tools) == ((), True, None)


def test_explore_then_act_allows_reading_for_six_steps() -> None:
    early, late = (STRATEGIES["explore-then-act"]({"step": step}, ["read"]) for step in (5, EXPLORED_STEPS))

    assert (early.tools, late.tools) == (("read",), None)


def test_a_strategy_of_amness_and_one_of_a_plugin_leave_what_both_allow() -> None:
    said = run_hooks([hooked({"tools": ["read", "sh"]}, event="PreModel")], "PreModel", {}, cwd="/w")

    assert add_strategy(said, STRATEGIES["explore-then-act"]({"step": 0}, ["read", "list"])).tools == ("read",)


def policed(*answers: Any, **more: Any) -> Loaded:
    return loaded(*answers, has="policy", **more)


@pytest.mark.parametrize(
    ("answers", "action"),
    [
        pytest.param([None], None, id="no opinion"),
        pytest.param(["allow"], Action.ALLOW, id="allow"),
        pytest.param([{"action": "ask"}], Action.ASK, id="an object"),
        pytest.param(["allow", "ask"], Action.ASK, id="ask beats allow"),
        pytest.param(["deny", "ask", "allow"], Action.DENY, id="deny beats all"),
        pytest.param([None, "allow"], Action.ALLOW, id="nothing is no opinion"),
        pytest.param([THROWN, "allow"], Action.ASK, id="a broken policy asks"),
        pytest.param(["maybe"], Action.ASK, id="an unknown word is broken"),
        pytest.param([{"action": 1}], Action.ASK, id="an unknown action is broken"),
        pytest.param([["allow"]], Action.ASK, id="a list is broken"),
    ],
)
def test_the_strongest_policy_wins(answers: list[object], action: Action | None) -> None:
    plugins = [policed(answer, name=f"p{number}") for number, answer in enumerate(answers)]

    assert ask_policies(plugins, "sh", {}, cwd="/w").action is action


@pytest.mark.parametrize("answer", [THROWN, "maybe", 3])
def test_a_broken_policy_that_fails_closed_denies(answer: object) -> None:
    opinion = ask_policies([policed(answer, fail_closed=True)], "sh", {}, cwd="/w")

    assert (opinion.action, len(opinion.warnings)) == (Action.DENY, 1)


@pytest.mark.parametrize(
    ("said", "own", "floor", "becomes"),
    [
        pytest.param("allow", "ask", False, "allow", id="allow skips an ordinary question"),
        pytest.param("allow", "ask", True, "ask", id="allow never skips one of the safety floor"),
        pytest.param("allow", "deny", False, "deny", id="allow never lifts a denial"),
        pytest.param("deny", "allow", False, "deny", id="deny stops the call"),
        pytest.param("deny", "ask", True, "deny", id="deny tightens the floor"),
        pytest.param("ask", "allow", False, "ask", id="ask asks"),
        pytest.param("ask", "deny", False, "deny", id="a denial stands"),
        pytest.param(None, "allow", False, "allow", id="no opinion leaves it"),
        pytest.param(None, "ask", True, "ask", id="no opinion leaves the floor"),
    ],
)
def test_a_policy_can_tighten_and_never_loosens_the_floor(
    said: str | None, own: str, floor: bool, becomes: str
) -> None:
    opinion = ask_policies([policed(said)], "sh", {}, cwd="/w")

    assert judge(opinion, Action(own), floor=floor).action is Action(becomes)


def test_the_agent_is_told_of_a_denial() -> None:
    opinion = ask_policies([policed({"action": "deny", "reason": "no curl"})], "sh", {"cmd": "curl"}, cwd="/w")

    assert judge(opinion, Action.ASK, floor=True).text.startswith("DENIED: no curl\n")


def gated(*answers: Any, most: object = None, **more: Any) -> Loaded:
    return loaded(*answers, gates=(Item(0, "g", {"maxRejections": most}),), **more)


def _never(plugin: Loaded, part: str) -> Any:
    raise AssertionError("nothing is asked")


def finish(gates: Gates, *plugins: Loaded, task: str = "t") -> Any:
    return gates.check(plugins, {"task": task, "summary": "s"}, cwd="/w", asked=lambda plugin, part: _never)


FAILS = {"pass": False, "findings": ["one", "two"]}


def test_a_gate_rejects_with_its_findings() -> None:
    assert finish(Gates(), gated(FAILS)).rejected == (
        'REJECTED by a hook: gate "g" (plugin p) found problems:\n- one\n- two'
    )


@pytest.mark.parametrize(
    ("most", "rejections"),
    [
        pytest.param(None, MAX_REJECTIONS, id="two by default"),
        pytest.param(0, 0, id="none"),
        pytest.param(3, 3, id="as the gate says"),
        pytest.param(-1, MAX_REJECTIONS, id="a negative number is none"),
        pytest.param(True, MAX_REJECTIONS, id="a boolean is none"),
    ],
)
def test_a_gate_rejects_one_task_so_often_and_then_lets_it_finish(most: object, rejections: int) -> None:
    gates, plugin = Gates(), gated(FAILS, most=most)
    found = [finish(gates, plugin) for _ in range(rejections + 1)]

    assert [bool(one.rejected) for one in found] == [True] * rejections + [False]
    assert found[-1].warnings == ['finishing despite gate "g" (plugin p): one; two']
    assert plugin.process.calls[-1][1]["ctx"]["rejections"] == rejections


def test_the_count_of_a_gate_begins_anew_with_another_task() -> None:
    gates, plugin = Gates(), gated(FAILS, most=1)
    found = [finish(gates, plugin, task=task) for task in ("a", "a", "b")]

    assert [bool(one.rejected) for one in found] == [True, False, True]


def test_a_gate_that_throws_warns_and_passes_and_one_without_a_verdict_rejects() -> None:
    outcome = finish(Gates(), gated(THROWN))
    assert (outcome.rejected, outcome.warnings) == ("", ['plugin p: its gate "g" failed: boom'])
    assert finish(Gates(), gated("odd")).rejected != ""


def test_a_gate_gets_what_is_documented_and_no_more() -> None:
    plugin = gated({"pass": True, "findings": []})
    ctx = {"task": "t", "summary": "s", "changed": ["a"], "testsAfterLastEdit": None, "notes": "n", "secret": "x"}
    Gates().check([plugin], ctx, cwd="/w", asked=lambda plugin, part: _never)

    given = plugin.process.calls[0][1]["ctx"]
    assert given == {"task": "t", "summary": "s", "changed": ["a"], "notes": "n", "cwd": "/w", "rejections": 0}


def test_the_system_prompt_passes_through_every_plugin_in_load_order() -> None:
    one, two = loaded("base+1", has="system", name="a"), loaded("base+1+2", has="system", name="b")
    made = build_system([one, loaded(THROWN, has="system", name="x"), two], "base", cwd="/w")

    assert made.value == "base+1+2"
    assert two.process.calls[0][1]["base"] == "base+1"
    assert made.warnings == ("plugin x: its `system` failed: boom",)


@pytest.mark.parametrize(
    ("answer", "kept", "warns"),
    [
        pytest.param(None, True, False, id="nothing keeps the list"),
        pytest.param([], True, False, id="an empty list is ignored"),
        pytest.param(THROWN, True, True, id="a function that throws is ignored"),
        pytest.param("text", True, True, id="no list is ignored"),
        pytest.param([{"role": "user"}], False, False, id="a new list replaces it"),
    ],
)
def test_a_context_strategy(answer: object, kept: bool, warns: bool) -> None:
    made = build_messages([loaded(answer, has="context")], [1, 2], {"step": 0})

    assert (made.value == [1, 2], bool(made.warnings)) == (kept, warns)


def test_context_strategies_run_in_load_order_on_each_other() -> None:
    one, two = loaded([1], has="context", name="a"), loaded(None, has="context", name="b")

    assert build_messages([one, two], [1, 2], {}).value == [1]
    assert two.process.calls[0][1]["messages"] == [1]


@pytest.mark.parametrize(
    ("answers", "known", "model", "warns"),
    [
        pytest.param([None, "m"], None, "m", 0, id="the first that is not empty"),
        pytest.param(["", "m"], None, "m", 0, id="an empty name is none"),
        pytest.param([THROWN], None, None, 1, id="a function that throws leaves the default"),
        pytest.param(["other"], ["m"], None, 1, id="a model of another provider is none"),
        pytest.param([5], None, None, 1, id="a number is no name"),
    ],
)
def test_routing(answers: list[object], known: list[str] | None, model: str | None, warns: int) -> None:
    plugins = [loaded(answer, has="route", name=f"p{number}") for number, answer in enumerate(answers)]
    made = choose_model(plugins, {}, known=known)

    assert (made.value, len(made.warnings)) == (model, warns)


@pytest.mark.parametrize(
    ("answer", "lines"),
    [
        pytest.param("main", ["p: main"], id="a line"),
        pytest.param("x" * 100, [f"p: {'x' * MAX_STATUS}"], id="cut at sixty"),
        pytest.param("two\nlines", ["p: two lines"], id="one line alone"),
        pytest.param(None, [], id="nothing"),
        pytest.param(THROWN, [], id="one that throws is left out"),
        pytest.param({"a": 1}, [], id="no text"),
    ],
)
def test_a_status_line(answer: object, lines: list[str]) -> None:
    assert StatusLines().lines([loaded(answer, has="status")], cwd="/w", running=False) == lines


def test_a_status_line_is_kept_for_a_second() -> None:
    now = [0.0]
    status, plugin = StatusLines(clock=lambda: now[0]), loaded("a", "b", has="status")
    seen = []
    for at in (0.0, 0.9, 1.1):
        now[0] = at
        seen += status.lines([plugin], cwd="/w", running=False)

    assert seen == ["p: a", "p: a", "p: b"]
    assert len(plugin.process.calls) == 2


TOOL = Item(0, "note", {"schema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}})


@pytest.mark.parametrize(
    ("args", "answer", "text", "failed"),
    [
        pytest.param({"n": 1}, "done", "done", False, id="text"),
        pytest.param({"n": 1}, {"a": 1}, '{"a": 1}', False, id="an object as JSON"),
        pytest.param({"n": 1}, THROWN, "ERROR: boom", True, id="a tool that throws is an error as text"),
        pytest.param({}, "done", "ERROR: the arguments of note don't fit its schema: `n` is missing", True, id="no"),
    ],
)
def test_a_tool_gives_text(args: dict[str, object], answer: object, text: str, failed: bool) -> None:
    plugin = loaded(answer, tools=(TOOL,))
    result = call_tool(find_tools([plugin]).offered["note"], args, cwd="/w")

    assert (result.text, result.failed) == (text, failed)


def test_a_tool_whose_name_is_taken_is_passed_over() -> None:
    plugins = [loaded(tools=(TOOL, Item(1, "sh", {}))), loaded(tools=(TOOL,), name="q")]
    offers = find_tools(plugins)

    assert {name: one.plugin.name for name, one in offers.offered.items()} == {"note": "p"}
    assert len(offers.warnings) == 2


def test_commands_of_amness_and_of_the_project_win() -> None:
    items = tuple(Item(number, name, {}) for number, name in enumerate(("plugins", "mine", "other")))
    offers = find_commands([loaded(commands=items)], ["mine"])

    assert list(offers.offered) == ["other"]


def test_a_command_that_fails_is_told_and_breaks_nothing() -> None:
    plugin = loaded(THROWN, commands=(Item(0, "go", {}),))
    offered = find_commands([plugin], []).offered["go"]

    assert run_command(offered, "", cwd="/w", asked=lambda plugin, part: _never).text == "plugin p: /go failed: boom"


def test_the_first_memory_wins() -> None:
    plugins = [loaded(name="a"), loaded(has="memory", name="b"), loaded(has="memory", name="c")]

    found = find_memory(plugins)
    assert found is not None
    assert found.name == "b"


@pytest.mark.parametrize(
    ("method", "args", "answer", "value", "failed"),
    [
        pytest.param("list", [], [{"name": "n"}], [{"name": "n"}], False, id="list"),
        pytest.param("list", [], None, [], False, id="nothing is no note"),
        pytest.param("list", [], "text", [], True, id="something else"),
        pytest.param("forget", ["n"], True, True, False, id="forget"),
        pytest.param("search", ["q", 5], THROWN, [], True, id="a search that throws"),
        pytest.param("context", ["task"], "## Notes", "## Notes", False, id="context"),
        pytest.param("delta", ["text", []], None, "", False, id="delta"),
        pytest.param("endTurn", [True], None, None, False, id="the end of a turn"),
        pytest.param("save", [{"name": "n"}], None, None, True, id="a note without its parts"),
        pytest.param(
            "save",
            [{"name": "n", "type": "t", "description": "d", "content": "c"}],
            {"name": "n"},
            {"name": "n"},
            False,
            id="save",
        ),
    ],
)
def test_a_method_of_a_memory(method: str, args: list[object], answer: object, value: object, failed: bool) -> None:
    found = call_memory(loaded(answer, has="memory"), method, args)

    assert (found.value, found.failed, bool(found.warnings)) == (value, failed, failed)


@pytest.mark.parametrize("answer", [None, "1", True, THROWN, float("nan"), float("inf")])
def test_a_metric_that_is_no_finite_number_is_left_out(answer: object) -> None:
    measured = measure([loaded(answer, has="metrics.m")], {})

    assert (measured.values, len(measured.warnings)) == ({}, 1)


def test_a_metric_is_named_by_its_plugin() -> None:
    assert measure([loaded(2.5, has="metrics.m")], {}).values == {"p:m": 2.5}


@pytest.mark.parametrize(
    ("answer", "score", "note"),
    [
        pytest.param(0.5, 0.5, "", id="a number"),
        pytest.param(True, 1.0, "", id="a boolean"),
        pytest.param({"score": 0, "note": "bad"}, 0.0, "bad", id="with a note"),
    ],
)
def test_a_grader_scores_a_session(answer: object, score: float, note: str) -> None:
    scores, warnings = grade([loaded(answer, has="graders.g")], {})

    assert [(one.grader, one.score, one.note) for one in scores] == [("p:g", score, note)]
    assert warnings == []


@pytest.mark.parametrize(
    ("answer", "warns"), [(None, 0), (1.5, 1), (-0.1, 1), ("good", 1), ({"note": "x"}, 1), (THROWN, 1)]
)
def test_a_session_without_a_score(answer: object, warns: int) -> None:
    scores, warnings = grade([loaded(answer, has="graders.g")], {})

    assert (scores, len(warnings)) == ([], warns)
