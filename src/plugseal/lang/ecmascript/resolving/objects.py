"""Objects and enumerations as they are written out."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from plugseal.lang.ecmascript.collecting.scope import Scope
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.parsing.literals import unescape
from plugseal.lang.ecmascript.resolving.applying import apply
from plugseal.lang.ecmascript.resolving.values import NO_ARGUMENTS, Mapping, Values

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_MAX_PROPERTIES = 4_096


def object_value(resolver: Resolver, node: Node, scope: Scope) -> Values:
    """Return an object literal, or the body of an enumeration, as a mapping."""
    known: dict[str, list[object]] = {}
    computed: list[tuple[object, object]] = []
    more: list[object] = []
    children = node.named_children
    resolver.fuel -= len(children) // 4
    for child in children[:_MAX_PROPERTIES]:
        _add(resolver, child, known, computed, more)

    def make(one: object) -> Values:
        if isinstance(one, Scope):
            return apply(resolver, one, NO_ARGUMENTS) if one.is_method else (one,)
        return resolver.value(cast("Node", one), scope)

    return (Mapping(known, make, computed, more),)


def _add(
    resolver: Resolver,
    child: Node,
    known: dict[str, list[object]],
    computed: list[tuple[object, object]],
    more: list[object],
) -> None:
    grammar = resolver.grammar
    code = grammar.codes[child.kind_id]
    kind = child.type
    if code == g.SHORTHAND:
        known.setdefault(resolver.text_at(child), []).append(child)
    elif code == g.PAIR or kind == "enum_assignment":
        key = child.child_by_field_id(grammar.key) or child.child_by_field_id(grammar.name)
        value = child.child_by_field_id(grammar.value)
        if key is not None and value is not None:
            _keep(resolver, key, value, known, computed)
    elif code == g.METHOD:
        function = resolver.functions.get(child.id)
        key = child.child_by_field_id(grammar.name)
        if function is not None and key is not None:
            function.is_method = any(part.type == "get" for part in child.children[:2])
            _keep(resolver, key, function, known, computed)
    elif kind == "spread_element":
        more.extend(child.named_children[:1])


def _keep(
    resolver: Resolver,
    key: Node,
    value: object,
    known: dict[str, list[object]],
    computed: list[tuple[object, object]],
) -> None:
    if key.type == "computed_property_name":
        if key.named_children:
            computed.append((key.named_children[0], value))
        return
    text = resolver.text_at(key)
    if key.type == "string":
        raw = resolver.data[key.start_byte + 1 : key.end_byte - 1].decode("utf-8", "replace")
        text = unescape(raw)
    known.setdefault(text, []).append(value)
