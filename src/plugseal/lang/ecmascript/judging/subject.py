"""What those who judge one file share: what its names mean, what counts, where things stand, what was seen to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.scope import Scope
    from plugseal.lang.ecmascript.judging.judge import Judge
    from plugseal.lang.ecmascript.judging.places import Places
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolver import Resolver


class Subject:
    """One file that is being judged."""

    def __init__(self, resolver: Resolver, judge: Judge, places: Places) -> None:
        self.resolver = resolver
        self.judge = judge
        self.places = places
        self.grammar = resolver.grammar
        self.callees: set[int] = set()
        """Expressions that are called, by the number of their node: what they stand for is not merely mentioned."""
        self.silent: set[int] = set()
        """Expressions that a call only wraps."""

    def variable(self, node: Node, name: str | None, scope: Scope) -> None:
        """Report that a variable of the environment is read."""
        resolution = "direct" if self.resolver.text_at(node).startswith("process.env") else "resolved"
        self.judge.report.add(self.places.span(node), "env.read", name, resolution, scope.trigger)
