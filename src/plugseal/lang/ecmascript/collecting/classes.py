"""Classes: their methods, fields and static members, and what runs when they are defined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugseal.lang.ecmascript.collecting.patterns import GUARDED, declare
from plugseal.lang.ecmascript.collecting.scope import CLASS, Scope, Typed, Within
from plugseal.lang.ecmascript.collecting.signatures import note_function, type_of
from plugseal.lang.ecmascript.parsing import grammar as g

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.walk import Walk
    from plugseal.lang.ecmascript.parsing.parse import Node


def note_class(walk: Walk, node: Node) -> None:
    """Note a class; its methods become functions whose `this` it is."""
    grammar = walk.grammar
    name = node.child_by_field_id(grammar.name)
    text = walk.text(name) if name is not None else b"<anonymous>"
    scope = Scope(CLASS, text.decode("utf-8", "replace"), node, walk.scope)
    walk.collected.scopes.append(scope)
    walk.collected.functions[node.id] = scope
    if name is not None:
        if text in GUARDED:
            declare(walk.scope, text, node)
        walk.scope.bind(text, scope)
    for child in node.named_children:
        if child.type == "class_heritage":
            _note_heritage(walk, child, scope)
        elif child.type == "class_body":
            for member in child.named_children:
                _note_member(walk, member, scope)
        elif child.type == "decorator":
            walk.stack.append(child)


def _note_heritage(walk: Walk, heritage: Node, scope: Scope) -> None:
    for part in heritage.named_children:
        if part.type == "extends_clause":
            value = part.child_by_field_id(walk.grammar.value)
            scope.superclass = value
        elif part.type != "implements_clause" and scope.superclass is None:
            scope.superclass = part
    if scope.superclass is not None:
        walk.stack.append(scope.superclass)


def _note_member(walk: Walk, member: Node, scope: Scope) -> None:
    grammar, code = walk.grammar, walk.grammar.codes[member.kind_id]
    if code not in (g.METHOD, g.FIELD):
        walk.stack.append(member)
        return
    words = {child.type for child in member.children if not child.is_named}
    key = member.child_by_field_id(grammar.name) or member.child_by_field_id(grammar.property)
    walk.stack.extend(child for child in member.named_children if child.type == "decorator")
    name = _key(walk, key)
    if code == g.METHOD:
        function = note_function(walk, member)
        function.home, function.is_method = scope, "get" in words
        scope.bodies.append(function)
        _keep(walk, scope, name, function, is_static="static" in words)
        if name == b"constructor":
            _keep_parameters(walk, member, scope, function)
        return
    type_name = type_of(walk, member)
    if type_name is not None and name is not None:
        scope.bind(name, Typed(type_name))
        walk.collected.note_key(name, Typed(type_name), walk.scope)
    value = member.child_by_field_id(grammar.value)
    if value is not None:
        if grammar.codes[value.kind_id] == g.FUNCTION_EXPRESSION:
            function = note_function(walk, value)
            function.home = scope
            scope.bodies.append(function)
            _keep(walk, scope, name, function, is_static="static" in words)
            return
        walk.stack.append(value)
        _keep(walk, scope, name, value, is_static="static" in words)


def _keep_parameters(walk: Walk, member: Node, scope: Scope, function: Scope) -> None:
    """Note the parameters of a constructor that are properties too: `constructor(private db: Database)`."""
    parameters = member.child_by_field_id(walk.grammar.parameters)
    for child in parameters.named_children if parameters is not None else ():
        if any(part.type in ("accessibility_modifier", "readonly") for part in child.children[:3]):
            pattern = child.child_by_field_id(walk.grammar.pattern)
            if pattern is not None:
                name = walk.text(pattern)
                for binding in function.bindings.get(name, ()):
                    scope.bind(name, Within(binding, function))
                    walk.collected.note_key(name, Within(binding, function), walk.scope)


def _keep(walk: Walk, scope: Scope, name: bytes | None, value: Scope | Node, *, is_static: bool) -> None:
    if name is None:
        return
    if not isinstance(value, Scope) or value.is_method:
        walk.collected.note_key(name, value, walk.scope)
    if is_static:
        scope.statics.setdefault(name, []).append(value)
    else:
        scope.bind(name, value)


def _key(walk: Walk, key: Node | None) -> bytes | None:
    if key is None:
        return None
    if key.type == "computed_property_name":
        walk.stack.extend(key.named_children)
        inner = key.named_children[0] if key.named_children else None
        return walk.text(inner)[1:-1] if inner is not None and inner.type == "string" else None
    text = walk.text(key)
    return text[1:-1] if key.type == "string" else text
