"""Which of several bindings of one name a use sees, where that is plain: `with open(a) as f:` again and again.

Only what is certain counts: the binding stands before the use in the same block or in a block around it, and nothing in
between, no branch and no loop, may bind the name anew. It decides nothing but which object a fact names.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from plugseal.lang.python.collecting.noting import nodes_of
from plugseal.lang.python.collecting.scope import FUNCTION, MODULE, Item, Scope
from plugseal.lang.python.resolving.combine import item_of
from plugseal.lang.python.resolving.members import member
from plugseal.lang.python.resolving.values import Made, Values, unique

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolver import Resolver

_LOOPS: Final = (ast.For, ast.AsyncFor, ast.While)
_WITH: Final = (ast.With, ast.AsyncWith)
_NAMES: Final = frozenset((ast.Name,))
_MAX_DEPTH: Final = 64
_MAX_STATEMENTS: Final = 2_000


def nearest_members(resolver: Resolver, node: ast.Attribute, scope: Scope, values: Values) -> Values:
    """Return what `name.member` is at its place, of several values made alike; all of them where that is not plain.

    Args:
        resolver: of the file.
        node: the attribute of a name.
        scope: where it stands.
        values: what it may be anywhere.
    """
    name = node.value
    if not isinstance(name, ast.Name) or not _alike(values):
        return values
    if scope.kind not in (FUNCTION, MODULE) or name.id not in scope.bindings:
        return values
    body = getattr(scope.node, "body", ())
    item = _binding(resolver.binders, body, name) if isinstance(body, list) else None
    if item is None:
        return values
    found = resolver.value(item.source, scope) if isinstance(item.source, ast.expr) else ()
    if item.how:
        found = unique([one for value in found for one in item_of(resolver, value, item)])
    reached = unique([one for value in found for one in member(resolver, value, node.attr)])
    return reached if reached and _alike((values[0], *reached)) else values


def _alike(values: Values) -> bool:
    first = values[0]
    return isinstance(first, Made) and all(isinstance(one, Made) and one.name == first.name for one in values)


def _binding(binders: dict[ast.stmt, frozenset[str]], block: list[ast.stmt], use: ast.Name) -> Item | None:
    """Return the one binding that the use sees: an expression, and how its value is taken."""
    found: Item | None = None
    for _ in range(_MAX_DEPTH):
        if len(block) > _MAX_STATEMENTS:
            return None
        inside: list[ast.stmt] = []
        for statement in block:
            if statement.lineno > use.lineno:
                break
            if statement.lineno <= use.lineno <= (statement.end_lineno or statement.lineno):
                inside.append(statement)
            elif _binds(binders, statement, use.id):
                found = _simple(statement, use.id)
        if len(inside) != 1:
            return None
        statement = inside[0]
        if isinstance(statement, _LOOPS) and _binds(binders, statement, use.id):
            found = None
        if isinstance(statement, _WITH):
            found = _entered(statement, use.id) or found
            block = statement.body
            continue
        below = _block_of(statement, use)
        if below is None:
            return None if _binds(binders, statement, use.id) else found
        block = below
    return None


def _block_of(statement: ast.stmt, use: ast.Name) -> list[ast.stmt] | None:
    """Return the block inside a statement that holds the use, if one does."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return None
    blocks = [getattr(statement, name, None) for name in ("body", "orelse", "finalbody")]
    blocks.extend(handler.body for handler in getattr(statement, "handlers", ()))
    for block in blocks:
        if not (isinstance(block, list) and block and isinstance(block[0], ast.stmt)):
            continue
        if block[0].lineno <= use.lineno <= (block[-1].end_lineno or block[-1].lineno):
            return block
    return None


def _simple(statement: ast.stmt, name: str) -> Item | None:
    """Return what a plain assignment binds."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        if isinstance(target, ast.Name) and target.id == name:
            return Item(statement.value, "")
    return None


def _entered(statement: ast.With | ast.AsyncWith, name: str) -> Item | None:
    for item in reversed(statement.items):
        target = item.optional_vars
        if isinstance(target, ast.Name) and target.id == name:
            return Item(item.context_expr, "enter")
    return None


def _binds(binders: dict[ast.stmt, frozenset[str]], statement: ast.stmt, name: str) -> bool:
    """Say whether a statement binds a name, by all that it binds: many uses ask about one statement."""
    bound = binders.get(statement)
    if bound is None:
        names = nodes_of(statement, _NAMES)
        bound = binders[statement] = frozenset(node.id for node in names if node.ctx.__class__ is not ast.Load)
    return name in bound
