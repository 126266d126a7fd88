"""What the parameters of a function of the file may be."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE, Text
from plugseal.lang.judging.telling import MAX_RANKED, rank
from plugseal.lang.python.collecting.scope import Parameter, Scope
from plugseal.lang.python.resolving.annotations import annotated
from plugseal.lang.python.resolving.values import (
    AnyValue,
    Arguments,
    Instance,
    Mapping,
    Sequence,
    Values,
    arguments_of,
    unique,
)

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolver import Resolver

MAX_SITES: Final = 3
"""Calls of a function whose arguments are evaluated."""
MAX_LITERALS: Final = 16
"""Calls of it of which literal arguments are taken."""


def parameter_values(resolver: Resolver, parameter: Parameter, owner: Scope) -> Values:
    """Return what a parameter may be: by its annotation, and by the calls of its function in the file."""
    found: list[AnyValue] = []
    receiver = owner.receiver
    is_first = parameter.position == 0 and receiver is not None and receiver[0] == parameter.name
    if is_first and receiver is not None and owner.parent is receiver[1]:
        found.append(Instance(receiver[1]))
    if parameter.annotation is not None:
        found.extend(annotated(resolver, parameter.annotation, owner))
    for number, (call, scope, bound) in enumerate(owner.sites):
        at = parameter.position - bound
        if number >= MAX_SITES and not (number < MAX_LITERALS and _is_literal(call, at)):
            # What further calls hand over is not looked at, but for places of secrets: it may be anything.
            found.append(Text(HOLE, whole=False))
            found.extend(_telling(owner.sites[number:MAX_RANKED], parameter))
            break
        if 0 <= at < len(call.args) and not call.keywords and not _is_starred(call.args[: at + 1]):
            found.extend(resolver.value(call.args[at], scope))
        else:
            found.extend(_argument(resolver, parameter, arguments_of(call, scope), bound))
    if owner.is_entered and any(isinstance(one, Text) for one in found):
        found.append(Text(HOLE, whole=False))  # What callers in the file hand over is not all that it is given.
    return unique(found)


def _telling(sites: Iterable[tuple[ast.Call, Scope, int]], parameter: Parameter) -> Iterator[Text]:
    """Yield the literals that lead to places of secrets among those that calls hand over."""
    for call, _, bound in sites:
        at = parameter.position - bound
        named = [word.value for word in call.keywords if word.arg == parameter.name]
        for node in (*(call.args[at : at + 1] if at >= 0 else ()), *named):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and rank(node.value) == 0:
                yield Text(node.value)


def _is_literal(call: ast.Call, at: int) -> bool:
    """Say whether a call hands over a literal there, which costs nothing to take, or nothing; below 0 is all of it."""
    given = call.args if at < 0 else call.args[at : at + 1]
    return not call.keywords and all(one.__class__ is ast.Constant for one in given)


def _is_starred(given: list[ast.expr]) -> bool:
    return any(node.__class__ is ast.Starred for node in given)


def _argument(resolver: Resolver, parameter: Parameter, arguments: Arguments, bound: int) -> Values:
    if parameter.position == -2:
        return (Sequence(tuple(resolver.value(node, scope) for node, scope in arguments.positional[:64])),)
    if parameter.position == -3:
        pairs = tuple(((Text(key),), resolver.value(node, scope)) for key, node, scope in arguments.keywords[:64])
        return (Mapping(pairs),)
    at = parameter.position - bound
    if 0 <= at < len(arguments.positional):
        node, scope = arguments.positional[at]
        return resolver.value(node, scope)
    given = arguments.keyword(parameter.name)
    return resolver.value(*given) if given is not None else ()


def given_parameters(
    resolver: Resolver, function: Scope, arguments: Arguments, read: Container[str]
) -> dict[str, Values]:
    """Return the values of those parameters, among the names that are read, that the arguments tell something about."""
    given: dict[str, Values] = {}
    bound = 1 if function.receiver is not None and function.parent is function.receiver[1] else 0
    for name, bindings in function.bindings.items():
        first = bindings[0] if bindings else None
        if name in read and isinstance(first, Parameter) and not (bound and first.position == 0):
            values = _argument(resolver, first, arguments, bound)
            if values:
                given[name] = values
    return given
