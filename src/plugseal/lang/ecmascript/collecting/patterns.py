"""What a declaration, a parameter or an assignment gives a value: names, names inside patterns, properties, items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.scope import Parameter, Rest, Scope, Store, Stored, Taken
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.parsing.literals import unescape_name

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.scope import Binding
    from plugseal.lang.ecmascript.collecting.walk import Walk
    from plugseal.lang.ecmascript.parsing.parse import Node

GUARDED: Final = frozenset(
    b"require process eval Function fetch globalThis global window self module exports Buffer setTimeout setInterval"
    b" Deno Bun Worker WebSocket document navigator importScripts atob Reflect XMLHttpRequest EventSource String"
    b" Object Array JSON WebAssembly chrome browser".split()
)
"""Names that mean something to everyone: what hides them, and where, is looked at more closely."""


def declare(scope: Scope, name: bytes, node: Node) -> None:
    """Note where a guarded name is declared; one that a block hides is still there outside of it."""
    known = scope.declared.get(name)
    if known is None or name not in scope.declared:
        scope.declared[name] = node


def bind_target(walk: Walk, target: Node, value: Binding, declaration: Node | None) -> None:
    """Bind every name of a target to its part of a value.

    Args:
        walk: where the names are bound, in its current scope.
        target: a name, a pattern, or a parameter with its default.
        value: what it is given.
        declaration: what declares it; None for parameters.
    """
    waiting: list[tuple[Node, Binding]] = [(target, value)]
    while waiting:
        node, binding = waiting.pop()
        kind = node.type
        if kind in ("identifier", "shorthand_property_identifier_pattern"):
            _bind_name(walk, node, binding, declaration)
        elif kind == "object_pattern":
            _bind_object(walk, node, binding, waiting)
        elif kind == "array_pattern":
            _bind_array(node, binding, waiting)
        elif kind == "assignment_pattern":
            _bind_default(walk, node, binding, waiting)
        elif kind in ("required_parameter", "optional_parameter"):
            pattern = node.child_by_field_id(walk.grammar.pattern)
            default = node.child_by_field_id(walk.grammar.value)
            if pattern is not None:
                waiting.append((pattern, binding))
                if default is not None:
                    waiting.append((pattern, default))
            _visit(walk, default)
        elif kind == "rest_pattern":
            rest = Parameter(binding.position, is_rest=True) if isinstance(binding, Parameter) else Rest(binding, -1)
            waiting.extend((child, rest) for child in node.named_children[:1])
        elif kind in ("member_expression", "subscript_expression"):
            assign(walk, node, binding)
        elif kind in g.WRAPPERS:
            waiting.extend((child, binding) for child in node.named_children[:1])


def _bind_name(walk: Walk, node: Node, binding: Binding, declaration: Node | None) -> None:
    name = walk.text(node)
    if name in GUARDED and declaration is not None:
        declare(walk.scope, name, declaration)
    elif name in GUARDED:
        walk.scope.declared[name] = walk.scope.node
    walk.scope.bind(name, binding)


def _bind_object(walk: Walk, node: Node, binding: Binding, waiting: list[tuple[Node, Binding]]) -> None:
    grammar = walk.grammar
    for child in node.named_children:
        kind = child.type
        if kind == "shorthand_property_identifier_pattern":
            waiting.append((child, Taken(binding, walk.text(child))))
        elif kind == "pair_pattern":
            key, value = child.child_by_field_id(grammar.key), child.child_by_field_id(grammar.value)
            if key is not None and value is not None:
                waiting.append((value, Taken(binding, _key(walk, key))))
        elif kind == "object_assignment_pattern":
            left, right = child.child_by_field_id(grammar.left), child.child_by_field_id(grammar.right)
            if left is not None:
                waiting.append((left, Taken(binding, walk.text(left))))
                if right is not None:
                    waiting.append((left, right))
            _visit(walk, right)
        elif kind == "rest_pattern":
            waiting.extend((inner, Rest(binding, -1)) for inner in child.named_children[:1])


def _key(walk: Walk, key: Node) -> bytes | Node:
    if key.type == "computed_property_name":
        inner = key.named_children[0] if key.named_children else key
        _visit(walk, inner)
        return inner
    if key.type in ("string", "number"):
        return key
    return walk.text(key)


def _bind_array(node: Node, binding: Binding, waiting: list[tuple[Node, Binding]]) -> None:
    position = 0
    for child in node.children:
        if child.type == ",":
            position += 1
        elif child.type == "rest_pattern":
            waiting.extend((inner, Rest(binding, position)) for inner in child.named_children[:1])
        elif child.is_named and child.type != "comment":
            waiting.append((child, Taken(binding, position)))


def _bind_default(walk: Walk, node: Node, binding: Binding, waiting: list[tuple[Node, Binding]]) -> None:
    left, right = node.child_by_field_id(walk.grammar.left), node.child_by_field_id(walk.grammar.right)
    if left is not None:
        waiting.append((left, binding))
        if right is not None:
            waiting.append((left, right))
    _visit(walk, right)


def _visit(walk: Walk, node: Node | None) -> None:
    """Look at a default or a computed key: now, or with the function whose parameter it belongs to."""
    if node is None:
        return
    walk.collected.note_alias(node)
    if walk.scope.awaiting:
        walk.scope.awaiting.append(node)
    else:
        walk.stack.append(node)


def assign(walk: Walk, target: Node, value: Binding) -> None:
    """Note that a target is given a value."""
    while target.named_children and target.type in g.WRAPPERS:
        target = target.named_children[0]
    code = walk.grammar.codes[target.kind_id]
    if code == g.IDENTIFIER:
        walk.assigned.append((walk.text(target), value))
    elif code == g.MEMBER:
        _store(walk, target, target.child_by_field_id(walk.grammar.property), value)
    elif code == g.SUBSCRIPT:
        _store_item(walk, target, value)
    else:
        bind_target(walk, target, value, None)


def _store(walk: Walk, target: Node, name: Node | None, value: Binding) -> None:
    base = target.child_by_field_id(walk.grammar.object)
    if base is None or name is None:
        return
    text = walk.text(name)
    key = unescape_name(text) if b"\\" in text else text
    walk.collected.stores.setdefault(key, []).append(Store(target, value, walk.scope))
    _push_base(walk, base)


def _store_item(walk: Walk, target: Node, value: Binding) -> None:
    base, index = target.child_by_field_id(walk.grammar.object), target.child_by_field_id(walk.grammar.index)
    if base is None or index is None:
        return
    if walk.grammar.codes[index.kind_id] == g.STRING:
        key = unescape_name(walk.text(index)[1:-1])
        walk.collected.stores.setdefault(key, []).append(Store(target, value, walk.scope))
    else:
        walk.stack.append(index)
        walk.collected.item_stores.append(Store(target, value, walk.scope))
        if walk.grammar.codes[base.kind_id] == g.IDENTIFIER:
            walk.assigned.append((walk.text(base), Stored(index, value)))
    _push_base(walk, base)


def _push_base(walk: Walk, base: Node) -> None:
    """Look at what stands before an assigned property, unless it is a mere name or chain."""
    node: Node | None = base
    while node is not None and walk.grammar.codes[node.kind_id] == g.MEMBER:
        node = node.child_by_field_id(walk.grammar.object)
    if node is not None and walk.grammar.codes[node.kind_id] != g.IDENTIFIER:
        walk.stack.append(node)
