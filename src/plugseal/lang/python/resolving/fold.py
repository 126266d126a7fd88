"""What each kind of expression stands for. Calls have a file of their own."""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import islice, product
from typing import TYPE_CHECKING, Any, Final, cast

from plugseal.lang.folded import HOLE, MAX_ITEMS, Text
from plugseal.lang.judging.telling import MAX_COMBINED
from plugseal.lang.python.collecting.names import REFLECTIVE
from plugseal.lang.python.collecting.scope import Scope
from plugseal.lang.python.resolving.applying import with_names
from plugseal.lang.python.resolving.calls import call_value
from plugseal.lang.python.resolving.combine import combine, items_of, join_texts, text_or_hole
from plugseal.lang.python.resolving.members import inside_of, item, member
from plugseal.lang.python.resolving.picked import picked_by_name
from plugseal.lang.python.resolving.texts import format_value, slice_of
from plugseal.lang.python.resolving.values import (
    MAX_ALTERNATIVES,
    AnyValue,
    Instance,
    Mapping,
    Sequence,
    Values,
    unique,
)

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolver import Resolver

_MAX_CHAIN: Final = 2_000


def _attribute(resolver: Resolver, node: ast.Attribute, scope: Scope) -> Values:
    base = resolver.value(node.value, scope)
    found: list[AnyValue] = []
    for value in base:
        found.extend(member(resolver, value, node.attr))
    if not found and node.attr in resolver.stores:
        found = _stored(resolver, node, base)
    if not base and not found and node.attr in REFLECTIVE:
        return inside_of(resolver, node.attr)
    return unique(found)


def _stored(resolver: Resolver, node: ast.Attribute, base: Values) -> list[AnyValue]:
    """Return what was assigned to this attribute of the same object, as far as both are written alike."""
    written = _written(node.value)
    classes = {value for value in base if isinstance(value, Scope)} | {v.of for v in base if isinstance(v, Instance)}
    found: list[AnyValue] = []
    for target, binding, owner in resolver.stores[node.attr][: MAX_ALTERNATIVES * 2]:
        same = written is not None and _written(target) == written
        if not same and classes:
            same = any(v in classes or getattr(v, "of", None) in classes for v in resolver.value(target, owner))
        if same:
            found.extend(resolver.bound(binding, owner))
    return found


def _written(node: ast.expr) -> str | None:
    """Return a dotted chain as it is written, or None for everything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join((node.id, *reversed(parts))) if isinstance(node, ast.Name) else None


def _binary(resolver: Resolver, node: ast.BinOp, scope: Scope) -> Values:
    """Fold a left-leaning chain without recursion."""
    chain: list[ast.BinOp] = []
    current: ast.expr = node
    while current.__class__ is ast.BinOp:
        chain.append(current)
        current = current.left
    if len(chain) > _MAX_CHAIN:
        return ()
    values = resolver.value(current, scope)
    for operation in reversed(chain):
        values = combine(resolver, values, operation.op, resolver.value(operation.right, scope))
        resolver.fuel -= 1
    return values


def _joined(resolver: Resolver, node: ast.JoinedStr, scope: Scope) -> Values:
    parts: list[list[Text]] = []
    for piece in node.values[:MAX_ITEMS]:
        if isinstance(piece, ast.Constant):
            parts.append([Text(str(piece.value))])
        elif isinstance(piece, ast.FormattedValue):
            parts.append(_formatted(resolver, piece, scope))
    found: list[AnyValue] = []
    for chosen in islice(product(*parts), MAX_COMBINED):
        joined = join_texts(chosen)
        if joined is not None and joined.value != HOLE:
            found.append(joined)
    return unique(found)


def _formatted(resolver: Resolver, piece: ast.FormattedValue, scope: Scope) -> list[Text]:
    rest = ""
    if piece.format_spec is not None:
        spec = resolver.text(piece.format_spec, scope)
        rest = "?" if spec is None else ":" + spec
    elif piece.conversion in (97, 114, 115):
        rest = "!" + chr(piece.conversion)
    found: list[Text] = []
    for value in resolver.value(piece.value, scope):
        if isinstance(value, Text) and value.whole:
            shown = format_value(value.value, rest)
            found.append(Text(HOLE, whole=False) if shown is None else Text(shown))
        elif rest in ("", "!s"):
            found.append(text_or_hole(value))
    return found or [Text(HOLE, whole=False)]


def _sequence(resolver: Resolver, node: ast.List | ast.Tuple | ast.Set, scope: Scope) -> Values:
    if len(node.elts) > MAX_ITEMS:
        return ()
    if not any(element.__class__ is ast.Starred for element in node.elts):
        return (Sequence(None, (resolver, node.elts, scope)),)
    items: list[Values] = []
    for element in node.elts:
        if isinstance(element, ast.Starred):
            inner = [items_of(value) for value in resolver.value(element.value, scope)[:1]]
            items.extend(inner[0] if inner and inner[0] is not None else ((),))
        else:
            items.append(resolver.value(element, scope))
    return (Sequence(tuple(items)),)


def _dictionary(resolver: Resolver, node: ast.Dict, scope: Scope) -> Values:
    if len(node.keys) > MAX_ITEMS:
        return ()
    if None not in node.keys:
        return (Mapping(None, (resolver, cast("list[ast.expr]", node.keys), node.values, scope)),)
    pairs: list[tuple[Values, Values]] = []
    for key, value in zip(node.keys, node.values, strict=True):
        given = resolver.value(value, scope)
        if key is None:
            pairs.extend(pair for one in given if isinstance(one, Mapping) for pair in one.pairs)
        else:
            pairs.append((resolver.value(key, scope), given))
    return (Mapping(tuple(pairs)),)


def _subscript(resolver: Resolver, node: ast.Subscript, scope: Scope) -> Values:
    base = resolver.value(node.value, scope)
    if not base:
        return ()
    if isinstance(node.slice, ast.Slice):
        bounds = _bounds(resolver, node.slice, scope)
        if bounds is None:
            return ()
        sliced = [slice_of(value, bounds) for value in base]
        return unique([value for value in sliced if value is not None])
    if isinstance(node.slice, ast.Name) and node.slice.id == "__name__" and "sys.modules" in base:
        return (resolver.root,)
    index = resolver.value(node.slice, scope)
    return unique([found for value in base for found in item(resolver, value, index)])


def _bounds(resolver: Resolver, node: ast.Slice, scope: Scope) -> tuple[int | None, int | None, int | None] | None:
    found: list[int | None] = []
    for part in (node.lower, node.upper, node.step):
        if part is None:
            found.append(None)
            continue
        numbers = [v.value for v in resolver.value(part, scope) if isinstance(v, Text) and isinstance(v.value, int)]
        if len(numbers) != 1:
            if isinstance(part, ast.Constant) and part.value is None:
                found.append(None)
                continue
            return None
        found.append(numbers[0])
    return found[0], found[1], found[2]


def _either(resolver: Resolver, node: ast.IfExp, scope: Scope) -> Values:
    return unique([*resolver.value(node.body, scope), *resolver.value(node.orelse, scope)])


def _boolean(resolver: Resolver, node: ast.BoolOp, scope: Scope) -> Values:
    return unique([value for part in node.values[:64] for value in resolver.value(part, scope)])


def _inner(resolver: Resolver, node: ast.NamedExpr | ast.Await | ast.Starred, scope: Scope) -> Values:
    return resolver.value(node.value, scope)


def _lambda(resolver: Resolver, node: ast.Lambda, _scope: Scope) -> Values:
    inner = resolver.lambdas.get(node)
    return (inner,) if inner is not None else ()


def _unary(resolver: Resolver, node: ast.UnaryOp, scope: Scope) -> Values:
    found: list[AnyValue] = []
    kind = node.op.__class__
    for value in resolver.value(node.operand, scope):
        if not isinstance(value, Text) or not isinstance(value.value, int):
            continue
        if kind is ast.USub:
            found.append(Text(-value.value))
        elif kind is ast.Invert:
            found.append(Text(~value.value))
        elif kind is ast.UAdd:
            found.append(Text(+value.value))
    if kind is ast.Not:
        return tuple(Text(not v.value) for v in resolver.value(node.operand, scope) if isinstance(v, Text) and v.whole)
    return unique(found)


def _comprehension(resolver: Resolver, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, scope: Scope) -> Values:
    """Evaluate a comprehension over known items, element by element."""
    generator = node.generators[0]
    if len(node.generators) != 1 or generator.ifs:
        return picked_by_name(resolver, node, scope) or _loose_comprehension(resolver, node, scope)
    for source in resolver.value(generator.iter, scope):
        items = items_of(source)
        if items is None or len(items) > MAX_ITEMS or len(items) > resolver.fuel:
            continue
        found: list[Values] = []
        for values in items:
            names = target_names(generator.target, values)
            if names is None:
                return ()
            resolver.fuel -= 1
            found.append(with_names(resolver, scope, names, node.elt))
        return (Sequence(tuple(found)),)
    return _loose_comprehension(resolver, node, scope)


def _loose_comprehension(
    resolver: Resolver, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, scope: Scope
) -> Values:
    """Return a sequence of one item: what the element may be, where the items themselves are not known."""
    values = resolver.value(node.elt, scope)
    named = tuple(value for value in values if not isinstance(value, Text))
    return (Sequence((named,)),) if named else ()


def target_names(target: ast.expr, values: Values) -> dict[str, Values] | None:
    """Return what the names of a loop's target stand for in one round, or None for other kinds of target."""
    if isinstance(target, ast.Name):
        return {target.id: values}
    if not isinstance(target, (ast.Tuple, ast.List)):
        return None
    names: dict[str, Values] = {}
    for value in values[:1]:
        items = items_of(value)
        if items is None or len(items) != len(target.elts):
            return None
        for part, given in zip(target.elts, items, strict=True):
            if not isinstance(part, ast.Name):
                return None
            names[part.id] = given
    return names or None


EVALUATORS: Final = cast(
    "dict[type, Callable[[Resolver, Any, Scope], Values]]",
    {
        ast.Attribute: _attribute,
        ast.BinOp: _binary,
        ast.JoinedStr: _joined,
        ast.List: _sequence,
        ast.Tuple: _sequence,
        ast.Set: _sequence,
        ast.Dict: _dictionary,
        ast.Subscript: _subscript,
        ast.Call: call_value,
        ast.IfExp: _either,
        ast.BoolOp: _boolean,
        ast.NamedExpr: _inner,
        ast.Await: _inner,
        ast.Starred: _inner,
        ast.Lambda: _lambda,
        ast.UnaryOp: _unary,
        ast.ListComp: _comprehension,
        ast.SetComp: _comprehension,
        ast.GeneratorExp: _comprehension,
    },
)
"""By class of node: the function that says what it stands for."""
