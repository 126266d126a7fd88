"""Whether what keeps something else may matter by that: a container that is made of it, a module of a bundle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.resolving.bundled import asked_key, makes_getter

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.choosing.question import Question
    from plugseal.lang.ecmascript.collecting.scope import Scope
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_CONTAINERS: Final = frozenset((b"Map", b"Set", b"WeakMap"))
_MAX_MODULES: Final = 4


def asked_of(leads: Question, resolver: Resolver, call: Node, scope: Scope) -> bool | None:
    """Say whether what a module of the bundle gives may matter; None where a call asks for none."""
    grammar = resolver.grammar
    function, given = call.child_by_field_id(grammar.function), call.child_by_field_id(grammar.arguments)
    if function is None or given is None:
        return None
    if makes_getter(resolver, function, scope):
        return any(leads.expression(one, scope, True) for one in given.named_children[:1])
    key = asked_key(resolver, call, scope)
    if key is None:
        return None
    return any(leads.expression(node, where, True) for node, where in resolver.bundled[key][:_MAX_MODULES])


def is_container(leads: Question, resolver: Resolver, node: Node, scope: Scope) -> bool:
    """Say whether what `new` makes holds what it is given, and that may matter."""
    constructor = node.child_by_field_id(resolver.grammar.constructor)
    if constructor is None or resolver.data[constructor.start_byte : constructor.end_byte] not in _CONTAINERS:
        return False
    given = node.child_by_field_id(resolver.grammar.arguments)
    return given is not None and any(leads.expression(one, scope, True) for one in given.named_children[:1])
