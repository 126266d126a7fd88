"""What those who judge one file share: what its names mean, what counts, where things stand, what runs as Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast

    from plugseal.lang.python.collecting.scope import Scope
    from plugseal.lang.python.judging.judge import Judge
    from plugseal.lang.python.judging.places import Places
    from plugseal.lang.python.resolving.resolver import Resolver


class Subject:
    """One file that is being judged."""

    def __init__(self, resolver: Resolver, judge: Judge, places: Places) -> None:
        self.resolver = resolver
        self.judge = judge
        self.places = places
        self.code: list[tuple[str, ast.expr, Scope]] = []
        """Texts that are run as Python, where they stand, and the scope that runs them."""
