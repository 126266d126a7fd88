"""What the modules of a bundle give each other by their numbers: `r(317)`, where `317: e => { e.exports = … }`.

Followed is what a module gives as a whole; most of all those that only pass on a module of the host.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.owners import owner_of
from plugseal.lang.ecmascript.collecting.scope import Parameter, Scope
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.resolving.bundles import GIVER, text_of_key
from plugseal.lang.ecmascript.resolving.values import Arguments, Partial, Values, unique

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_MAX_GIVEN: Final = 4
_GETTER: Final = b"n"
"""A packer's helper, by which what a module gives as a whole is called for: `r.n(module)()`."""


def asked_key(resolver: Resolver, call: Node, scope: Scope) -> str | None:
    """Return the number or name by which a call asks for a module of its bundle; None for any other call."""
    grammar = resolver.grammar
    function, given = call.child_by_field_id(grammar.function), call.child_by_field_id(grammar.arguments)
    if function is None or given is None or grammar.codes[function.kind_id] != g.IDENTIFIER:
        return None
    if given.named_child_count != 1 or (first := given.named_child(0)) is None:
        return None
    if first.type not in ("number", "string") or not _gives_modules(resolver, function, scope):
        return None
    key = text_of_key(resolver.data, first)
    return key if key in resolver.bundled else None


def _gives_modules(resolver: Resolver, function: Node, scope: Scope) -> bool:
    """Say whether a name is what gives modules others: the third parameter of one, or a function of the bundle."""
    name = resolver.data[function.start_byte : function.end_byte]
    owner = owner_of(name, scope)
    bindings = owner.bindings[name] if owner is not None else []
    return bool(bindings) and all(
        (isinstance(one, Parameter) and one.position == GIVER) or (isinstance(one, Scope) and one.parameters == 1)
        for one in bindings
    )


def bundled_values(resolver: Resolver, call: Node, scope: Scope) -> Values | None:
    """Return what a call gives that asks for a module of its bundle; None for any other call."""
    key = asked_key(resolver, call, scope)
    if key is None:
        return None
    given = resolver.bundled[key][:_MAX_GIVEN]
    return resolver.deeper(lambda: unique([one for node, where in given for one in resolver.value(node, where)]))


def getter_of(resolver: Resolver, function: Node, arguments: Arguments, scope: Scope) -> Values | None:
    """Return the function that a packer's helper makes, which gives a module back; None for any other call."""
    return (Partial(("util.deprecate",), arguments),) if makes_getter(resolver, function, scope) else None


def makes_getter(resolver: Resolver, function: Node, scope: Scope) -> bool:
    """Say whether an expression is that helper."""
    grammar = resolver.grammar
    base, name = function.child_by_field_id(grammar.object), function.child_by_field_id(grammar.property)
    if base is None or name is None or resolver.data[name.start_byte : name.end_byte] != _GETTER:
        return False
    return grammar.codes[base.kind_id] == g.IDENTIFIER and _gives_modules(resolver, base, scope)
