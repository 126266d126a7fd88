"""Operators and iteration over values that are known: concatenation, arithmetic, paths, items.

Results are bounded before they are computed, so that no expression can grow past `MAX_TEXT` characters or
`MAX_ITEMS` items.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from plugseal.lang.folded import HOLE, MAX_ITEMS, MAX_TEXT, Text
from plugseal.lang.judging.paths import join_paths
from plugseal.lang.python.collecting.scope import Scope
from plugseal.lang.python.resolving.applying import apply
from plugseal.lang.python.resolving.members import class_member
from plugseal.lang.python.resolving.paths import PATH_TYPE, path_text
from plugseal.lang.python.resolving.texts import format_percent
from plugseal.lang.python.resolving.values import (
    MAX_ALTERNATIVES,
    NO_ARGUMENTS,
    AnyValue,
    Instance,
    Made,
    Mapping,
    Sequence,
    Values,
    unique,
)

if TYPE_CHECKING:
    from plugseal.lang.python.collecting.scope import Item
    from plugseal.lang.python.resolving.resolver import Resolver

_HOOK_LEVEL: Final = 8
"""How deep evaluation may be nested where a hook of a class is still asked: trees of objects lead into one another."""
_MAX_NUMBER: Final = 1 << 64
_ARITHMETIC: Final[dict[type, Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.BitXor: operator.xor,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_SHIFTS: Final[dict[type, Callable[[Any, Any], Any]]] = {ast.LShift: operator.lshift, ast.RShift: operator.rshift}


def combine(resolver: Resolver, left: Values, operation: ast.operator, right: Values) -> Values:
    """Return what a binary operator gives; empty where it is not known."""
    kind = operation.__class__
    if kind is ast.Div:
        return _divide(left, right)
    found: list[AnyValue] = []
    for one in left[:MAX_ALTERNATIVES] or (None,):
        for other in right[:MAX_ALTERNATIVES] or (None,):
            if isinstance(one, Text) and kind is ast.Mod and isinstance(one.value, (str, bytes)):
                found.extend(format_percent(one, other))
            elif (value := _combine_two(one, kind, other)) is not None:
                found.append(value)
    if not found:
        found = [
            resolver.tables.canonical(f"{name}.{_DUNDERS[kind]}()")
            for name in (one.name if isinstance(one, Made) else one for one in left)
            if kind in _DUNDERS and isinstance(name, str) and resolver.tables.has_result(f"{name}.{_DUNDERS[kind]}()")
        ]
    return unique(found)


_DUNDERS: Final[dict[type, str]] = {
    ast.BitOr: "__or__",
    ast.RShift: "__rshift__",
    ast.Mod: "__mod__",
    ast.Add: "__add__",
}


def _combine_two(left: AnyValue | None, kind: type, right: AnyValue | None) -> AnyValue | None:
    if kind is ast.Add:
        return _add(left, right)
    if kind is ast.Mult:
        return _multiply(left, right)
    if kind is ast.BitOr and isinstance(left, Mapping) and isinstance(right, Mapping):
        return Mapping((right.pairs + left.pairs)[:MAX_ITEMS])
    if not (isinstance(left, Text) and isinstance(right, Text)):
        return None
    return _calculate(left.value, kind, right.value)


def _calculate(left: object, kind: type, right: object) -> Text | None:
    if not (isinstance(left, int) and isinstance(right, int)):
        return None
    if abs(left) >= _MAX_NUMBER or abs(right) >= _MAX_NUMBER:
        return None
    operation = _ARITHMETIC.get(kind)
    if kind in _SHIFTS and 0 <= right <= 64:
        operation = _SHIFTS[kind]
    if kind is ast.Pow and 0 <= right <= 64 and abs(left) <= 1 << 16:
        operation = operator.pow
    if operation is None or (kind in (ast.FloorDiv, ast.Mod) and right == 0):
        return None
    return Text(operation(left, right))


def _add(left: AnyValue | None, right: AnyValue | None) -> AnyValue | None:
    if isinstance(left, Sequence) and isinstance(right, Sequence):
        return Sequence((left.items + right.items)[:MAX_ITEMS])
    if isinstance(left, Sequence) or isinstance(right, Sequence):
        items = left.items if isinstance(left, Sequence) else ()
        return Sequence((*items, ())) if items else None
    if isinstance(left, Text) and isinstance(right, Text):
        if isinstance(left.value, (int, float)) or isinstance(right.value, (int, float)):
            return _calculate(left.value, ast.Add, right.value)
        return join_texts((left, right))
    one = left if isinstance(left, Text) else right if isinstance(right, Text) else None
    if one is None or not isinstance(one.value, str):
        return None
    return join_texts((text_or_hole(left), text_or_hole(right)))


def text_or_hole(value: AnyValue | None) -> Text:
    """Return text as it is, a path as its text, everything else as one hole."""
    if isinstance(value, Text) and isinstance(value.value, (str, bytes)):
        return value
    if isinstance(value, Made):
        known = path_text(value)
        if known is not None:
            return known
    return Text(HOLE, whole=False)


def join_texts(parts: tuple[Text, ...] | list[Text]) -> Text | None:
    """Return texts one after another; None where text meets bytes or the whole grows too long."""
    values = [part.value for part in parts]
    whole = all(part.whole for part in parts)
    if all(isinstance(value, str) for value in values):
        if sum(map(len, values)) > MAX_TEXT:  # type: ignore[arg-type]  # all are str
            return None
        return Text("".join(values), whole)  # type: ignore[arg-type]  # all are str
    if all(isinstance(value, bytes) for value in values) and sum(map(len, values)) <= MAX_TEXT:  # type: ignore[arg-type]  # all are bytes
        return Text(b"".join(values), whole)  # type: ignore[arg-type]  # all are bytes
    return None


def _multiply(left: AnyValue | None, right: AnyValue | None) -> AnyValue | None:
    if isinstance(right, (Text, Sequence)) and isinstance(left, Text) and isinstance(left.value, int):
        left, right = right, left
    if not (isinstance(right, Text) and isinstance(right.value, int)):
        return None
    times = right.value
    if isinstance(left, Text):
        if isinstance(left.value, (str, bytes)):
            # Nothing, however many times, is nothing; but Python itself refuses a number that is no index.
            fits = 0 <= times <= MAX_TEXT and len(left.value) * times <= MAX_TEXT
            return Text(left.value * times, left.whole) if fits else None
        return _calculate(left.value, ast.Mult, times)
    if isinstance(left, Sequence):
        fits = 0 <= times <= MAX_ITEMS and len(left.items) * times <= MAX_ITEMS
        return Sequence(left.items * times) if fits else None
    return None


def _divide(left: Values, right: Values) -> Values:
    """Join paths: `/` means nothing else that matters here."""
    found: list[AnyValue] = []
    for one in left[:MAX_ALTERNATIVES]:
        if isinstance(one, Made) and one.name == PATH_TYPE:
            for other in right[:MAX_ALTERNATIVES] or (None,):
                found.append(Made(PATH_TYPE, one.arguments, join_paths([path_text(one), text_or_hole(other)])))
        elif isinstance(one, str) and one == PATH_TYPE:
            found.append(Made(PATH_TYPE, None, join_paths([None, *(text_or_hole(v) for v in right[:1])])))
    if found:
        return unique(found)
    for other in right[:MAX_ALTERNATIVES]:
        if isinstance(other, Made) and other.name == PATH_TYPE:
            bases = [text_or_hole(one) for one in left[:MAX_ALTERNATIVES]] or [text_or_hole(None)]
            found.extend(Made(PATH_TYPE, other.arguments, join_paths([base, path_text(other)])) for base in bases)
    return unique(found)


def item_of(resolver: Resolver, source: AnyValue, item: Item) -> Values:
    """Return one element of a value: what a loop, an unpacking or a `with` binds."""
    if item.how == "enter":
        return _entered(resolver, source)
    if isinstance(source, Sequence) and item.how != "rest":
        return source.at(item.place) if item.how == "at" else unique(source.held(64))
    if isinstance(source, Instance):
        return unique([one for held in _hooked(resolver, source, ("__iter__", "__aiter__")) for one in _each(held)])
    items = items_of(source)
    if items is None:
        return _unknown_item(resolver, source)
    if item.how == "rest":
        return (Sequence(items[item.place :]),)
    if item.how == "at":
        return items[item.place] if -len(items) <= item.place < len(items) else ()
    return unique([value for values in items[:64] for value in values])


def items_of(source: AnyValue) -> tuple[Values, ...] | None:
    """Return the items of a value that can be iterated over, or None where they are not known."""
    if isinstance(source, Sequence):
        return source.items
    if isinstance(source, Mapping):
        return tuple(keys for keys, _ in source.pairs)
    if isinstance(source, Text) and source.whole and isinstance(source.value, (str, bytes)):
        if len(source.value) > MAX_ITEMS:
            return None
        return tuple((Text(one),) for one in source.value)
    return None


def _unknown_item(resolver: Resolver, source: AnyValue) -> Values:
    name = source.name if isinstance(source, Made) else source
    if not isinstance(name, str):
        return ()
    full = resolver.tables.canonical(name + "[]")
    return (Made(full, source.arguments if isinstance(source, Made) else None),)


def _hooked(resolver: Resolver, source: Instance, names: tuple[str, ...]) -> Values:
    """Return what the first method of some names gives back that the class of an object has."""
    if resolver.level > _HOOK_LEVEL:
        return ()
    for name in names:
        methods = [one for one in class_member(resolver, source.of, name, 0) if isinstance(one, Scope)]
        if methods:
            return unique([one for method in methods for one in apply(resolver, method, NO_ARGUMENTS)])
    return ()


def _each(source: AnyValue) -> list[AnyValue]:
    return source.held(64) if isinstance(source, Sequence) else []


def _entered(resolver: Resolver, source: AnyValue) -> Values:
    if isinstance(source, Instance):
        return _hooked(resolver, source, ("__enter__", "__aenter__")) or (source,)
    name = source.name if isinstance(source, Made) else None
    if name is None:
        return (source,)
    if name == "contextlib.nullcontext()" or name == "contextlib.closing()":
        given = source.arguments.positional if isinstance(source, Made) and source.arguments else ()
        return resolver.value(*given[0]) if given else ()
    full = resolver.tables.canonical(name + ".__enter__()")
    if full.endswith(".__enter__()") or full == name:
        return (source,)
    return (Made(full, source.arguments, source.text) if isinstance(source, Made) else Made(full, None),)
