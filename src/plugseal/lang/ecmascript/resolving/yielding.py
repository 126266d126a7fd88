"""What generators give: everything that they yield, in the order of the source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.resolving.values import AnyValue, Sequence, Values, unique

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.scope import Scope
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_MAX_NODES: Final = 4_096
_MAX_YIELDS: Final = 64


def is_generator(resolver: Resolver, function: Scope) -> bool:
    """Say whether calling a function of the file gives an iterator."""
    node = function.node
    if node.kind_id in resolver.grammar.generators:
        return True
    if node.kind_id not in resolver.grammar.methods:
        return False
    name = node.child_by_field_id(resolver.grammar.name)
    return name is not None and resolver.data.find(b"*", node.start_byte, name.start_byte) >= 0


def yielded(resolver: Resolver, function: Scope) -> Values:
    """Return the iterator that a generator gives, as a list of what it yields; nothing where it yields nothing."""
    nodes = _yields(resolver, function)
    if not nodes:
        return ()
    return (Sequence(None, len(nodes), lambda at: _given(resolver, nodes[at], function)),)


def _given(resolver: Resolver, node: Node, function: Scope) -> Values:
    inner = [child for child in node.named_children if child.type != "comment"]
    values = resolver.value(inner[0], function) if inner else ()
    if not any(child.type == "*" for child in node.children[:2]):
        return values
    found: list[AnyValue] = []
    for value in values:
        if isinstance(value, Sequence):
            found.extend(one for at in range(min(value.size, _MAX_YIELDS)) for one in value.at(at))
    return unique(found)


def _yields(resolver: Resolver, function: Scope) -> list[Node]:
    """Return the `yield` expressions of a generator, without those of functions inside of it."""
    body = function.node.child_by_field_id(resolver.grammar.body)
    waiting = [body] if body is not None else []
    found: list[Node] = []
    looked = 0
    while waiting and looked < _MAX_NODES and len(found) < _MAX_YIELDS:
        node = waiting.pop()
        looked += 1
        if node.type == "yield_expression":
            found.append(node)
        if node.id not in resolver.functions:
            waiting.extend(node.named_children[::-1])
    resolver.fuel -= looked // 16
    return found
