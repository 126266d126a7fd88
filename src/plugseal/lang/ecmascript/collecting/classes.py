"""Classes: their methods, fields and static members, and what runs when they are defined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugseal.lang.ecmascript.collecting.patterns import GUARDED, declare
from plugseal.lang.ecmascript.collecting.scope import CLASS, Scope, Typed, Within
from plugseal.lang.ecmascript.collecting.signatures import note_function, type_of
from plugseal.lang.ecmascript.parsing import grammar as g

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.collect import Collector
    from plugseal.lang.ecmascript.parsing.parse import Node


def note_class(collector: Collector, node: Node) -> None:
    """Note a class; its methods become functions whose `this` it is."""
    grammar = collector.grammar
    name = node.child_by_field_id(grammar.name)
    text = collector.text(name) if name is not None else b"<anonymous>"
    scope = Scope(CLASS, text.decode("utf-8", "replace"), node, collector.scope)
    collector.collected.scopes.append(scope)
    collector.collected.functions[node.id] = scope
    if name is not None:
        if text in GUARDED:
            declare(collector.scope, text, node)
        collector.scope.bind(text, scope)
    for child in node.named_children:
        if child.type == "class_heritage":
            _note_heritage(collector, child, scope)
        elif child.type == "class_body":
            for member in child.named_children:
                _note_member(collector, member, scope)
        elif child.type == "decorator":
            collector.stack.append(child)


def _note_heritage(collector: Collector, heritage: Node, scope: Scope) -> None:
    for part in heritage.named_children:
        if part.type == "extends_clause":
            value = part.child_by_field_id(collector.grammar.value)
            scope.superclass = value
        elif part.type != "implements_clause" and scope.superclass is None:
            scope.superclass = part
    if scope.superclass is not None:
        collector.stack.append(scope.superclass)


def _note_member(collector: Collector, member: Node, scope: Scope) -> None:
    grammar, code = collector.grammar, collector.grammar.codes[member.kind_id]
    if code not in (g.METHOD, g.FIELD):
        collector.stack.append(member)
        return
    words = {child.type for child in member.children if not child.is_named}
    key = member.child_by_field_id(grammar.name) or member.child_by_field_id(grammar.property)
    collector.stack.extend(child for child in member.named_children if child.type == "decorator")
    name = _key(collector, key)
    if code == g.METHOD:
        function = note_function(collector, member)
        function.home, function.is_method = scope, "get" in words
        scope.bodies.append(function)
        _keep(collector, scope, name, function, is_static="static" in words)
        if name == b"constructor":
            _keep_parameters(collector, member, scope, function)
        return
    type_name = type_of(collector, member)
    if type_name is not None and name is not None:
        scope.bind(name, Typed(type_name))
        collector.collected.note_key(name, Typed(type_name), collector.scope)
    value = member.child_by_field_id(grammar.value)
    if value is not None:
        if grammar.codes[value.kind_id] == g.FUNCTION_EXPRESSION:
            function = note_function(collector, value)
            function.home = scope
            scope.bodies.append(function)
            _keep(collector, scope, name, function, is_static="static" in words)
            return
        collector.stack.append(value)
        _keep(collector, scope, name, value, is_static="static" in words)


def _keep_parameters(collector: Collector, member: Node, scope: Scope, function: Scope) -> None:
    """Note the parameters of a constructor that are properties too: `constructor(private db: Database)`."""
    parameters = member.child_by_field_id(collector.grammar.parameters)
    for child in parameters.named_children if parameters is not None else ():
        if any(part.type in ("accessibility_modifier", "readonly") for part in child.children[:3]):
            pattern = child.child_by_field_id(collector.grammar.pattern)
            if pattern is not None:
                name = collector.text(pattern)
                for binding in function.bindings.get(name, ()):
                    scope.bind(name, Within(binding, function))
                    collector.collected.note_key(name, Within(binding, function), collector.scope)


def _keep(collector: Collector, scope: Scope, name: bytes | None, value: Scope | Node, *, is_static: bool) -> None:
    if name is None:
        return
    if not isinstance(value, Scope) or value.is_method:
        collector.collected.note_key(name, value, collector.scope)
    if is_static:
        scope.statics.setdefault(name, []).append(value)
    else:
        scope.bind(name, value)


def _key(collector: Collector, key: Node | None) -> bytes | None:
    if key is None:
        return None
    if key.type == "computed_property_name":
        collector.stack.extend(key.named_children)
        inner = key.named_children[0] if key.named_children else None
        return collector.text(inner)[1:-1] if inner is not None and inner.type == "string" else None
    text = collector.text(key)
    return text[1:-1] if key.type == "string" else text
