"""Parse a script with patterns that the grammar takes apart wrongly: quotes in a `case`, `=~ a|"b c"`, `${a:$i}`.

The quotes and the escaped brackets of a pattern say nothing of what a script does. Where a script is not understood,
they are put into other letters of the same length for the grammar alone, and what is understood better is taken.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from plugseal.lang.shell.parsing.parse import parse_shell
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.shell.parsing.parse import Node, Tree

_MAX_ERRORS: Final = 1_000
_QUOTED: Final = rb"""\"[^"$`\\]{0,200}"|'[^']{0,200}'"""
_PATTERN: Final = lazy(
    rb"""(?<![\w$-])(?:in(?=\s)|;;&?|;&)(?:\s|#[^\n]{0,400}\n){0,400}"""
    rb"""(?P<pattern>\(?(?:"""
    + _QUOTED
    + rb"""|\\.|\$[A-Za-z_]\w*(?!\w)|\$\{\w+\}|[][\w*?.,:=/~@%+!^|\ \t-]){1,400}\))"""
)
"""The patterns of one branch, up to its bracket. A variable is read to its end: its letters are letters of a pattern
too, and what can be taken apart in many ways is tried in all of them where no bracket follows."""
_PIECE: Final = lazy(_QUOTED)
_ESCAPED: Final = lazy(rb"\\(?:[][{}()]|\$(?=\\\{)|[^][{}()])")
_EXPRESSION: Final = lazy(rb"=~[ \t]{1,8}(?P<pattern>(?:" + _QUOTED + rb"""|[^\s"'`;&<>]){1,400})""")
"""The regular expression of a test, up to the next blank."""
_SUBSCRIPT: Final = lazy(rb"\$\{[!#]?[A-Za-z_]\w{0,80}\[(?P<pattern>[A-Za-z_][\w ]{0,80})\]")
_SUBSTRING: Final = lazy(rb"\$\{[A-Za-z_]\w{0,80}(?:\[[@*0-9]\])?:[ \t]?(?P<pattern>\$)(?=[A-Za-z_]\w{0,80}[:}])")
_INSTEAD: Final = lazy(rb"\$\{[A-Za-z_]\w{0,80}:?[-+=](?P<pattern>[^{}\"'`\\\n]{1,200})\}")
"""What stands for a variable: its brackets are text, unless they are those of a command."""
_COMMAND: Final = lazy(rb"[$<>]\(")
_BRACKET: Final = lazy(rb"[()]")
_VARIABLE: Final = lazy(rb"\$[A-Za-z_{(]")
_BRACE: Final = lazy(rb"[{}]")


def parse_patterns(data: bytes, tree: Tree) -> Tree:
    """Return the tree of a script that is understood better, which may be the one that is given."""
    errors, last = _errors(tree.root_node), data
    for change in (_plain_branches, _plain_words):
        plain = change(last) if errors else last
        if plain == last:
            continue
        other = parse_shell(plain)
        left = errors if other is None else _errors(other.root_node)
        if other is not None and left < errors:
            tree, errors, last = other, left, plain
    return tree


def _plain_branches(data: bytes) -> bytes:
    """Return a script whose `case` has no quotes in its patterns."""
    return _PATTERN.sub(_without_quotes, data) if b"esac" in data else data


def _plain_words(data: bytes) -> bytes:
    """Return a script without escaped brackets, quotes in expressions, blanks in names of fields and their like."""
    data = _ESCAPED.sub(lambda found: b"__" if found[0][1:] in b"[]{}()$" else found[0], data)
    data = _EXPRESSION.sub(_without_braces, data) if b"=~" in data else data
    data = _SUBSCRIPT.sub(lambda found: _changed(found, found["pattern"].replace(b" ", b"_")), data)
    data = _SUBSTRING.sub(lambda found: _changed(found, b"_"), data)
    return _INSTEAD.sub(_without_brackets, data)


def _without_quotes(found: re.Match[bytes]) -> bytes:
    return _changed(found, _PIECE.sub(lambda piece: b"_" * len(piece[0]), found["pattern"]))


def _without_braces(found: re.Match[bytes]) -> bytes:
    plain = _PIECE.sub(lambda piece: b"_" * len(piece[0]), found["pattern"])
    return _changed(found, plain if _VARIABLE.search(plain) is not None else _BRACE.sub(b"_", plain))


def _without_brackets(found: re.Match[bytes]) -> bytes:
    if _COMMAND.search(found["pattern"]) is not None:
        return found[0]
    return _changed(found, _BRACKET.sub(b"_", found["pattern"]))


def _changed(found: re.Match[bytes], pattern: bytes) -> bytes:
    """Return what was found with another pattern in the place of its own."""
    start, end = found.start("pattern") - found.start(), found.end("pattern") - found.start()
    return found[0][:start] + pattern + found[0][end:]


def _errors(root: Node) -> int:
    """Return how much of a tree is no tree: bytes that were not understood, and nodes that are missing."""
    if not root.has_error:
        return 0
    waiting, size = [root], 0
    for node in waiting:
        if len(waiting) > _MAX_ERRORS:
            break
        if node.is_error or node.is_missing:
            size += 1 + node.end_byte - node.start_byte
        else:
            waiting += [child for child in node.children if child.has_error or child.is_missing]
    return size
