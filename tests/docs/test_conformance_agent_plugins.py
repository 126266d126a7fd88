"""The page on how Agent Plugins and lingtai's manual are kept names tests that exist, and leaves nothing for later."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "reference" / "conformance-agent-plugins.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`([\w/-]+\.py)::(test_\w+)`")
LATER = re.compile(r"not implemented|to ?do\b|not yet|later version", re.IGNORECASE)
UPSTREAM = 54
"""Lines of what lingtai's own tests say."""


@cache
def _tests_of(file: str) -> frozenset[str]:
    path = TESTS / file
    if not path.is_file():
        return frozenset()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def _rows() -> list[str]:
    rows = [row for row in PAGE.splitlines() if row.startswith("| ")]
    return [row for row in rows if not row.rstrip().endswith("| test |")]


def test_every_named_test_exists() -> None:
    named = NAMED.findall(PAGE)
    assert len(named) == len(_rows()) > 90
    assert [f"{file}::{name}" for file, name in named if name not in _tests_of(file)] == []


def test_every_row_names_a_test_and_nothing_is_left_for_later() -> None:
    assert [row for row in _rows() if not NAMED.search(row)] == []
    assert LATER.search(PAGE) is None


def test_each_of_lingtais_own_tests_is_restated() -> None:
    restated = PAGE.partition("## lingtai's own tests, restated\n")[2]
    numbers = {int(number) for row in re.findall(r"^\| ([0-9, ]+) ", restated, re.M) for number in row.split(", ")}
    assert numbers == set(range(1, UPSTREAM + 1))
