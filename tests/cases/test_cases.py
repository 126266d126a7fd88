"""The public cases: each is built out of `fixtures/cases/` and put to the product, check by check.

A case that a later part will bring stands in `LATER` with the part that it waits for, and must fail until then: the
day it passes, its line goes.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cases import adapter
from tests.materialise import materialise

_HERE = Path(__file__).resolve()
_FIXTURES = _HERE.parents[2] / "fixtures" / "cases"


LATER: dict[str, str] = {}


def _cases() -> list[object]:
    found: list[object] = []
    for path in sorted(_FIXTURES.glob("*.json")):
        reason = LATER.get(path.stem.partition("-")[0])
        marks = [pytest.mark.xfail(strict=True, reason=f"waits for {reason}")] if reason else []
        found.append(pytest.param(path, id=path.stem, marks=marks))
    return found


@pytest.mark.parametrize("path", _cases())
def test_a_public_case_holds(path: Path, tmp_path: Path) -> None:
    description = json.loads(path.read_text("ascii"))
    case = adapter.Case(materialise(path, tmp_path / description["id"]))
    for check in description["checks"]:
        adapter.run_check(case, check)


def test_a_scan_runs_nothing_that_a_tree_would_run_by_itself(tmp_path: Path) -> None:
    path = _FIXTURES / "RT11-scanning-never-executes.json"
    marks = [check for check in json.loads(path.read_text("ascii"))["checks"] if check["op"] == "path_absent"]
    case = adapter.Case(materialise(path, tmp_path / "case"))
    assert marks
    for check in marks:
        adapter.run_check(case, check)


def test_every_rule_that_the_adapter_names_exists() -> None:
    named = set().union(*adapter.RULES.values())
    assert named <= {path.stem for path in (_HERE.parents[2] / "rules").rglob("*.toml")}


def test_every_case_that_waits_exists() -> None:
    assert {path.stem.partition("-")[0] for path in _FIXTURES.glob("*.json")} >= set(LATER)
