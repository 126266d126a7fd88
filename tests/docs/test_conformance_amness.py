"""The page on how Amness's documentation is kept names tests that exist, and leaves nothing for later."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "reference" / "conformance-amness.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`([\w/-]+\.py)::(test_\w+)`")
LATER = re.compile(r"not implemented|to ?do\b|not yet|later version", re.IGNORECASE)


@cache
def _tests_of(file: str) -> frozenset[str]:
    path = TESTS / file.removeprefix("tests/")
    if not path.is_file():
        return frozenset()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def test_every_test_that_a_page_names_exists() -> None:
    named = NAMED.findall(PAGE)
    assert named
    assert [f"{file}::{name}" for file, name in named if name not in _tests_of(file)] == []


def test_every_row_of_a_table_names_a_test() -> None:
    rows = [row for row in PAGE.splitlines() if row.startswith("| ")]
    heads = {rows[number] for number, row in enumerate(rows) if number == 0 or row.rstrip().endswith("| test |")}
    assert [row for row in rows if row not in heads and not NAMED.search(row)] == []


def test_nothing_is_left_for_later() -> None:
    assert LATER.search(PAGE) is None
