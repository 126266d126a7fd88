"""The one door to these languages' grammars: bytes to a syntax tree, in work that depends on the bytes alone."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from plugseal.lang.treesitter import parse_bounded
from plugseal.limits import KIB

if TYPE_CHECKING:
    from tree_sitter import Language, Tree
    from tree_sitter import Node as Node

_MIN_CALLS: Final = 500
_CALLS_PER_KIB: Final = 60


def parse_script(language: str, data: bytes) -> Tree | None:
    """Return the syntax tree of a script, or None where that would take too much work."""
    most = _MIN_CALLS + len(data) * _CALLS_PER_KIB // KIB
    # Perl's grammar looks without end for a line end behind a variable in a here-document that the text cuts off.
    ended = data if data.endswith(b"\n") else data + b"\n"
    return parse_bounded(_grammar(language), ended, most=most)[0]


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
