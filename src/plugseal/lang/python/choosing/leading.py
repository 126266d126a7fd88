"""Names whose values begin with an import, as far as it shows without resolving anything."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

from plugseal.lang.python.collecting.scope import Scope

LEADING: Final = (ast.Name, ast.Attribute, ast.Call, ast.IfExp, ast.BoolOp, ast.Await, ast.Subscript, ast.NamedExpr)
"""Expressions that can lead to a name outside the file."""


def leading_names(scopes: list[Scope], counts: Callable[[str], bool]) -> set[str]:
    """Return the names that imports bind, and those bound to something that begins with such a name.

    By the way things are written, in two rounds: a client made of an imported class, and what is made of that client.

    Args:
        scopes: all scopes of a file.
        counts: which imports count, by their qualified name.
    """
    names: set[str] = set()
    waiting: list[tuple[str, str]] = []
    for scope in scopes:
        for name, bindings in scope.bindings.items():
            for binding in bindings:
                if isinstance(binding, str):
                    if counts(binding):
                        names.add(name)
                elif isinstance(binding, Scope):
                    waiting.extend((name, root) for node in _made_of(binding) for root in roots(node))
                elif isinstance(binding, LEADING):
                    waiting.extend((name, root) for root in roots(binding))
    for _ in range(2):
        names.update([name for name, root in waiting if root in names])
    return names


def _made_of(scope: Scope) -> list[ast.expr]:
    return scope.node.bases if isinstance(scope.node, ast.ClassDef) else scope.exits[:8]


def roots(node: ast.AST) -> list[str]:
    """Return the names that chains and calls in an expression begin with."""
    found: list[str] = []
    waiting: list[ast.AST] = [node]
    while waiting and len(found) < 8:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            found.append(node.id)
        elif isinstance(node, (ast.Attribute, ast.Subscript, ast.Await, ast.NamedExpr)):
            waiting.append(node.value)
        elif isinstance(node, ast.Call):
            waiting.append(node.func)
        elif isinstance(node, ast.IfExp):
            waiting.extend((node.body, node.orelse))
        elif isinstance(node, ast.BoolOp):
            waiting.extend(node.values[:8])
    return found
