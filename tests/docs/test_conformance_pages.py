"""The pages on how amber's and Amness's documentation is kept name tests that exist, and leave nothing for later."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
REFERENCE = TESTS.parent / "docs" / "reference"
PAGES = [
    pytest.param((REFERENCE / f"conformance-{name}.md").read_text(encoding="utf-8"), id=name)
    for name in ("amber", "amness")
]
NAMED = re.compile(r"`([\w/-]+\.py)::(test_\w+)`")
LATER = re.compile(r"not implemented|to ?do\b|not yet|later version", re.IGNORECASE)


@cache
def _tests_of(file: str) -> frozenset[str]:
    path = TESTS / file.removeprefix("tests/")
    if not path.is_file():
        return frozenset()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("page", PAGES)
def test_every_test_that_a_page_names_exists(page: str) -> None:
    named = NAMED.findall(page)
    assert named
    assert [f"{file}::{name}" for file, name in named if name not in _tests_of(file)] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_row_of_a_table_names_a_test(page: str) -> None:
    rows = [row for row in page.splitlines() if row.startswith("| ")]
    heads = {rows[number] for number, row in enumerate(rows) if number == 0 or row.rstrip().endswith("| test |")}
    assert [row for row in rows if row not in heads and not NAMED.search(row)] == []


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_left_for_later(page: str) -> None:
    assert LATER.search(page) is None
