"""Texts that stand in lines of their own below the statement that uses them: `<<EOT`, `<<~SQL`, `<<<'X'`.

In Ruby and Perl the words that announce them and their bodies come in the same order; in PHP a body is inside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from plugseal.lang.scripts.parse import Node
    from plugseal.lang.shell.parsing.source import Source

ANNOUNCING: Final = frozenset(("heredoc_beginning", "heredoc_token", "heredoc", "nowdoc", "command_heredoc_token"))
_BODIES: Final = frozenset(("heredoc_body", "heredoc_content"))
_INSIDE: Final = frozenset(("heredoc", "heredoc_body", "command_heredoc_token"))


class HereDocuments:
    """The bodies of one script by the words that announce them."""

    def __init__(self) -> None:
        self._announced: dict[int, int] = {}
        self._bodies: list[Node] = []

    def note(self, node: Node) -> None:
        """Note a node of the walk over the tree, if it is one of these."""
        kind = node.type
        if kind in ("heredoc_beginning", "heredoc_token", "command_heredoc_token"):
            self._announced[node.start_byte] = len(self._announced)
        elif kind in _BODIES and (node.parent is None or node.parent.type not in _INSIDE):
            self._bodies.append(node)

    def body_of(self, node: Node) -> Node | None:
        """Return the body that a word announces."""
        if node.type in ("heredoc", "nowdoc"):
            return node.child_by_field_name("value")
        place = self._announced.get(node.start_byte)
        return self._bodies[place] if place is not None and place < len(self._bodies) else None


def is_for_a_shell(node: Node, source: Source) -> bool:
    """Say whether a word announces lines that a shell runs: Ruby's and Perl's <<`EOT`."""
    kind = node.type
    return kind == "command_heredoc_token" or (
        kind in ("heredoc_beginning", "heredoc_token") and "`" in source.of(node)[:4]
    )


def end_of_body(body: Node) -> int:
    """Return the byte behind the text of a body, without the word that ends it."""
    last = body.children[-1] if body.child_count else None
    return last.start_byte if last is not None and last.type == "heredoc_end" else body.end_byte
