"""Names that are only other names for other names, followed without recursion: no chain of them is too long."""

from __future__ import annotations

import ast

from plugseal.lang.python.collecting.names import GUARDED
from plugseal.lang.python.collecting.scope import CLASS, Scope


def last_alias(name: str, owner: Scope, passed: dict[tuple[str, Scope], None]) -> tuple[str, Scope]:
    """Follow a name, from the scope that binds it, to the last one that is more than another name, or is known.

    Names that only lead around in a circle lead nowhere: the name itself is returned.

    Args:
        name: where to begin.
        owner: the scope that binds it.
        passed: filled with the names on the way, which mean the same.
    """
    first = name, owner
    while True:
        bindings = owner.bindings[name]
        node = bindings[0] if len(bindings) == 1 else None
        if not isinstance(node, ast.Name) or node.id == name or node.id in GUARDED:
            return name, owner
        following = owner if node.id in owner.bindings else _around(node.id, owner.parent)
        if following is None:
            return name, owner
        passed[(name, owner)] = None
        name, owner = node.id, following
        if (name, owner) in passed:
            passed.clear()
            return first
        if name in owner.known:
            return name, owner


def _around(name: str, scope: Scope | None) -> Scope | None:
    """Return the nearest scope that binds a name; classes are not seen from inside their functions."""
    while scope is not None and (name not in scope.bindings or scope.kind == CLASS):
        scope = scope.parent
    return scope
