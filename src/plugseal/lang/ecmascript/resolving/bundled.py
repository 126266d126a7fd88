"""What the modules of a bundle give each other by their numbers: `r(317)`, where `317: e => { e.exports = … }`.

Packers put each module into a function that is given itself, what it exports, and what gives it other modules. Followed
is what a module gives as a whole; most of all those that only pass on a module of the host.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from plugseal.lang.ecmascript.collecting.owners import owner_of
from plugseal.lang.ecmascript.collecting.scope import Parameter, Scope, node_of
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.parsing.literals import unescape
from plugseal.lang.ecmascript.resolving.values import Arguments, Partial, Values, unique

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.noting import Collected
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolve import Resolver

_MAX_MODULES: Final = 20_000
_GIVER: Final = 2
"""The place of the parameter that gives a module others."""
_MAX_GIVEN: Final = 4
_GETTER: Final = b"n"
"""A packer's helper, by which what a module gives as a whole is called for: `r.n(module)()`."""
Modules: TypeAlias = "dict[str, list[tuple[Node, Scope]]]"


def bundled_modules(collected: Collected) -> Modules:
    """Return what each module of a bundle gives as a whole, by its number or name; empty for other files."""
    found: Modules = {}
    for store in collected.stores.get(b"exports", ())[:_MAX_MODULES]:
        node, function = node_of(store.value), store.scope
        if node is None or not 0 < function.parameters <= _GIVER + 1:
            continue
        key = _key_of(collected, function)
        base = store.target.child_by_field_id(collected.grammar.object)
        if key and base is not None and _is_first(collected, base, function):
            found.setdefault(key, []).append((node, function))
    return found


def _key_of(collected: Collected, function: Scope) -> str:
    """Return the name of the property that a function is; empty where it is none."""
    node = function.node
    if node.type == "method_definition":
        key = node.child_by_field_id(collected.grammar.name)
    else:
        holder = node.parent
        while holder is not None and holder.type == "parenthesized_expression":
            holder = holder.parent
        if holder is None or holder.type != "pair":
            return ""
        key = holder.child_by_field_id(collected.grammar.key)
    return _text(collected.data, key) if key is not None else ""


def _text(data: bytes, node: Node) -> str:
    text = data[node.start_byte : node.end_byte].decode("utf-8", "replace")
    return unescape(text[1:-1]) if node.type == "string" else text


def _is_first(collected: Collected, base: Node, function: Scope) -> bool:
    bindings = function.bindings.get(collected.data[base.start_byte : base.end_byte], ())
    return any(isinstance(one, Parameter) and one.position == 0 for one in bindings)


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
    key = _text(resolver.data, first)
    return key if key in resolver.bundled else None


def _gives_modules(resolver: Resolver, function: Node, scope: Scope) -> bool:
    """Say whether a name is what gives modules others: the third parameter of one, or a function of the bundle."""
    name = resolver.data[function.start_byte : function.end_byte]
    owner = owner_of(name, scope)
    bindings = owner.bindings[name] if owner is not None else []
    return bool(bindings) and all(
        (isinstance(one, Parameter) and one.position == _GIVER) or (isinstance(one, Scope) and one.parameters == 1)
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
