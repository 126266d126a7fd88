"""Whether an expression is surely a number, by its form: no shell, no path and no code can be hidden in one.

A type that TypeScript is told of counts as well: who writes code that lies about its types writes it to do harm, and
what it does is a fact in any case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.owners import owner_of
from plugseal.lang.ecmascript.parsing import grammar as g

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.scope import Scope
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_SIGNS: Final = frozenset("+-~")
_ARITHMETIC: Final = frozenset("- * / % ** | & ^ << >> >>>".split())
_MAKERS: Final = frozenset((b"Number", b"parseInt", b"parseFloat"))
_OF_MODULES: Final = ((b"Math", b""), (b"Date", b"now"), (b"Number", b"parseInt"), (b"Number", b"parseFloat"))
"""(global, its method); any method where none is named."""
_PROPERTIES: Final = frozenset((b"pid", b"ppid"))
_TYPES: Final = frozenset((b"number", b"bigint", b"boolean"))


def is_numeric(resolver: Resolver, node: Node, scope: Scope) -> bool:
    """Say whether an expression is a number whatever its parts are; names are for who follows them."""
    grammar = resolver.grammar
    kind = node.type
    if kind in ("number", "update_expression"):
        return True
    if kind == "unary_expression":
        operator = node.child_by_field_id(grammar.operator)
        return operator is not None and operator.type in _SIGNS
    if kind == "binary_expression":
        operator = node.child_by_field_id(grammar.operator)
        return operator is not None and operator.type in _ARITHMETIC
    if grammar.codes[node.kind_id] == g.MEMBER:
        return _names(resolver, node, scope, b"process") in _PROPERTIES
    if grammar.codes[node.kind_id] == g.CALL:
        return _makes_number(resolver, node.child_by_field_id(grammar.function), scope)
    return False


def takes_number(resolver: Resolver, function: Scope, position: int) -> bool:
    """Say whether a function's parameter is declared to be a number."""
    grammar = resolver.grammar
    parameters = function.node.child_by_field_id(grammar.parameters) if function.node is not None else None
    given = [one for one in parameters.named_children if one.kind_id not in grammar.comments] if parameters else []
    annotation = given[position].child_by_field_id(grammar.type) if position < len(given) else None
    parts = annotation.named_children if annotation is not None else []
    return len(parts) == 1 and parts[0].type == "predefined_type" and _bytes(resolver, parts[0]) in _TYPES


def _makes_number(resolver: Resolver, function: Node | None, scope: Scope) -> bool:
    if function is None:
        return False
    if resolver.grammar.codes[function.kind_id] == g.IDENTIFIER:
        name = _bytes(resolver, function)
        return name in _MAKERS and owner_of(name, scope) is None
    for owner, method in _OF_MODULES:
        name = _names(resolver, function, scope, owner)
        if name and method in (b"", name):
            return True
    return False


def _names(resolver: Resolver, node: Node, scope: Scope, owner: bytes) -> bytes:
    """Return the property that is read of a global, empty where something else is read."""
    grammar = resolver.grammar
    base, name = node.child_by_field_id(grammar.object), node.child_by_field_id(grammar.property)
    if base is None or name is None or _bytes(resolver, base) != owner or owner_of(owner, scope) is not None:
        return b""
    return _bytes(resolver, name)


def _bytes(resolver: Resolver, node: Node) -> bytes:
    return resolver.data[node.start_byte : node.end_byte]
