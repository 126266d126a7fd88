"""Whatever a plugin answers is an envelope of a bounded size; whatever a model gives as a path stays inside."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plugseal.runtime.amber.confine import OutsideError, confine
from plugseal.runtime.amber.envelope import MAX_RESULT_BYTES, MalformedError, parse_result
from plugseal.runtime.amber.schemas import json_schema, summary
from plugseal.runtime.amber.settings import parse_value

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
JSON = st.recursive(
    LEAVES, lambda below: st.lists(below, max_size=4) | st.dictionaries(TEXT, below, max_size=4), max_leaves=12
)
PIECES = st.lists(
    st.sampled_from(["..", ".", "a", "out", "in", "/", "~", "\\", "", "etc", "%2e%2e", "file:", "\0", " "]), max_size=8
)
NAMES = st.sampled_from(["path", "file", "outputDir", "log_path", "files", "cwd"])


@settings(max_examples=300, deadline=None)
@given(
    st.fixed_dictionaries({}, optional={"result": JSON, "error": JSON})
    | st.fixed_dictionaries({"result": st.dictionaries(st.sampled_from(["ok", "output", "meta", "error"]), JSON)})
)
def test_any_answer_is_an_envelope_or_told_as_malformed(body: dict[str, Any]) -> None:
    try:
        found = parse_result(body)
    except MalformedError:
        return
    assert isinstance(found.ok, bool)
    json.dumps(found.body)


@settings(max_examples=60, deadline=None)
@given(st.booleans(), st.sampled_from(["a", "é", "日", "😀"]), st.integers(0, 70_000), st.integers(0, 20_000))
def test_no_result_is_larger_than_allowed(ok: bool, character: str, length: int, meta: int) -> None:
    found = parse_result({"result": {"ok": ok, "output": character * length, "meta": {"x": "y" * meta}}})
    size = len(found.output.encode()) + len(json.dumps(found.meta, ensure_ascii=False).encode())
    assert size <= MAX_RESULT_BYTES
    if len((character * length).encode()) + meta < MAX_RESULT_BYTES - 20_000:
        assert found.output == character * length


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> str:
    root = tmp_path_factory.mktemp("ws")
    (root / "in").mkdir()
    (root / "out").symlink_to("/")
    (root / "a").symlink_to("in")
    return os.path.realpath(root)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(NAMES, PIECES.map("".join) | PIECES.map("/".join) | TEXT)
def test_a_path_that_passes_lies_in_the_workspace(workspace: str, name: str, value: str) -> None:
    try:
        seen = confine({name: [value] if name == "files" else value}, {}, workspace)[name]
    except OutsideError:
        return
    path = seen[0] if name == "files" else seen
    assert path == os.path.realpath(path)
    assert Path(path).is_relative_to(workspace)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(TEXT, JSON, max_size=4))
def test_any_arguments_are_told_and_numbers_stay(arguments: dict[str, Any]) -> None:
    try:
        seen = confine(arguments, {}, "/nowhere/at/all")
    except OutsideError:
        return
    assert set(seen) == set(arguments)


@settings(max_examples=300, deadline=None)
@given(JSON)
def test_any_schema_becomes_one_of_an_object(declared: Any) -> None:
    schema = json_schema(declared)
    assert schema["type"] == "object"
    assert isinstance(summary(schema), str)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=20), st.sampled_from(["x", 1, 1.5, True]))
def test_any_value_of_a_setting_has_the_type_of_its_default_or_is_refused(text: str, default: Any) -> None:
    value = parse_value(text, default)
    if value is None:
        return
    assert isinstance(value, bool) == isinstance(default, bool)
    assert isinstance(value, str) == isinstance(default, str)
    json.dumps(value, allow_nan=False)
