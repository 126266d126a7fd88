"""What a logging configuration written out as a dictionary makes: its handlers are classes with their arguments."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from plugseal.lang.python.collecting.scope import Scope
from plugseal.lang.python.resolving.values import Arguments

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolver import Resolver

NAME: Final = "logging.config.dictConfig"
_MAX_PARTS: Final = 200


def configured(resolver: Resolver, arguments: Arguments) -> list[tuple[str, Arguments]] | None:
    """Return what is called, by its qualified name and with its arguments; None where the dictionary is not known."""
    for node, scope in arguments.positional[:1]:
        table = _written(node, scope)
        return None if table is None else _calls(resolver, table, scope)
    return None


def _written(node: ast.expr, scope: Scope) -> ast.Dict | None:
    """Return the dictionary that an expression is, or that the one binding of a name is."""
    if isinstance(node, ast.Name):
        owner: Scope | None = scope
        while owner is not None and node.id not in owner.bindings:
            owner = owner.parent
        bound = owner.bindings[node.id] if owner is not None else []
        return bound[0] if len(bound) == 1 and isinstance(bound[0], ast.Dict) else None
    return node if isinstance(node, ast.Dict) else None


def _calls(resolver: Resolver, table: ast.Dict, scope: Scope) -> list[tuple[str, Arguments]] | None:
    found: list[tuple[str, Arguments]] = []
    waiting: list[ast.Dict] = [table]
    for count, part in enumerate(waiting):
        if count > _MAX_PARTS:
            return None
        named: ast.expr | None = None
        given: list[tuple[str, ast.expr, Scope]] = []
        for key, value in zip(part.keys, part.values, strict=True):
            if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
                return None
            if isinstance(value, ast.Dict):
                waiting.append(value)
            if key.value in ("class", "()"):
                named = value
            else:
                given.append((key.value, value, scope))
        if named is not None:
            name = _name(resolver, named, scope)
            if name is None:
                return None
            found.append((name, Arguments((), tuple(given), scope=scope)))
    return found


def _name(resolver: Resolver, node: ast.expr, scope: Scope) -> str | None:
    """Return the qualified name of a class or function: written as text, or the thing itself."""
    text = resolver.text(node, scope)
    if text is not None:
        return resolver.tables.canonical(text.removeprefix("ext://"))
    values = resolver.value(node, scope)
    return values[0] if len(values) == 1 and isinstance(values[0], str) else None
