"""Part lines that the grammar joins: `a | b | c` or `A=1 B=2` in one line takes what stands in the next for its words.

The grammar says nothing of it: the next line's program is no more than a word of the last one's. Between the words of
a command no line ends, save behind a backslash and with a here-document; where one does, a `;` takes its place for the
grammar alone, of the same length, so that every place stays what it is.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from plugseal.lang.shell.parsing.collect import collect
from plugseal.lang.shell.parsing.parse import parse_shell
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugseal.lang.shell.parsing.parse import Node, Tree
    from plugseal.lang.shell.parsing.script import Script
    from plugseal.lang.shell.parsing.source import Source

_MAX_ROUNDS: Final = 8
_MAX_ENDS: Final = 10_000
_CONTINUED: Final = lazy(rb"\\\r?\n")
_HERE: Final = frozenset(("heredoc_redirect", "heredoc_body", "heredoc_end"))
_LISTS: Final = frozenset(("list", "redirected_statement", "pipeline", "negated_command"))


def collect_apart(data: bytes, tree: Tree, source: Source) -> tuple[Script, bool]:
    """Return what a script holds, line by line, and whether no two lines are left joined.

    Args:
        data: the text that the tree was made of.
        tree: its tree.
        source: the text as it is written, of the same length.
    """
    script = collect(tree.root_node, source)
    for _ in range(_MAX_ROUNDS):
        joined = [node for node in _suspects(script) if data.find(b"\n", node.start_byte, node.end_byte) >= 0]
        apart, other = _parse_parted(data, joined, tree) if joined else (data, tree)
        if apart == data:
            return script, True
        if other is None:
            break
        data, tree = apart, other
        script = collect(tree.root_node, source)
    return script, False


def _suspects(script: Script) -> Iterator[Node]:
    """Give the commands of pipes, and those that begin with an assignment."""
    for _, commands in script.pipelines:
        for command in commands:
            first: Node | None = command
            while first is not None and first.type in _LISTS:
                first = first.named_child(0)
            if first is not None and first.type == "command":
                yield first
    for known in script.commands:
        if not known.first and script.source.data.find(b"=", known.start, known.end) >= 0:
            yield known.node


def _parse_parted(data: bytes, joined: list[Node], tree: Tree) -> tuple[bytes, Tree | None]:
    """Return a text that is parted at each end of a line, or at the first ones if it is not understood then."""
    apart = _parted(data, joined)
    other = parse_shell(apart)
    if other is not None and other.root_node.has_error and not tree.root_node.has_error:
        apart = _parted(data, joined, most=1)
        other = parse_shell(apart)
    return apart, other


def _parted(data: bytes, joined: list[Node], *, most: int = _MAX_ENDS) -> bytes:
    """Return a text with a `;` for each end of a line that stands between the words of one command.

    Args:
        data: the text.
        joined: its commands that reach over several lines.
        most: how many ends of lines are replaced in each.
    """
    parted = bytearray(data)
    for command in joined:
        left, is_parted, words = most, False, command.children
        for before, after in pairwise(words):
            if left <= 0:
                break
            start, end = before.end_byte, after.start_byte
            is_parted = is_parted and before.type == "comment"
            at = -1 if before.type in _HERE or after.type in _HERE else _line_end(data[start:end])
            if at < 0:
                continue
            if before.type == "comment":
                parted[before.start_byte : start] = b" " * (start - before.start_byte)
            parted[start + at] = ord(" " if is_parted else ";")
            left -= after.type != "comment"
            is_parted = True
    return bytes(parted)


def _line_end(between: bytes) -> int:
    """Return where a line ends between two words, -1 where it goes on."""
    return _CONTINUED.sub(lambda found: b"_" * len(found[0]), between).find(b"\n")
