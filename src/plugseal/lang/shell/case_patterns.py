"""Parse a script whose `case` has patterns that the grammar takes apart wrongly: `*"a b"*"c"*)`.

The quotes of a pattern say nothing of what a script does. Where a script is not understood, the pieces in quotes of its
patterns are put into other letters of the same length for the grammar alone, and what is understood better is taken.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from plugseal.lang.shell.parse import parse_shell
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.shell.parse import Node, Tree

_MAX_ERRORS: Final = 1_000
_QUOTED: Final = rb"""\"[^"$`\\]{0,200}"|'[^']{0,200}'"""
_PATTERN: Final = lazy(
    rb"""(?<![\w$-])(?:in(?=\s)|;;&?|;&)(?:\s|#[^\n]{0,400}\n){0,400}"""
    rb"""(?P<pattern>\(?(?:""" + _QUOTED + rb"""|\\.|\$[A-Za-z_]\w*|\$\{\w+\}|[][\w*?.,:=/~@%+!^|\ \t-]){1,400}\))"""
)
"""The patterns of one branch, up to its bracket."""
_PIECE: Final = lazy(_QUOTED)


def parse_patterns(data: bytes, tree: Tree) -> Tree:
    """Return the tree of a script that is understood better, which may be the one that is given."""
    if not tree.root_node.has_error or b"esac" not in data:
        return tree
    plain = _PATTERN.sub(_without_quotes, data)
    other = parse_shell(plain) if plain != data else None
    return other if other is not None and _errors(other.root_node) < _errors(tree.root_node) else tree


def _without_quotes(found: re.Match[bytes]) -> bytes:
    before = found[0][: found.start("pattern") - found.start()]
    return before + _PIECE.sub(lambda piece: b"_" * len(piece[0]), found["pattern"])


def _errors(root: Node) -> int:
    """Return how much of a tree is no tree: bytes that were not understood, and nodes that are missing."""
    waiting, size = [root], 0
    for node in waiting:
        if len(waiting) > _MAX_ERRORS:
            break
        if node.is_error or node.is_missing:
            size += 1 + node.end_byte - node.start_byte
        else:
            waiting += [child for child in node.children if child.has_error]
    return size
