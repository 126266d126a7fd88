"""What `**mapping` gives a call as keywords, as far as the mapping is written out.

Followed through names, `dict(…)`, `{**other}`, `one | other`, choices, and attributes of a class (`**self.options`).
What stands later wins, so it comes first.
"""

from __future__ import annotations

import ast
from typing import Final, TypeAlias

from plugseal.lang.python.collecting.owners import owner_of
from plugseal.lang.python.collecting.scope import CLASS, Binding, Scope, Stored

_MAX_DEPTH: Final = 6
_MAX_BINDINGS: Final = 8
_MAX_FOUND: Final = 64
Keyword: TypeAlias = tuple[str, ast.expr, Scope]


def spread_keywords(node: ast.expr, scope: Scope, depth: int = 0) -> list[Keyword]:
    """Return the names and values that a mapping holds under literal keys."""
    if depth > _MAX_DEPTH:
        return []
    found: list[Keyword] = []
    if isinstance(node, ast.Dict):
        for key, value in reversed(list(zip(node.keys, node.values, strict=True))):
            if key is None:
                found.extend(spread_keywords(value, scope, depth + 1))
            elif isinstance(key, ast.Constant) and isinstance(key.value, str):
                found.append((key.value, value, scope))
    elif isinstance(node, ast.Call):
        found.extend(_of_call(node, scope, depth))
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        found = [*spread_keywords(node.right, scope, depth + 1), *spread_keywords(node.left, scope, depth + 1)]
    elif isinstance(node, ast.IfExp):
        found = [*spread_keywords(node.body, scope, depth + 1), *spread_keywords(node.orelse, scope, depth + 1)]
    elif isinstance(node, ast.Name):
        owner = owner_of(node.id, scope)
        bindings = owner.bindings[node.id] if owner is not None else []
        for binding in bindings[:_MAX_BINDINGS]:
            found.extend(_of_binding(binding, owner or scope, depth))
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        found.extend(_of_attribute(node.value.id, node.attr, scope, depth))
    return found[:_MAX_FOUND]


def _of_call(call: ast.Call, scope: Scope, depth: int) -> list[Keyword]:
    """Return what `dict(one, name=value, **more)` holds."""
    if not isinstance(call.func, ast.Name) or call.func.id != "dict":
        return []
    found: list[Keyword] = []
    for keyword in reversed(call.keywords):
        if keyword.arg is not None:
            found.append((keyword.arg, keyword.value, scope))
        else:
            found.extend(spread_keywords(keyword.value, scope, depth + 1))
    for given in call.args[:1]:
        found.extend(spread_keywords(given, scope, depth + 1))
    return found


def _of_binding(binding: Binding, owner: Scope, depth: int) -> list[Keyword]:
    if isinstance(binding, Stored):
        key, value = binding.key, binding.value
        is_known = isinstance(key, ast.Constant) and isinstance(key.value, str) and isinstance(value, ast.expr)
        return [(key.value, value, owner)] if is_known else []  # type: ignore[attr-defined,list-item]  # compared above
    return spread_keywords(binding, owner, depth + 1) if isinstance(binding, ast.expr) else []


def _of_attribute(name: str, attribute: str, scope: Scope, depth: int) -> list[Keyword]:
    """Return what an attribute of `self`, `cls` or a class of the file holds."""
    of: Scope | None = None
    inner: Scope | None = scope
    while inner is not None and of is None:
        if inner.receiver is not None and inner.receiver[0] == name:
            of = inner.receiver[1]
        inner = inner.parent
    if of is None:
        owner = owner_of(name, scope)
        held = owner.bindings[name] if owner is not None else []
        of = next((one for one in held if isinstance(one, Scope) and one.kind == CLASS), None)
    if of is None:
        return []
    bindings: list[tuple[Scope, Binding]] = [(of, one) for one in of.bindings.get(attribute, ())]
    bindings.extend(of.attributes.get(attribute, ()))
    return [one for where, binding in bindings[:_MAX_BINDINGS] for one in _of_binding(binding, where, depth)]
