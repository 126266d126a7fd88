"""Read node-gyp's files: what configuring and building an addon start, and that native code comes of it.

A file is a table written in Python's syntax; it is parsed and never evaluated. `<!(line)` in any text of it gives the
line to a shell while the file is read, which an install does by itself.

See: https://gyp.gsrc.io/docs/InputFormatReference.md
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from plugseal.lang.folded import HOLE
from plugseal.lang.python.parsing.parse import parse_source
from plugseal.lang.recipes.arguments import is_builtin, shell_line, shown
from plugseal.lang.recipes.found import Found
from plugseal.lang.recipes.mapped import Mapped
from plugseal.model.location import Span
from plugseal.patterns import lazy

LANGUAGE: Final = "gyp"
_COMMAND: Final = lazy(r"[<>^]!@?\(")
_REFERENCE: Final = lazy(r"[<>^][@!]?\([^()]*\)|\$\([^()]*\)")
_PYTHON: Final = "pymod_do_main("
_OF_ACTIONS: Final = frozenset(("action_name", "rule_name", "postbuild_name", "inputs", "outputs"))
_MAX_NODES: Final = 100_000


def read_gyp(text: str, _path: str) -> Found:
    """Return what a file of node-gyp says.

    Args:
        text: with LF line ends.
    """
    found = Found(LANGUAGE)
    tree = parse_source(text)
    if isinstance(tree, str):
        found.lack(tree)
        return found
    table = _Table(text, found)
    for count, node in enumerate(ast.walk(tree)):
        if count > _MAX_NODES:
            found.lack("holds more than is read")
            break
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            table.take_text(node, node.value)
        elif isinstance(node, ast.Dict):
            table.take_table(node)
    return found


class _Table:
    """The tables of one file."""

    def __init__(self, text: str, found: Found) -> None:
        self._lines = text.split("\n")
        self._found = found

    def take_text(self, node: ast.Constant, text: str) -> None:
        """Take the lines that a text gives to a shell."""
        for match in _COMMAND.finditer(text):
            line = text[match.end() : _closing(text, match.end())]
            if line.startswith("["):
                line = shell_line(_listed(line))
            if line.startswith(_PYTHON):
                module = line[len(_PYTHON) :].split(" ")[0].rstrip(")")
                self._found.fact(self._span(node), "code.import", shown(module), "install")
                continue
            self._run(line, node, "<!()")
            program = next(iter(line.split()), "")
            self._found.fact(self._span(node), "process.shell", shown(program), "install")
            self._found.fact(self._span(node), "autorun", shown(program), "install")

    def take_table(self, node: ast.Dict) -> None:
        """Take an action of a table, and the native code that comes of a target."""
        entries = dict(_entries(node))
        action = entries.get("action")
        if action is not None and entries.keys() & _OF_ACTIONS:
            words = list(_words(action))
            if words:
                self._run(shell_line(words) if len(words) > 1 else words[0], action, "action")
                if is_builtin(words[0]):
                    self._found.fact(self._span(action), "process.exec", words[0], "install")
                self._found.fact(self._span(action), "autorun", shown(words[0]), "install")
        name, kind = entries.get("target_name"), entries.get("type")
        is_none = isinstance(kind, ast.Constant) and kind.value == "none"
        if isinstance(name, ast.Constant) and isinstance(name.value, str) and "sources" in entries and not is_none:
            self._found.fact(self._span(name), "code.native", shown(name.value), "install")

    def _run(self, line: str, node: ast.expr, how: str) -> None:
        piece = Mapped()
        piece.put(line, *self._span(node)[:2])
        self._found.run(piece, "install", how)

    def _span(self, node: ast.expr) -> Span:
        end = node.end_lineno or node.lineno
        return Span(
            node.lineno,
            self._column(node.lineno, node.col_offset),
            end,
            self._column(end, node.end_col_offset or node.col_offset),
        )

    def _column(self, line: int, offset: int) -> int:
        """Return a column in characters from one in bytes."""
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        return 1 + (offset if text.isascii() else len(text.encode()[:offset].decode("utf-8", "ignore")))


def _entries(node: ast.Dict) -> Iterator[tuple[str, ast.expr]]:
    for key, value in zip(node.keys, node.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value.rstrip("+=?!/%"), value


def _words(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield _REFERENCE.sub(HOLE, node.value)
    elif isinstance(node, (ast.List, ast.Tuple)):
        for item in node.elts:
            yield from _words(item)


def _listed(line: str) -> list[str]:
    return re.findall(r"[\"']([^\"']*)[\"']", line)


def _closing(text: str, start: int) -> int:
    depth = 1
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    return len(text)
