"""The syntax tree of PowerShell: one kind of node, made by the parser, never changed."""

from __future__ import annotations

from collections.abc import Iterator

from plugseal.records import NamedTuple


class Node(NamedTuple):
    """A stretch of a script and what it is."""

    kind: str
    """Expressions: `text join number variable splat type member static call staticcall index unary binary cast list
    array group sub table block`. Statements: `pipeline chain assign flow foreach function parameter command`. Within a
    command: `option redirect` beside expressions."""
    start: int
    """Code points from the start of the text."""
    end: int
    text: str = ""
    """The name, operator or literal; empty where `parts` say it."""
    parts: tuple[Node, ...] = ()


EMPTY = Node("text", 0, 0)


def walk(root: Node) -> Iterator[Node]:
    """Yield a node and all below it, in the order of the text."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.parts))
