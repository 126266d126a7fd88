"""A file is one thing and a function is one thing: both stay small."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAX_FILE_LINES = 400
WISHED_FILE_LINES = 300
MAX_FUNCTION_LINES = 50


def files_of(root: Path) -> list[Path]:
    return sorted([*(root / "src").rglob("*.py"), *(root / "tests").rglob("*.py")])


def violations(root: Path) -> list[str]:
    """Return every file and function that is too long, as `file:line: what`."""
    found = []
    for path in files_of(root):
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(root).as_posix()
        lines = text.count("\n") + 1
        if lines > MAX_FILE_LINES:
            found.append(f"{name}:1: {lines} lines")
        found += [f"{name}:{line}: {what}" for line, what in _long_functions(ast.parse(text, name))]
    return found


def _long_functions(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > MAX_FUNCTION_LINES:
                yield node.lineno, f"`{node.name}` has {lines} lines"


def test_files_and_functions_are_short(capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        for path in files_of(ROOT):
            lines = len(path.read_text(encoding="utf-8").splitlines())
            if WISHED_FILE_LINES < lines <= MAX_FILE_LINES:
                print(f"\nover {WISHED_FILE_LINES} lines: {path.relative_to(ROOT)} ({lines})", end="")

    assert violations(ROOT) == []


def test_a_long_file_is_seen(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "x.py").write_text("x = 1\n" * MAX_FILE_LINES)

    assert violations(tmp_path) == ["src/x.py:1: 401 lines"]


def test_a_long_function_is_seen(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "x.py").write_text("class A:\n    def f(self):\n" + "        x = 1\n" * MAX_FUNCTION_LINES)

    assert violations(tmp_path) == ["tests/x.py:2: `f` has 51 lines"]


def test_what_is_just_short_enough_is_none(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    body = "def f():\n" + "    x = 1\n" * (MAX_FUNCTION_LINES - 1)
    (tmp_path / "src" / "x.py").write_text(body + "\n" * (MAX_FILE_LINES - MAX_FUNCTION_LINES - 1))

    assert violations(tmp_path) == []
