"""Run a tree-sitter parser in bounded work: the parser's own steps are counted, so it depends on the bytes alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.limits import KIB

if TYPE_CHECKING:
    from tree_sitter import Language, Tree

_CHUNK_BYTES: Final = KIB
"""Small, so that what a grammar's own scanner looks at again and again is asked for again and again: such looks are no
steps of the parser."""
_MIN_READS: Final = 4_000
_READS_PER_CHUNK: Final = 64
"""Of 1,330 real files the busiest takes three for each chunk, beside some ten in a small one."""
_MAX_READS: Final = 150_000
"""However large a file is: two seconds' work."""
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

    calls, reads = 0, min(_MAX_READS, _MIN_READS + len(data) // _CHUNK_BYTES * _READS_PER_CHUNK)

    def give_up(_offset: int, is_lost: bool) -> bool:
        nonlocal calls
        calls += _LOST_CALLS if is_lost else 1
        return calls > most or reads < 0

    def read(offset: int, _point: object) -> bytes:
        nonlocal reads
        reads -= 1
        return data[offset : offset + _CHUNK_BYTES] if reads >= 0 else b""

    try:
        tree = Parser(language).parse(read, progress_callback=give_up)
    except ValueError:  # The parser's word for having been stopped.
        return None, calls
    return (tree if reads >= 0 else None), calls
