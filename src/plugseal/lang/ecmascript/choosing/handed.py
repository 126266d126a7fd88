"""Names that are more than parameters of which nobody knows what they are given.

What a parameter may be was looked at where it was given. To ask again for all that it may be, through every function
that hands it on, costs most of a large bundle's time and finds next to nothing: so a name counts only where it begins
with something else, or with a parameter that is given a module, or what a module gave, in so many words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.owners import owner_of
from plugseal.lang.ecmascript.collecting.scope import (
    Added,
    Given,
    Iterated,
    Keys,
    Parameter,
    Rest,
    Scope,
    Taken,
    Within,
    node_of,
)
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.resolving.values import Made

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.choosing.question import Question
    from plugseal.lang.ecmascript.collecting.scope import Binding
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_MAX_LINKS: Final = 64
_MAX_DEPTH: Final = 24


class Handed:
    """The question for one file, with its answers so far."""

    def __init__(self, leads: Question, resolver: Resolver) -> None:
        self._leads = leads
        self._resolver = resolver
        self._known: dict[tuple[bytes, Scope], bool] = {}
        self._depth = 0

    def name(self, name: bytes, scope: Scope) -> bool:
        """Say whether a name that is read in a scope counts."""
        owner = owner_of(name, scope)
        if owner is None:
            return True
        known = self._known.get((name, owner))
        if known is None:
            if self._depth > _MAX_DEPTH:
                return True
            self._known[(name, owner)] = False  # A name may be made of itself.
            self._depth += 1
            known = any(self._binding(one, owner) for one in owner.bindings[name])
            self._depth -= 1
            self._known[(name, owner)] = known
        return known

    def _binding(self, binding: Binding, owner: Scope) -> bool:
        for _ in range(_MAX_DEPTH):
            if isinstance(binding, (Taken, Iterated, Rest, Keys)):
                binding = binding.source
            elif isinstance(binding, Within):
                owner = binding.scope
                binding = binding.binding
            else:
                break
        if isinstance(binding, Given):
            return True
        if isinstance(binding, Parameter):
            return any(
                self._given(one, scope)
                for given, scope in owner.sites
                for one in (given[binding.position :] if binding.is_rest else given[binding.position :][:1])
            )
        node = node_of(binding)
        return self._expression(node, owner) if node is not None else not isinstance(binding, Added)

    def _given(self, binding: Binding, scope: Scope) -> bool:
        """Say whether an argument counts and may matter."""
        while isinstance(binding, (Iterated, Taken)):
            binding = binding.source
        if isinstance(binding, Given):
            return any(isinstance(value, Made) for value in binding.values)
        node = node_of(binding)
        return node is not None and self._leads.expression(node, scope, True) and self._expression(node, scope)

    def _expression(self, node: Node, scope: Scope) -> bool:
        """Say whether what an expression begins with counts."""
        grammar, codes = self._resolver.grammar, self._resolver.grammar.codes
        inner: Node | None = node
        for _ in range(_MAX_LINKS):
            if inner is None:
                return False
            code = codes[inner.kind_id]
            if code in (g.MEMBER, g.SUBSCRIPT):
                inner = inner.child_by_field_id(grammar.object)
            elif code == g.IDENTIFIER:
                return self.name(self._resolver.data[inner.start_byte : inner.end_byte], scope)
            else:
                return self._leads.expression(node, scope, True)
        return True
