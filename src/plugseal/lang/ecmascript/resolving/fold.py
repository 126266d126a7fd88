"""What each kind of expression stands for: constants folded, containers kept, names followed."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.scope import Scope
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.parsing.literals import unescape
from plugseal.lang.ecmascript.resolving.applying import this_of
from plugseal.lang.ecmascript.resolving.calls import call_value
from plugseal.lang.ecmascript.resolving.combine import add_all, as_texts, calculate, is_number, join, number
from plugseal.lang.ecmascript.resolving.members import items_of, member_of, stored_members
from plugseal.lang.ecmascript.resolving.names import FUNCTION_MAKER, IMPORT, META
from plugseal.lang.ecmascript.resolving.objects import object_value
from plugseal.lang.ecmascript.resolving.values import (
    MAX_ALTERNATIVES,
    MAX_QUALIFIED,
    AnyValue,
    Made,
    Mapping,
    Sequence,
    Values,
    unique,
)
from plugseal.lang.folded import HOLE, MAX_TEXT, Text

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugseal.lang.ecmascript.parsing.grammar import Grammar
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_MAX_OPERANDS: Final = 8_192
_MAX_HELD: Final = 64
"""Properties of an object that are looked at where any may be meant."""
_MAX_CHOICES: Final = 8
"""Texts that one template may be."""


def _string(resolver: Resolver, node: Node, _scope: Scope) -> Values:
    if node.end_byte - node.start_byte > MAX_TEXT:
        return ()
    text = resolver.data[node.start_byte + 1 : node.end_byte - 1].decode("utf-8", "replace")
    return (Text(unescape(text)),)


def _template(resolver: Resolver, node: Node, scope: Scope) -> Values:
    if node.end_byte - node.start_byte > MAX_TEXT:
        return ()
    texts: list[Text] = [Text("")]
    at = node.start_byte + 1
    for child in node.named_children:
        if child.type != "template_substitution":
            continue
        before = Text(_piece(resolver, at, child.start_byte))
        at = child.end_byte
        values = resolver.value(child.named_children[0], scope) if child.named_children else ()
        holes = as_texts(values, _MAX_CHOICES // len(texts) or 1)
        texts = [made for text in texts for hole in holes if (made := join([text, before, hole])) is not None] or [
            Text(HOLE, whole=False)
        ]
    last = Text(_piece(resolver, at, node.end_byte - 1))
    return unique([made for text in texts if (made := join([text, last])) is not None])


def _piece(resolver: Resolver, start: int, end: int) -> str:
    return unescape(resolver.data[start:end].decode("utf-8", "replace").replace("\r\n", "\n"))


def _number(resolver: Resolver, node: Node, _scope: Scope) -> Values:
    text = resolver.data[node.start_byte : node.end_byte].decode("ascii", "replace").replace("_", "").rstrip("n")
    try:
        made = number(float(int(text, 0)) if text[:2].lower() in ("0x", "0o", "0b") else float(text))
    except ValueError:
        return ()
    return (made,) if made is not None else ()


def _constant(value: bool | None) -> Callable[[Resolver, Node, Scope], Values]:
    values: Values = (Text(value),)
    return lambda _resolver, _node, _scope: values


def _member(resolver: Resolver, node: Node, scope: Scope) -> Values:
    grammar = resolver.grammar
    base, name = node.child_by_field_id(grammar.object), node.child_by_field_id(grammar.property)
    if base is None or name is None:
        return ()
    return _property(resolver, node, base, resolver.text_at(name), scope)


def _property(resolver: Resolver, node: Node, base: Node, name: str, scope: Scope) -> Values:
    found = [one for value in resolver.value(base, scope) for one in member_of(resolver, value, name)]
    found.extend(stored_members(resolver, node, base, name, scope))
    if not found and name == "constructor" and _is_constructor(resolver, base):
        return (FUNCTION_MAKER,)
    return unique(found)


def _is_constructor(resolver: Resolver, node: Node) -> bool:
    """Say whether an expression is `anything.constructor`: whose constructor in turn makes functions of text."""
    code = resolver.grammar.codes[node.kind_id]
    if code == g.MEMBER:
        name = node.child_by_field_id(resolver.grammar.property)
        return name is not None and resolver.text_at(name) == "constructor"
    return code == g.SUBSCRIPT and resolver.data[node.start_byte : node.end_byte].endswith(
        (b'["constructor"]', b"['constructor']")
    )


def _subscript(resolver: Resolver, node: Node, scope: Scope) -> Values:
    grammar = resolver.grammar
    base, index = node.child_by_field_id(grammar.object), node.child_by_field_id(grammar.index)
    if base is None or index is None:
        return ()
    indexes = resolver.value(index, scope)
    keys = [value for value in indexes if isinstance(value, Text) and value.whole]
    found: list[AnyValue] = []
    if not keys or any(isinstance(one, Text) and one.value == HOLE for one in indexes):
        found.extend(one for value in resolver.value(base, scope) for one in _any_item(resolver, value))
    for key in keys[:MAX_ALTERNATIVES]:
        if isinstance(key.value, str):
            found.extend(_property(resolver, node, base, key.value, scope))
        elif is_number(key.value) and isinstance(key.value, int):
            found.extend(_property(resolver, node, base, str(key.value), scope))
    return unique(found)


def _any_item(resolver: Resolver, value: AnyValue) -> Values:
    if isinstance(value, Mapping):
        return tuple(value.held(_MAX_HELD))
    if isinstance(value, Sequence):
        return items_of(resolver, value)
    if isinstance(value, Made) and len(value.name) <= MAX_QUALIFIED:
        known = resolver.tables.canonical(f"{value.name}[]")
        return (Made(known, value.arguments),) if not known.endswith("[]") else ()
    return ()


def _binary(resolver: Resolver, node: Node, scope: Scope) -> Values:
    grammar = resolver.grammar
    operands: list[tuple[str, Node]] = []
    left: Node | None = node
    # A long sum leans to the left, deeper than anything may recurse.
    while left is not None and grammar.codes[left.kind_id] == g.BINARY and len(operands) < _MAX_OPERANDS:
        right = left.child_by_field_id(grammar.right)
        inner = left.child_by_field_id(grammar.left)
        if right is None or inner is None:
            return ()
        operator = resolver.data[inner.end_byte : right.start_byte].strip().decode("ascii", "replace")
        if operands and operator != "+":
            break
        operands.append((operator, right))
        left = inner
        if operator != "+":
            break
    if left is None:
        return ()
    values = resolver.value(left, scope)
    resolver.fuel -= len(operands) // 4
    for operator, operand in reversed(operands):
        values = _operate(resolver, operator, values, operand, scope)
        if not values and resolver.fuel < 0:
            break
    return values


def _operate(resolver: Resolver, operator: str, left: Values, operand: Node, scope: Scope) -> Values:
    right = resolver.value(operand, scope)
    if operator == "+":
        return add_all(left, right)
    if operator in ("||", "??"):
        return unique([*left, *right])
    if operator == "&&":
        return right
    found = [made for one in left[:2] for other in right[:2] if (made := calculate(operator, one, other)) is not None]
    return unique(list(found))


def _unary(resolver: Resolver, node: Node, scope: Scope) -> Values:
    operand = node.child_by_field_id(resolver.grammar.argument)
    if operand is None:
        return ()
    operator = resolver.data[node.start_byte : operand.start_byte].strip()
    if operator == b"void":
        return (Text(None),)
    if operator in (b"!", b"+", b"-", b"~"):
        values = resolver.value(operand, scope)[:2]
        return unique([made for value in values if (made := _negate(operator, value)) is not None])
    return resolver.value(operand, scope) if operator == b"await" else ()


def _negate(operator: bytes, value: AnyValue) -> Text | None:
    if operator == b"!":
        if isinstance(value, Text):
            return Text(not value.value) if value.whole else None
        return Text(value=False)
    held = value.value if isinstance(value, Text) and value.whole else None
    if isinstance(value, Sequence):
        held = 0 if value.size == 0 else None
    if isinstance(held, str):
        try:
            held = float(held.strip() or 0)
        except ValueError:
            return None
    if not isinstance(held, (int, float)):
        return None
    if operator == b"~":
        return number(float(~int(held)))
    return number(-float(held) if operator == b"-" else float(held))


def _inner(resolver: Resolver, node: Node, scope: Scope) -> Values:
    children = [child for child in node.named_children if child.type != "comment"]
    return resolver.value(children[0], scope) if children else ()


def _last(resolver: Resolver, node: Node, scope: Scope) -> Values:
    children = [child for child in node.named_children if child.type != "comment"]
    return resolver.value(children[-1], scope) if children else ()


def _ternary(resolver: Resolver, node: Node, scope: Scope) -> Values:
    grammar = resolver.grammar
    found: list[AnyValue] = []
    branch: Node | None = node
    count = 0
    while branch is not None and branch.type == "ternary_expression" and count < 64:
        count += 1
        chosen = branch.child_by_field_id(grammar.consequence)
        if chosen is not None:
            found.extend(resolver.value(chosen, scope))
        branch = branch.child_by_field_id(grammar.alternative)
    if branch is not None:
        found.extend(resolver.value(branch, scope))
    return unique(found)


def _array(resolver: Resolver, node: Node, scope: Scope) -> Values:
    children = [child for child in node.named_children if child.type != "comment"]
    if not any(child.type == "spread_element" for child in children):
        return (Sequence(None, len(children), lambda at: resolver.value(children[at], scope)),)
    items: list[Values] = []
    for child in children[:MAX_OPERANDS]:
        if child.type != "spread_element":
            items.append(resolver.value(child, scope))
            continue
        for value in resolver.value(child, scope)[:1]:
            if isinstance(value, Sequence):
                items.extend(value.items)
            elif isinstance(value, Text) and isinstance(value.value, str) and value.whole:
                items.extend((Text(one),) for one in value.value)
            else:
                items.append((value,))
    if not items and children[0].type == "spread_element" and not resolver.value(children[0], scope):
        return ()  # `[...unknown]` is no empty array.
    return (Sequence(tuple(items[:MAX_OPERANDS])),)


MAX_OPERANDS: Final = 4_096


def _function(resolver: Resolver, node: Node, _scope: Scope) -> Values:
    known = resolver.functions.get(node.id)
    return (known,) if known is not None else ()


def _assigned(resolver: Resolver, node: Node, scope: Scope) -> Values:
    right = node.child_by_field_id(resolver.grammar.right)
    return resolver.value(right, scope) if right is not None else ()


def _shorthand(resolver: Resolver, node: Node, scope: Scope) -> Values:
    return resolver.name(resolver.data[node.start_byte : node.end_byte], scope)


def _this(resolver: Resolver, _node: Node, scope: Scope) -> Values:
    return this_of(resolver, scope)


def _meta(resolver: Resolver, node: Node, _scope: Scope) -> Values:
    return (META,) if resolver.data.startswith(b"import", node.start_byte) else ()


def _import(_resolver: Resolver, _node: Node, _scope: Scope) -> Values:
    return (IMPORT,)


_EVALUATORS: Final[dict[str, Callable[[Resolver, Node, Scope], Values]]] = {
    "string": _string,
    "template_string": _template,
    "number": _number,
    "true": _constant(True),
    "false": _constant(False),
    "null": _constant(None),
    "undefined": _constant(None),
    "member_expression": _member,
    "nested_identifier": _member,
    "subscript_expression": _subscript,
    "call_expression": call_value,
    "new_expression": call_value,
    "binary_expression": _binary,
    "unary_expression": _unary,
    "sequence_expression": _last,
    "ternary_expression": _ternary,
    "array": _array,
    "object": object_value,
    "enum_body": object_value,
    "arrow_function": _function,
    "function_expression": _function,
    "generator_function": _function,
    "class": _function,
    "class_declaration": _function,
    "function_declaration": _function,
    "assignment_expression": _assigned,
    "augmented_assignment_expression": _assigned,
    "shorthand_property_identifier": _shorthand,
    "spread_element": _inner,
    "yield_expression": _inner,
    "type_assertion": _last,
    "parenthesized_expression": _inner,
    "as_expression": _inner,
    "satisfies_expression": _inner,
    "non_null_expression": _inner,
    "await_expression": _inner,
    "instantiation_expression": _inner,
    "this": _this,
    "meta_property": _meta,
    "import": _import,
}


@lru_cache(maxsize=3)
def evaluators_of(grammar: Grammar) -> list[Callable[[Resolver, Node, Scope], Values] | None]:
    """Return the evaluators of a grammar's expressions by the number of their kind."""
    found: list[Callable[[Resolver, Node, Scope], Values] | None] = [None] * 65_536
    for kind, evaluate in _EVALUATORS.items():
        for number_ in grammar.ids.get(kind, ()):
            found[number_] = evaluate
    return found
