"""Names that are only other names for other names, followed without recursion: no chain of them is too long."""

from __future__ import annotations

import ast
from typing import Final

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


def spilled_modules(scopes: list[Scope]) -> list[str]:
    """Return the modules whose names all become names of the file: `globals().update(vars(os))`, as if by a star."""
    found: list[str] = []
    for scope in scopes:
        if "update" not in scope.called:
            continue
        for name, call in zip(scope.called, scope.calls, strict=True):
            if name == "update" and isinstance(call.func, ast.Attribute) and _is_call_of(call.func.value, _OWN):
                found.extend(module for given in call.args for module in _whole(given, scope))
    return found


_OWN: Final = frozenset(("globals", "locals", "vars"))
_WHOLE: Final = frozenset(("vars",))


def _whole(node: ast.expr, scope: Scope) -> list[str]:
    """Return the modules of which `vars(name)` or `name.__dict__` holds all names."""
    if isinstance(node, ast.Attribute) and node.attr == "__dict__":
        node = node.value
    elif isinstance(node, ast.Call) and _is_call_of(node, _WHOLE) and node.args:
        node = node.args[0]
    else:
        return []
    if isinstance(node, ast.Call) and _is_call_of(node, frozenset(("__import__", "import_module"))) and node.args:
        node = node.args[0]
        return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []
    owner = _around(node.id, scope) if isinstance(node, ast.Name) else None
    bindings = owner.bindings[node.id] if owner is not None and isinstance(node, ast.Name) else []
    return [binding for binding in bindings if isinstance(binding, str)]


def _is_call_of(node: ast.expr, names: frozenset[str]) -> bool:
    if not isinstance(node, ast.Call):
        return False
    function = node.func
    return (function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")) in names
