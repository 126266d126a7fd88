"""Where the walk over one file stands: what its parts read, and where they put what they find."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.noting import Collected
    from plugseal.lang.ecmascript.collecting.scope import Binding
    from plugseal.lang.ecmascript.parsing.parse import Node

Assigned: TypeAlias = "tuple[bytes, Binding]"
"""A name, and what it is given where it was declared before."""


class Walk:
    """The file, the scope that is being walked, and what is still to be looked at in it."""

    def __init__(self, collected: Collected) -> None:
        self.collected = collected
        self.data = collected.data
        self.grammar = collected.grammar
        self.stack: list[Node] = []
        """What is looked at next, the last one first."""
        self.scope = collected.root
        self.assigned: list[Assigned] = []
        """Assignments in the scope, which are handed over once all its names are known."""

    def text(self, node: Node) -> bytes:
        """Return the source of a node."""
        return self.data[node.start_byte : node.end_byte]
