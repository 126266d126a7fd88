"""Names that are computed: which of them may reach something that matters, and which only look so.

`getattr(logging, level.upper())` can only find a constant, since nothing that acts is written in capitals there. A
namespace under a literal key shows what it reaches. Subclasses of a class of the file are the file's own.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import Text
from plugseal.lang.python.collecting.scope import Scope
from plugseal.lang.python.resolving.values import Instance

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolver import Resolver

_CASES: Final[dict[str, Callable[[str], bool]]] = {
    "upper": lambda name: name == name.upper(),
    "lower": lambda name: name == name.lower(),
    "casefold": lambda name: name == name.casefold(),
    "capitalize": lambda name: name == name.capitalize(),
    "title": lambda name: name == name.title(),
}
_MAX_STEPS: Final = 8


def may_reach(resolver: Resolver, module: str, node: ast.expr | None, scope: Scope) -> bool:
    """Say whether a computed name may name something below a module that a table knows.

    Args:
        resolver: of the file.
        module: the module or class whose member is taken.
        node: the expression that gives the name, where there is one.
        scope: where it stands.
    """
    names = resolver.tables.members_of(module)
    if not names:
        return False
    if node is None:
        return True
    fits = _form(node, scope)
    return fits is None or any(fits(name) for name in names)


def is_target(resolver: Resolver, base: str, node: ast.expr, scope: Scope) -> bool:
    """Say whether the name that an expression folds to means something below a module."""
    for value in resolver.value(node, scope):
        if isinstance(value, Text) and isinstance(value.value, str) and value.whole:
            name = resolver.tables.canonical(f"{base}.{value.value}")
            if resolver.tables.rules(name) or resolver.tables.has_below(name):
                return True
    return False


def leads_inside(resolver: Resolver, key: ast.expr, scope: Scope) -> bool:
    """Say whether a key of a namespace may lead to a module, or is not known."""
    texts = [one.value for one in resolver.value(key, scope) if isinstance(one, Text) and one.whole]
    if not texts:
        return True
    return any(
        isinstance(text, str)
        and (
            text in ("__builtins__", "__loader__")
            or text in resolver.tables.builtins
            or resolver.tables.is_module(text.strip("_"))
        )
        for text in texts
    )


def opens_outside(resolver: Resolver) -> bool:
    """Say whether the names of the module hold a module, or a function, that a table knows something of."""
    tables = resolver.tables
    names = [
        tables.canonical(binding)
        for bindings in resolver.root.bindings.values()
        for binding in bindings
        if isinstance(binding, str) and not binding.startswith(".")
    ]
    return any(tables.rules(name) or tables.members_of(name) for name in names)


def is_own_class(resolver: Resolver, node: ast.expr, scope: Scope) -> bool:
    """Say whether an expression is a class of this file, or an instance of one."""
    values = resolver.value(node, scope)
    return bool(values) and all(isinstance(value, (Scope, Instance)) for value in values)


def _form(node: ast.expr, scope: Scope) -> Callable[[str], bool] | None:
    """Return what every name that an expression gives must look like, or None where it may be any."""
    for _ in range(_MAX_STEPS):
        if not isinstance(node, ast.Name):
            break
        bound = scope.bindings.get(node.id, ())
        if len(bound) != 1 or not isinstance(bound[0], ast.expr):
            return None
        node = bound[0]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        return _CASES.get(node.func.attr)
    start, end = _ends(node)
    if not start and not end:
        return None
    return lambda name: name.startswith(start) and name.endswith(end)


def _ends(node: ast.expr) -> tuple[str, str]:
    """Return the literal beginning and end of text that is put together."""
    if isinstance(node, ast.JoinedStr) and node.values:
        return _literal(node.values[0]), _literal(node.values[-1])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        first: ast.expr = node
        while isinstance(first, ast.BinOp) and isinstance(first.op, ast.Add):
            first = first.left
        return _literal(first), _literal(node.right)
    return "", ""


def _literal(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
