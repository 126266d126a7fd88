"""The rooms of a language's reader, and those that all plugin systems share, stand in an order that imports keep."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

LANG = Path(__file__).parents[2] / "src" / "plugseal" / "lang"
SYSTEMS = LANG.parent / "systems"
SHARED = ("launching", "reading", "components")
INTERFACES = frozenset({"system", "surface"})
"""What every system fits: the shared rooms may name it."""
LISTS = frozenset({"__init__", "registry", "surface_rows", "homes", "views", "wanted"})
"""What is said of all systems at once, in files beside the rooms."""
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


BORROWERS = {
    "scripts": frozenset({"shell", "powershell", "recipes"}),  # a shell's report; lists of packages are recipes
    "powershell": frozenset({"shell"}),
    "batch": frozenset({"shell", "powershell"}),
    "recipes": frozenset({"python", "shell"}),  # node-gyp's files are literals of Python
}
"""Languages that use the rooms of others; each with those of which it does."""
LANGUAGES = (
    "python",
    "ecmascript",
    "shell",
    "scripts",
    "powershell",
    "batch",
    "prose",
    "recipes",
    "sql",
    "native",
    "applescript",
)


def _used(path: Path, package: str) -> Iterator[str]:
    """Yield the rooms and modules of a package that a file imports from, for types alone too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{package}."):
            yield (node.module or "").removeprefix(f"{package}.").split(".")[0]


@pytest.mark.parametrize("language", ORDER)
def test_a_room_uses_those_before_it_alone(language: str) -> None:
    rooms, wrong, package = ORDER[language], [], f"plugseal.lang.{language}"
    for number, room in enumerate(rooms):
        later = frozenset((*rooms[number + 1 :], "reader", "analysis"))
        for path in sorted((LANG / language / room).glob("*.py")):
            wrong += [f"{path.name} of {room} uses {used}" for used in _used(path, package) if used in later]
    assert not wrong


@pytest.mark.parametrize("language", ORDER)
def test_only_doors_and_tables_stand_outside_the_rooms(language: str) -> None:
    outside = {path.name for path in (LANG / language).glob("*.py")}
    assert outside <= {"__init__.py", "reader.py", "analysis.py", "tables.py", "table_rule.py", "bandit.py"}


@pytest.mark.parametrize("language", ["judging", *LANGUAGES])
def test_what_languages_share_stands_in_no_language(language: str) -> None:
    others = {*LANGUAGES} - {language, "prose", "sql"} - BORROWERS.get(language, frozenset())
    assert [
        f"{path.name} uses {used}"
        for path in sorted((LANG / language).rglob("*.py"))
        for used in _used(path, "plugseal.lang")
        if used in others
    ] == []


@pytest.mark.parametrize("room", SHARED)
def test_what_systems_share_knows_no_system(room: str) -> None:
    known = {*SHARED[: SHARED.index(room) + 1], *INTERFACES}
    assert [
        f"{path.name} uses {used}"
        for path in sorted((SYSTEMS / room).glob("*.py"))
        for used in _used(path, "plugseal.systems")
        if used not in known
    ] == []


def test_only_interfaces_and_lists_stand_outside_the_rooms_of_systems() -> None:
    assert {path.stem for path in SYSTEMS.glob("*.py")} == INTERFACES | LISTS
