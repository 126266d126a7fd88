"""Run a tree-sitter parser in bounded work: the parser's own steps are counted, so it depends on the bytes alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Language, Tree

_CHUNK_BYTES: Final = 65_536


def parse_bounded(language: Language, data: bytes, *, most: int) -> Tree | None:
    """Return the syntax tree of a text, or None where that would take too much work.

    Args:
        language: its grammar.
        data: the whole text.
        most: calls of the parser's progress function, one for about a hundred of its steps.
    """
    from tree_sitter import Parser

    calls = 0

    def give_up(_offset: int, _has_error: bool) -> bool:
        nonlocal calls
        calls += 1
        return calls > most

    def read(offset: int, _point: object) -> bytes:
        return data[offset : offset + _CHUNK_BYTES]

    try:
        return Parser(language).parse(read, progress_callback=give_up)
    except ValueError:  # The parser's word for having been stopped.
        return None
