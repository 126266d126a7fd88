"""Comprehensions that pick one item by its name: `[v for k, v in vars(os).items() if k == "system"]`.

What is picked is what the name alone would give; the comprehension only hides that. Nothing else is filtered here.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import Text
from plugseal.lang.python.resolving.applying import with_names
from plugseal.lang.python.resolving.members import item, member
from plugseal.lang.python.resolving.values import Sequence, Values, unique

if TYPE_CHECKING:
    from plugseal.lang.python.collecting.scope import Scope
    from plugseal.lang.python.resolving.resolver import Resolver

_PAIRS: Final = frozenset(("inspect.getmembers", "inspect.getmembers_static"))


def picked_by_name(resolver: Resolver, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, scope: Scope) -> Values:
    """Return what a comprehension over names gives for the one that its filter lets through, if it is of that kind."""
    generator = node.generators[0]
    wanted = _wanted(generator.ifs)
    if wanted is None or len(node.generators) != 1:
        return ()
    name, key = wanted
    target = generator.target
    names: dict[str, Values] = {name: (Text(key),)}
    if isinstance(target, (ast.Tuple, ast.List)):
        parts = [part.id for part in target.elts if isinstance(part, ast.Name)]
        if len(parts) != 2 or parts[0] != name:
            return ()
        names[parts[1]] = _held(resolver, generator.iter, key, scope)
    elif not isinstance(target, ast.Name) or target.id != name:
        return ()
    found = with_names(resolver, scope, names, node.elt)
    return (Sequence((found,)),) if found else ()


def _wanted(filters: list[ast.expr]) -> tuple[str, str] | None:
    """Return the name that a filter compares with a text, and the text."""
    for test in filters:
        if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
            continue
        sides = (test.left, test.comparators[0])
        for one, other in (sides, sides[::-1]):
            if isinstance(one, ast.Name) and isinstance(other, ast.Constant) and isinstance(other.value, str):
                return one.id, other.value
    return None


def _held(resolver: Resolver, source: ast.expr, key: str, scope: Scope) -> Values:
    """Return what stands under a key, where pairs are iterated over: `x.items()`, `inspect.getmembers(x)`."""
    if not isinstance(source, ast.Call):
        return ()
    if isinstance(source.func, ast.Attribute) and source.func.attr == "items":
        held = resolver.value(source.func.value, scope)
        return unique([found for value in held for found in item(resolver, value, (Text(key),))])
    if source.args and not _PAIRS.isdisjoint(one for one in resolver.value(source.func, scope) if isinstance(one, str)):
        held = resolver.value(source.args[0], scope)
        return unique([found for value in held for found in member(resolver, value, key)])
    return ()
