"""The page on how Codewhale's documentation is kept names tests that exist, in every row, and leaves nothing open."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "reference" / "conformance-codewhale.md").read_text(encoding="utf-8")
_NAMED = re.compile(r"`([\w/-]+\.py)::(test_\w+)`")
_LATER = re.compile(r"not implemented|to ?do\b|not yet|later version", re.IGNORECASE)


@cache
def _tests_of(file: str) -> frozenset[str]:
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def test_every_test_that_the_page_names_is_there() -> None:
    assert [f"{file}::{name}" for file, name in _NAMED.findall(PAGE) if name not in _tests_of(file)] == []


def test_every_row_names_a_test_and_nothing_is_left_open() -> None:
    rows = [row for row in PAGE.splitlines() if row.startswith("|") and not row.endswith(("| test |", "|---|"))]
    assert len(rows) > 50
    assert [row for row in rows if not _NAMED.search(row)] == []
    assert _LATER.search(PAGE) is None
