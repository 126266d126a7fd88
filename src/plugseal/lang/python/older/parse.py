"""Source text of Python 2 to the tree that it would have, with places of the text as it was written."""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right

from plugseal.lang.python.older.rewrite import Edit, edits_of
from plugseal.lang.python.parsing.parse import parse_source


def parse_older(text: str) -> ast.Module | str:
    """Return the tree of a source that only Python 2 accepts, or the reason why it does not either.

    Law: a text that needs no rewriting gives an empty reason.
    """
    data = text.encode("utf-8", "surrogatepass")
    edits = edits_of(data)
    if not edits:
        return ""
    parts: list[bytes] = []
    place = 0
    for edit in edits:
        if edit.start < place:
            return ""
        parts += (data[place : edit.start], edit.text)
        place = edit.end
    parts.append(data[place:])
    tree = parse_source(b"".join(parts).decode("utf-8", "surrogatepass"))
    if not isinstance(tree, str):
        _Moved(data, edits).put_back(tree)
    return tree


class _Moved:
    """How the columns of each line were moved by the edits."""

    def __init__(self, data: bytes, edits: list[Edit]) -> None:
        starts = [0]
        for written in data.splitlines(keepends=True):
            starts.append(starts[-1] + len(written))
        self._lines: dict[int, list[tuple[int, int, int]]] = {}
        """By line: where the text of each edit begins and ends in the rewritten line, and how far the rest moved."""
        for edit in edits:
            line = bisect_right(starts, edit.start)
            held = self._lines.setdefault(line, [])
            moved = held[-1][2] if held else 0
            begins = edit.start - starts[line - 1] + moved
            ends = begins + len(edit.text)
            held.append((begins, ends, moved + len(edit.text) - (edit.end - edit.start)))

    def put_back(self, tree: ast.Module) -> None:
        """Give every node the columns that it has in the source."""
        for node in ast.walk(tree):
            if isinstance(node, (ast.stmt, ast.expr, ast.excepthandler, ast.arg, ast.keyword, ast.alias)):
                node.col_offset = self._column(node.lineno, node.col_offset)
                node.end_col_offset = self._column(node.end_lineno or 0, node.end_col_offset or 0)

    def _column(self, line: int, column: int) -> int:
        edits = self._lines.get(line, ())
        at = bisect_left(edits, (column,))  # a line may hold as many edits as nodes
        if at == 0:
            return column
        begins, ends, after = edits[at - 1]
        if column < ends:
            return begins - (edits[at - 2][2] if at > 1 else 0)
        return column - after
