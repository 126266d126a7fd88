"""Items that are read, set, deleted or tested for, as the calls that they are: `x[key] = value` is `x.__setitem__`."""

from __future__ import annotations

import ast

from plugseal.lang.python.collecting.noting import nodes_of
from plugseal.lang.python.collecting.scope import Scope
from plugseal.lang.python.resolving.values import Arguments
from plugseal.model.variables import NAMES


def item_method(node: ast.Subscript | ast.Compare) -> str:
    """Return what is called of the container."""
    if isinstance(node, ast.Compare):
        return ".__contains__"
    if isinstance(node.ctx, ast.Load):
        return "[]"
    return ".__setitem__" if isinstance(node.ctx, ast.Store) else ".__delitem__"


class Items:
    """The items of one file that are set."""

    def __init__(self, tree: ast.AST) -> None:
        self._tree = tree
        self._set: dict[int, ast.expr] | None = None
        """By the identity of a subscript, what it is set to; found when first asked for."""

    def arguments(self, node: ast.Subscript | ast.Compare, key: ast.expr, scope: Scope) -> Arguments:
        """Return the arguments of the call: the key, and what is set under one by whose value something depends."""
        given = [(key, scope)]
        if isinstance(key, ast.Constant) and key.value in NAMES and isinstance(node, ast.Subscript):
            held = self._values().get(id(node))
            if held is not None:
                given.append((held, scope))
        return Arguments(tuple(given), (), scope=scope)

    def _values(self) -> dict[int, ast.expr]:
        if self._set is None:
            self._set = {
                id(target): statement.value
                for statement in nodes_of(self._tree, frozenset((ast.Assign,)))
                for target in statement.targets
                if isinstance(target, ast.Subscript)
            }
        return self._set
