"""From the resolver's values to the ones that facts and events carry."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from plugseal.lang.facts import UNKNOWN, Ref, Unknown, Value
from plugseal.lang.folded import Text, whole
from plugseal.lang.judging.telling import most_telling, text_of
from plugseal.lang.python.collecting.scope import CLASS, Scope
from plugseal.lang.python.resolving.members import base_values
from plugseal.lang.python.resolving.values import AnyValue, Made, Sequence, Values

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolver import Resolver

_MAX_DEPTH: Final = 4
_MAX_ITEMS: Final = 64
_MAX_CHOICES: Final = 4
_MAX_TEXT: Final = 4_096
_CARRIERS: Final = {
    "urllib.request.Request()": (0, "url"),
    "requests.Request()": (1, "url"),
    "httpx.Request()": (1, "url"),
    "httpx.URL()": (0, "url"),
    "yarl.URL()": (0, "val"),
}
"""What only carries an address to whoever opens it, with the place of the address."""


def alternatives(resolver: Resolver, node: ast.expr, scope: Scope) -> tuple[Value, ...]:
    """Return every value that an argument may have, text with holes included; one `UNKNOWN` where there is none."""
    if isinstance(node, ast.Constant):
        return (_constant(node.value),)
    values = resolver.value(node, scope)
    found: dict[Value, None] = {}
    for value in values:
        if value.__class__ is Made and value.name in _CARRIERS:
            found.update(dict.fromkeys(_carried(resolver, value)))
        elif value.__class__ is Scope:
            found[_class_value(resolver, value)] = None
        elif value.__class__ is Sequence:
            found.update(dict.fromkeys(_choices(value)))
        else:
            found[_fact_value(value, 0)] = None
    return tuple(found) or (UNKNOWN,)


def _choices(value: Sequence) -> list[Value]:
    """Return a list of words once for each thing that its first open word may be: `for name in NAMES: run([name])`."""
    words = _fact_value(value, 0)
    if not isinstance(words, tuple) or isinstance(words, (Ref, Unknown)):
        return [words]
    for at, item in enumerate(value.items[:_MAX_ITEMS]):
        if len(item) > 1 and all(isinstance(one, Text) for one in item):
            chosen = most_telling(item, _MAX_CHOICES, text_of)[:_MAX_CHOICES]
            return [(*words[:at], _fact_value(one, 1), *words[at + 1 :]) for one in chosen]
    return [words]


def _carried(resolver: Resolver, value: Made) -> tuple[Value, ...]:
    position, keyword = _CARRIERS[value.name]
    arguments = value.arguments
    if arguments is None:
        return (UNKNOWN,)
    given = arguments.positional[position] if position < len(arguments.positional) else arguments.keyword(keyword)
    return (tuple(_fact_value(one, 0) for one in resolver.value(*given)) if given is not None else ()) or (UNKNOWN,)


def _class_value(resolver: Resolver, value: Scope) -> Value:
    """Return what a class of this file is derived from, if that is one class of another module."""
    bases = base_values(resolver, value) if value.kind == CLASS else ()
    return Ref(bases[0]) if len(bases) == 1 and isinstance(bases[0], str) else UNKNOWN


def argument_value(resolver: Resolver, node: ast.expr, scope: Scope) -> Value:
    """Return the one value that an event carries for an argument: a literal, an origin, or `UNKNOWN`."""
    return _single([whole(value) for value in alternatives(resolver, node, scope)])


def partial_value(resolver: Resolver, node: ast.expr, scope: Scope) -> Value:
    """Return the same with text that is known only in part, holes included: for the linker, who applies tables."""
    return _single(list(alternatives(resolver, node, scope)))


def _single(found: list[Value]) -> Value:
    named = [value for value in found if value is not UNKNOWN]
    return named[0] if len(named) == 1 or (named and all(isinstance(v, Ref) for v in named)) else UNKNOWN


def _constant(value: object) -> Value:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if value is None or isinstance(value, (str, int, float)):
        return value
    return UNKNOWN


def _fact_value(value: AnyValue, depth: int) -> Value:
    if isinstance(value, Text):
        given = value.value
        if isinstance(given, (str, bytes)) and len(given) > _MAX_TEXT:
            given = given[:_MAX_TEXT]
        return _constant(given)
    if isinstance(value, str):
        return Ref(value)
    if isinstance(value, Made):
        text = value.text
        return text.value if text is not None and isinstance(text.value, str) else Ref(value.name)
    if isinstance(value, Sequence) and depth < _MAX_DEPTH:
        return tuple(_first(item, depth + 1) for item in value.items[:_MAX_ITEMS])
    return UNKNOWN


def _first(values: Values, depth: int) -> Value:
    return _fact_value(values[0], depth) if len(values) == 1 else UNKNOWN
