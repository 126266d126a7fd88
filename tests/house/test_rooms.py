"""The rooms of a language's reader stand in an order, and each uses only those before it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

LANG = Path(__file__).parents[2] / "src" / "plugseal" / "lang"
ORDER = {
    "python": ("parsing", "collecting", "resolving", "choosing", "judging", "linking"),
    "ecmascript": (
        "parsing",
        "erasing",
        "collecting",
        "resolving",
        "choosing",
        "judging",
        "exporting",
        "linking",
    ),
    "shell": ("parsing", "words", "judging"),
}


def _used(path: Path, language: str) -> Iterator[str]:
    """Yield the rooms of the same language that a file imports from, for types alone too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"plugseal.lang.{language}."):
            yield (node.module or "").split(".")[3]


@pytest.mark.parametrize("language", ORDER)
def test_a_room_uses_those_before_it_alone(language: str) -> None:
    rooms, wrong = ORDER[language], []
    for number, room in enumerate(rooms):
        later = frozenset((*rooms[number + 1 :], "reader", "analysis"))
        for path in sorted((LANG / language / room).glob("*.py")):
            wrong += [f"{path.name} of {room} uses {used}" for used in _used(path, language) if used in later]
    assert not wrong


@pytest.mark.parametrize("language", ORDER)
def test_only_doors_and_tables_stand_outside_the_rooms(language: str) -> None:
    outside = {path.name for path in (LANG / language).glob("*.py")}
    assert outside <= {"__init__.py", "reader.py", "analysis.py", "tables.py", "table_rule.py", "bandit.py"}
