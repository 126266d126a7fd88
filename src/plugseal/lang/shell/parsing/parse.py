"""The one door to the shell grammar: bytes of a script to a syntax tree, in bounded work.

The bound counts the parser's own steps, not time, so that the same bytes are read or refused on every machine.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from plugseal.lang.treesitter import parse_bounded
from plugseal.limits import KIB

if TYPE_CHECKING:
    from tree_sitter import Language
    from tree_sitter import Node as Node
    from tree_sitter import Tree as Tree

MIN_PROGRESS_CALLS: Final = 500
PROGRESS_CALLS_PER_KIB: Final = 60
"""Calls of the parser's progress function, one for about a hundred of its steps."""
_NUMBERS: Final = 65_536
_ERROR_KIND: Final = 65_535
"""The number of what could not be parsed, which the grammar doesn't count among its own."""


def parse_shell(data: bytes) -> Tree | None:
    """Return the syntax tree of a script, or None where that would take too much work."""
    most = MIN_PROGRESS_CALLS + len(data) * PROGRESS_CALLS_PER_KIB // KIB
    return parse_bounded(_language(), data, most=most)[0]


@cache
def _language() -> Language:
    import tree_sitter_bash
    from tree_sitter import Language

    return Language(tree_sitter_bash.language())


@cache
def kind_codes(codes: tuple[tuple[str, int], ...], default: int) -> bytes:
    """Return a table from the grammar's own numbers of kinds to ours, which are below 256.

    Args:
        codes: names of kinds, named or anonymous, with our numbers.
        default: for every other kind that has a name; anonymous ones get 0.
    """
    language = _language()
    wanted = dict(codes)
    table = bytearray(_NUMBERS)
    for number in range(language.node_kind_count):
        name = language.node_kind_for_id(number)
        if name in wanted:
            table[number] = wanted[name]
        elif language.node_kind_is_named(number):
            table[number] = default
    table[_ERROR_KIND] = wanted.get("ERROR", default)
    return bytes(table)
