"""Everything public says what it is, in a sentence."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def violations(root: Path) -> list[str]:
    """Return what has no docstring, or one whose first line is no sentence, as `file:line: what`."""
    found = []
    for path in sorted((root / "src").rglob("*.py")):
        name = path.relative_to(root).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"), name)
        found += [f"{name}:{line}: {what}" for line, what in _of_tree(tree)]
    for path in sorted((root / "tests").rglob("*.py")):
        name = path.relative_to(root).as_posix()
        found += [
            f"{name}:1: {fault}" for fault in _faults(ast.parse(path.read_text(encoding="utf-8"), name), "the file")
        ]
    return found


def _of_tree(tree: ast.Module) -> Iterator[tuple[int, str]]:
    yield from ((1, fault) for fault in _faults(tree, "the file"))
    for node in _public(tree):
        yield from ((node.lineno, fault) for fault in _faults(node, f"`{node.name}`"))


def _public(parent: ast.Module | ast.ClassDef) -> Iterator[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield public classes and functions, and the public methods of public classes."""
    for node in parent.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from _public(node)


def _faults(node: Documented, what: str) -> Iterator[str]:
    text = ast.get_docstring(node)
    if not text:
        yield f"{what} has no docstring"
        return
    first = text.splitlines()[0].strip()
    if not first.endswith((".", "?", ":")):
        yield f"the docstring of {what} does not begin with a sentence: {first!r}"


def test_everything_public_is_documented() -> None:
    assert violations(ROOT) == []


@pytest.mark.parametrize(
    ("code", "what"),
    [
        pytest.param("x = 1", "x.py:1: the file has no docstring", id="a file"),
        pytest.param('"""No full stop"""', "does not begin with a sentence", id="no sentence"),
        pytest.param('"""A file."""\ndef f(): ...', "x.py:2: `f` has no docstring", id="a function"),
        pytest.param('"""A file."""\nclass A: ...', "x.py:2: `A` has no docstring", id="a class"),
        pytest.param('"""A file."""\nclass A:\n    """Be."""\n    def f(self): ...', "x.py:4: `f` has", id="a method"),
        pytest.param('"""A file."""\nasync def f(): ...', "x.py:2: `f` has no docstring", id="an async function"),
    ],
)
def test_a_missing_docstring_is_seen(tmp_path: Path, code: str, what: str) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "x.py").write_text(code)

    found = violations(tmp_path)

    assert any(what in line for line in found), found


def test_what_is_private_may_be_silent(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "x.py").write_text('"""A file."""\ndef _f(): ...\nclass _A:\n    def g(self): ...')

    assert violations(tmp_path) == []


DOOR = re.compile(r"`([\w./]+\.(?:py|mjs))`")


def _rooms() -> list[Path]:
    return sorted(path.parent for path in (ROOT / "src" / "plugseal").rglob("*/__init__.py"))


@pytest.mark.parametrize("room", _rooms(), ids=lambda room: room.relative_to(ROOT / "src" / "plugseal").as_posix())
def test_a_room_says_where_to_begin_and_what_it_never_does(room: Path) -> None:
    text = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8"))) or ""
    named = DOOR.findall(text)

    assert [name for name in named if not any((base / name).exists() for base in (room, ROOT / "src/plugseal"))] == []
    assert re.search(r"\b(?:never|no|not|nor|nothing|none|nobody)\b", text, re.IGNORECASE)
