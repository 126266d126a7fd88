"""The documented rules of texts, tools, memories and measures, with plugins that answer what the test says."""

from __future__ import annotations

from typing import Any

import pytest

from plugseal.runtime.amness.description import Item
from plugseal.runtime.amness.loaded import Loaded
from plugseal.runtime.amness.measures import grade, measure
from plugseal.runtime.amness.memory import call_memory, find_memory
from plugseal.runtime.amness.texts import MAX_STATUS, StatusLines, build_messages, build_system, choose_model
from plugseal.runtime.amness.tools import call_tool, find_commands, find_tools, run_command
from tests.amness_told import THROWN, loaded


def _never(plugin: Loaded, part: str) -> Any:
    raise AssertionError("nothing is asked")


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
def test_the_first_known_model_that_is_named_is_taken(
    answers: list[object], known: list[str] | None, model: str | None, warns: int
) -> None:
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
