"""Paths that stay in the tree by the way they are computed: the file's own folder, and what lies around it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from plugseal.lang.python.collecting.scope import Scope

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolver import Resolver

_SAME: Final = frozenset(
    "str abspath realpath normpath Path PurePath resolve absolute as_posix fspath expanduser __str__ __fspath__".split()
)
_MAX_STEPS: Final = 24


def is_inside(resolver: Resolver, node: ast.expr, scope: Scope, depth: int) -> bool:
    """Say whether an expression is the file's own folder, a folder above it within the tree, or one below these.

    Args:
        resolver: of the file.
        node: the expression.
        scope: where it stands.
        depth: how many folders lie between the root of the tree and the file.
    """
    climbed = _climbed(resolver, node, scope, 0)
    return climbed is not None and 0 < climbed <= depth + 1


def _climbed(resolver: Resolver, node: ast.expr, scope: Scope, steps: int) -> int | None:
    """Return how many levels above the file the result lies at most; None where it is not computed from the file."""
    if steps > _MAX_STEPS:
        return None
    if isinstance(node, ast.Name):
        return _named(resolver, node.id, scope, steps)
    if isinstance(node, ast.Attribute):
        inner = _climbed(resolver, node.value, scope, steps + 1)
        return inner + 1 if inner is not None and node.attr == "parent" else None
    if isinstance(node, ast.Subscript):
        return _subscript(resolver, node, scope, steps)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.Add)):
        inner = _climbed(resolver, node.left, scope, steps + 1)
        return _joined(inner, [node.right])
    return _called(resolver, node, scope, steps) if isinstance(node, ast.Call) else None


def _named(resolver: Resolver, name: str, scope: Scope, steps: int) -> int | None:
    if name == "__file__":
        return 0
    owner: Scope | None = scope
    while owner is not None and name not in owner.bindings:
        owner = owner.parent
    if owner is None or len(owner.bindings[name]) != 1:
        return None
    bound = owner.bindings[name][0]
    return _climbed(resolver, bound, owner, steps + 1) if isinstance(bound, ast.expr) else None


def _subscript(resolver: Resolver, node: ast.Subscript, scope: Scope, steps: int) -> int | None:
    base = node.value
    if not (isinstance(base, ast.Attribute) and base.attr == "parents"):
        return None
    index = node.slice
    if not (isinstance(index, ast.Constant) and isinstance(index.value, int) and index.value >= 0):
        return None
    inner = _climbed(resolver, base.value, scope, steps + 1)
    return None if inner is None else inner + index.value + 1


def _called(resolver: Resolver, node: ast.Call, scope: Scope, steps: int) -> int | None:
    function = node.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    on_path = isinstance(function, ast.Attribute) and (not node.args or name == "joinpath")
    first = node.args[0] if node.args else None
    if on_path and isinstance(function, ast.Attribute):
        first = function.value
    if first is None or (node.keywords and name != "resolve"):
        return None
    inner = _climbed(resolver, first, scope, steps + 1)
    if name == "dirname":
        return None if inner is None else inner + 1
    if name in ("join", "joinpath"):
        return _joined(inner, node.args if on_path else node.args[1:])
    return inner if name in _SAME and len(node.args) <= 1 else None


def _joined(climbed: int | None, parts: list[ast.expr]) -> int | None:
    """Return the level after literal parts were joined; parts that go up count, parts that go down do not."""
    for part in parts:
        if climbed is None or not (isinstance(part, ast.Constant) and isinstance(part.value, str)):
            return None
        if part.value.startswith(("/", "~", "\\")) and part.value[1:2] in ("", "/", "\\"):
            return None
        if part.value.startswith("/") and climbed == 0:
            return None
        climbed += part.value.replace("\\", "/").split("/").count("..")
    return climbed
