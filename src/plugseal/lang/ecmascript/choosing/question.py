"""What the parts of the question ask of the whole of it, which stands in `leads.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.scope import Scope
    from plugseal.lang.ecmascript.parsing.parse import Node


class Question(Protocol):
    """Whether something may lead to what matters."""

    def expression(self, node: Node, scope: Scope, results: bool) -> bool:
        """Say whether an expression may be something that tables know, or, with `results`, what that gave."""
