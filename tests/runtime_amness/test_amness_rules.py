"""The documented rules of hooks, strategies, policies and gates, with plugins that answer what the test says."""

from __future__ import annotations

from typing import Any

import pytest

from plugseal.runtime.amness.description import MAX_REJECTIONS, Item
from plugseal.runtime.amness.gates import Gates
from plugseal.runtime.amness.hooks import CLIPPED, build_payload, run_hooks
from plugseal.runtime.amness.loaded import Loaded
from plugseal.runtime.amness.policy import Action, ask_policies, judge
from plugseal.runtime.amness.strategies import EXPLORED_STEPS, STRATEGIES, Turn, add_strategy
from tests.amness_told import THROWN, loaded

_RETRY = "Do not retry the same call; choose another approach or explain what you could not do."


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
