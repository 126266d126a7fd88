"""What a function carries about with it: defaults, hints, and the names around it that it closes over."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugseal.lang.python.collecting.scope import FUNCTION, Scope
from plugseal.lang.python.resolving.values import Mapping, Sequence, Text, Values, unique

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolve import Resolver

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_MAX_CELLS = 64


def own_attribute(resolver: Resolver, of: Scope, name: str) -> Values:
    """Return what an attribute of a function holds that Python itself sets."""
    node, outside = of.node, of.parent
    if not isinstance(node, _DEFINITIONS) or outside is None:
        return ()
    given = node.args
    if name == "__defaults__":
        return (Sequence(None, (resolver, given.defaults, outside)),)
    if name == "__kwdefaults__":
        pairs = zip(given.kwonlyargs, given.kw_defaults, strict=True)
        return _mapping(resolver, outside, {one.arg: held for one, held in pairs if held is not None})
    if name == "__annotations__":
        arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs]
        hints = {one.arg: one.annotation for one in arguments if one.annotation is not None}
        returns = getattr(node, "returns", None)
        return _mapping(resolver, outside, hints | ({"return": returns} if returns is not None else {}))
    return _cells(resolver, outside) if name == "__closure__" else ()


def _mapping(resolver: Resolver, scope: Scope, held: dict[str, ast.expr]) -> Values:
    return (Mapping(tuple(((Text(key),), resolver.value(value, scope)) for key, value in held.items())),)


def _cells(resolver: Resolver, outside: Scope) -> Values:
    """Return the cells of a function: each may hold any of the names around it."""
    if outside.kind != FUNCTION:
        return ()
    held = unique([one for name in list(outside.bindings)[:_MAX_CELLS] for one in resolver.name(name, outside)])
    cell = Mapping((((Text("cell_contents"),), held),))
    return (Sequence(((cell,),) * _MAX_CELLS),)
