"""Whether what is known of an expression is only what it falls back to: `given || "ls"`, a parameter's default.

Whoever sets the variable, or calls the function, decides what it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.owners import owner_of
from plugseal.lang.ecmascript.collecting.scope import Parameter, Taken, Within, node_of
from plugseal.lang.ecmascript.parsing import grammar as g

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.scope import Binding, Scope
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_MAX_DEPTH: Final = 8
_MAX_PARTS: Final = 16
_ADDED: Final = frozenset(("+", "||", "??"))
_CHOOSING: Final = frozenset(("||", "??"))


def falls_back(resolver: Resolver, binding: Binding, scope: Scope, *, depth: int = 0) -> bool:
    """Say whether a part of an expression may be something unknown, and only what it is otherwise is known."""
    if depth > _MAX_DEPTH:
        return False
    if isinstance(binding, Within):
        return falls_back(resolver, binding.binding, binding.scope, depth=depth)
    if isinstance(binding, (Parameter, Taken)):
        return not resolver.bound(binding, scope)
    node = node_of(binding)
    return node is not None and _expression(resolver, node, scope, depth)


def _expression(resolver: Resolver, node: Node, scope: Scope, depth: int) -> bool:
    grammar = resolver.grammar
    code = grammar.codes[node.kind_id]
    if code == g.IDENTIFIER:
        name = resolver.data[node.start_byte : node.end_byte]
        owner = owner_of(name, scope)
        bindings = owner.bindings[name][:_MAX_PARTS] if owner is not None else []
        return owner is not None and any(falls_back(resolver, one, owner, depth=depth + 1) for one in bindings)
    if code == g.BINARY:
        operator = node.child_by_field_id(grammar.operator)
        sides = [node.child_by_field_id(grammar.left), node.child_by_field_id(grammar.right)]
        if operator is None or operator.type not in _ADDED:
            return False
        if operator.type in _CHOOSING and any(one is not None and not resolver.value(one, scope) for one in sides):
            return True
        return any(one is not None and falls_back(resolver, one, scope, depth=depth + 1) for one in sides)
    if code == g.CALL:
        function = node.child_by_field_id(grammar.function)
        base = function.child_by_field_id(grammar.object) if function is not None else None
        return base is not None and falls_back(resolver, base, scope, depth=depth + 1)
    if node.type in ("template_string", "template_substitution", "ternary_expression") or node.type in g.WRAPPERS:
        return any(falls_back(resolver, one, scope, depth=depth + 1) for one in node.named_children[:_MAX_PARTS])
    return False
