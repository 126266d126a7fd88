"""The one door to these languages' grammars: bytes to a syntax tree, in work that depends on the bytes alone."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from plugseal.limits import KIB

if TYPE_CHECKING:
    from tree_sitter import Language, Tree
    from tree_sitter import Node as Node

_MIN_CALLS: Final = 500
_CALLS_PER_KIB: Final = 60
_CHUNK_BYTES: Final = 65_536


def parse_script(language: str, data: bytes) -> Tree | None:
    """Return the syntax tree of a script, or None where that would take too much work."""
    from tree_sitter import Parser

    calls = 0
    most = _MIN_CALLS + len(data) * _CALLS_PER_KIB // KIB

    def give_up(_offset: int, _has_error: bool) -> bool:
        nonlocal calls
        calls += 1
        return calls > most

    def read(offset: int, _point: object) -> bytes:
        return data[offset : offset + _CHUNK_BYTES]

    try:
        return Parser(_grammar(language)).parse(read, progress_callback=give_up)
    except ValueError:  # The parser's word for having been stopped.
        return None


@cache
def _grammar(language: str) -> Language:
    from tree_sitter import Language

    if language == "Ruby":
        import tree_sitter_ruby

        return Language(tree_sitter_ruby.language())
    if language == "Perl":
        import tree_sitter_perl

        return Language(tree_sitter_perl.language())
    if language == "PHP":
        import tree_sitter_php

        return Language(tree_sitter_php.language_php())
    if language == "PHP code":
        import tree_sitter_php

        return Language(tree_sitter_php.language_php_only())
    import tree_sitter_lua

    return Language(tree_sitter_lua.language())
