"""Run a tree-sitter parser in bounded work: the parser's own steps are counted, so it depends on the bytes alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Language, Tree

_CHUNK_BYTES: Final = 65_536


_LOST_CALLS: Final = 15
"""Ordinary calls that take as long as one while the parser looks for a way out of what it does not understand."""


def parse_bounded(language: Language, data: bytes, *, most: int) -> tuple[Tree | None, int]:
    """Return the syntax tree of a text, or None where that would take too much work; and the work that it took.

    Args:
        language: its grammar.
        data: the whole text.
        most: calls of the parser's progress function, one for about a hundred of its steps.
    """
    from tree_sitter import Parser

    calls = 0

    def give_up(_offset: int, is_lost: bool) -> bool:
        nonlocal calls
        calls += _LOST_CALLS if is_lost else 1
        return calls > most

    def read(offset: int, _point: object) -> bytes:
        return data[offset : offset + _CHUNK_BYTES]

    try:
        return Parser(language).parse(read, progress_callback=give_up), calls
    except ValueError:  # The parser's word for having been stopped.
        return None, calls
