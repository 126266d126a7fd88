"""lingtai's registry: the bytes of a record, its validator, and what a boot prunes and appends."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugseal.systems.lingtai.registry import build_line, build_record, check_record, plan_registry

STDIO: dict[str, Any] = {
    "type": "stdio",
    "command": "python3",
    "args": ["/p/server.py"],
    "cwd": "/p",
    "env": {"A": "1"},
}


def _record(server: str = "greeter", plugin: str = "alpha", **spec: Any) -> dict[str, object]:
    record, why = build_record(plugin, server, STDIO | spec)
    assert record is not None, why
    return record


def test_a_record_of_stdio_has_these_bytes() -> None:
    assert build_line(_record()) == (
        '{"name": "greeter", "summary": "greeter: MCP server provided by Agent Plugin alpha", "transport": "stdio", '
        '"source": "plugin:alpha", "command": "python3", "args": ["/p/server.py"], "cwd": "/p", "env": {"A": "1"}}'
    )


@pytest.mark.parametrize("kind", ["streamable-http", "sse"])
def test_a_record_of_a_url_has_these_bytes(kind: str) -> None:
    record, _ = build_record("alpha", "docs", {"type": kind, "url": "https://a.invalid/", "headers": {"X": "é"}})
    assert record is not None
    assert build_line(record) == (
        '{"name": "docs", "summary": "docs: MCP server provided by Agent Plugin alpha", "transport": "http", '
        '"source": "plugin:alpha", "url": "https://a.invalid/", "headers": {"X": "é"}}'
    )


def test_empty_fields_are_left_out_but_arguments() -> None:
    record, _ = build_record("alpha", "s", {"type": "stdio", "command": "x", "cwd": "", "env": {}})
    assert record is not None
    assert list(record) == ["name", "summary", "transport", "source", "command", "args"]
    assert record["args"] == []


def test_a_long_summary_is_cut_to_200_with_its_end_marked() -> None:
    record, _ = build_record("p" * 300, "s", STDIO)
    assert record is not None
    summary = str(record["summary"])
    assert len(summary) == 200
    assert summary.endswith("p…")


@pytest.mark.parametrize(
    ("name", "valid"),
    [
        pytest.param("greeter", True, id="ordinary"),
        pytest.param("a", True, id="one letter"),
        pytest.param("a" * 31, True, id="31"),
        pytest.param("a" * 32, False, id="32"),
        pytest.param("a_b-3", True, id="underscore, hyphen, digit"),
        pytest.param("Greeter", False, id="upper case"),
        pytest.param("3d", False, id="leading digit"),
        pytest.param("-a", False, id="leading hyphen"),
        pytest.param("a.b", False, id="dot"),
        pytest.param("", False, id="empty"),
        pytest.param("a\n", True, id="final newline passes there"),
    ],
)
def test_a_name_of_a_record_is_valid_or_not(name: str, valid: bool) -> None:
    record, why = build_record("alpha", name, STDIO)
    assert (record is not None) == valid
    assert valid or "invalid name" in why


VALID = {"name": "a", "summary": "s", "transport": "stdio", "source": "human", "command": "x"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        pytest.param({}, "", id="valid"),
        pytest.param({"name": 1}, "non-string field: name", id="name number"),
        pytest.param({"summary": ""}, "empty field: summary", id="no summary"),
        pytest.param({"summary": "s" * 200}, "", id="summary of 200"),
        pytest.param({"summary": "s" * 201}, "summary too long (201 > 200 chars)", id="summary of 201"),
        pytest.param({"transport": "sse"}, "invalid transport 'sse'", id="transport"),
        pytest.param({"command": None}, "requires field 'command'", id="no command"),
        pytest.param({"args": "x"}, "requires field 'args'", id="args text"),
        pytest.param({"transport": "http"}, "requires field 'url'", id="http without url"),
        pytest.param({"transport": "http", "url": "u"}, "", id="http"),
        pytest.param({"source": ""}, "empty field: source", id="no source"),
        pytest.param({"homepage": ""}, "homepage must be", id="empty homepage"),
        pytest.param({"homepage": "h", "unknown": 1}, "", id="further keys"),
    ],
)
def test_the_validator_says_what_is_wrong(change: dict[str, object], why: str) -> None:
    assert why in check_record(VALID | change)
    assert bool(check_record(VALID | change)) == bool(why)


def test_three_boots_leave_one_line() -> None:
    lines: tuple[str, ...] = ()
    for _ in range(3):
        lines = plan_registry([_record()], lines).lines
    assert len(lines) == 1


def test_a_changed_command_replaces_its_line() -> None:
    first = plan_registry([_record()], ())
    second = plan_registry([_record(command="node")], first.lines)
    assert (second.pruned, len(second.appended), len(second.lines)) == (("greeter",), 1, 1)
    assert '"command": "node"' in second.lines[0]


def test_what_is_no_longer_declared_is_pruned() -> None:
    plan = plan_registry([_record("a")], plan_registry([_record("a"), _record("b")], ()).lines)
    assert (plan.pruned, plan.appended) == (("b",), ())
    assert len(plan.lines) == 1


def test_foreign_blank_and_broken_lines_stay_as_they_are() -> None:
    lines = ("", json.dumps(VALID), "{broken", '["list"]', "  ", '{"source": "catalog"}', '{"name": "x", "source": 1}')
    plan = plan_registry([], lines)
    assert (plan.kept, plan.pruned) == (lines, ())


def test_a_plugin_line_without_a_name_goes_without_being_named() -> None:
    plan = plan_registry([], ('{"source": "plugin:alpha"}',))
    assert (plan.kept, plan.pruned) == ((), ())


def test_a_name_that_somebody_else_owns_is_skipped_and_theirs_survives() -> None:
    owned = json.dumps(VALID | {"name": "greeter"})
    plan = plan_registry([_record()], (owned,))
    assert plan.lines == (owned,)
    [(component, reason)] = plan.skipped
    assert component == "mcp:greeter"
    assert "name already registered by 'human'" in reason


def test_an_invalid_line_owns_no_name() -> None:
    plan = plan_registry([_record()], (json.dumps(VALID | {"name": "greeter", "summary": ""}),))
    assert len(plan.appended) == 1


def test_the_first_plugin_of_a_name_wins() -> None:
    plan = plan_registry([_record(), _record(plugin="beta")], ())
    assert len(plan.appended) == 1
    assert '"source": "plugin:alpha"' in plan.appended[0]


def test_the_order_is_that_of_the_declaration() -> None:
    plan = plan_registry([_record("b"), _record("a")], ())
    assert [json.loads(line)["name"] for line in plan.appended] == ["b", "a"]


LINES = st.sampled_from(
    ["", "{", json.dumps(VALID), build_line(_record()), build_line(_record("b")), build_line(_record(command="z"))]
)
RECORDS = st.sampled_from([_record(), _record("b"), _record("c", plugin="beta"), _record(plugin="beta")])


@given(records=st.lists(RECORDS, max_size=4), lines=st.lists(LINES, max_size=6))
def test_a_second_boot_changes_nothing(records: list[dict[str, object]], lines: list[str]) -> None:
    once = plan_registry(records, lines)
    twice = plan_registry(records, once.lines)
    assert (twice.pruned, twice.appended, twice.lines) == ((), (), once.lines)
