"""Types by annotation: what a parameter is when nobody is seen to call the function."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugseal.lang.python.collecting.scope import CLASS, Scope
from plugseal.lang.python.resolving.values import MAX_ALTERNATIVES, AnyValue, Instance, Made

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolver import Resolver


def annotated(resolver: Resolver, annotation: ast.expr, owner: Scope, depth: int = 0) -> list[AnyValue]:
    """Return instances of the classes that an annotation names; unions and `Optional` count for each part."""
    if depth > 3:
        return []
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        sides = (annotation.left, annotation.right)
        return [value for side in sides for value in annotated(resolver, side, owner, depth + 1)]
    if isinstance(annotation, ast.Subscript):
        last = annotation.value.attr if isinstance(annotation.value, ast.Attribute) else ""
        word = annotation.value.id if isinstance(annotation.value, ast.Name) else last
        if word not in ("Optional", "Union", "Annotated"):
            return []
        inner = annotation.slice
        parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        return [value for part in parts[:MAX_ALTERNATIVES] for value in annotated(resolver, part, owner, depth + 1)]
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        named = _dotted(annotation.value)
        return annotated(resolver, named, owner, depth + 1) if named is not None else []
    if not isinstance(annotation, (ast.Name, ast.Attribute)):
        return []
    found: list[AnyValue] = []
    for value in resolver.value(annotation, owner.parent or owner):
        if isinstance(value, Scope) and value.kind == CLASS:
            found.append(Instance(value))
        elif isinstance(value, str) and not value.startswith("builtins."):
            found.append(Made(resolver.tables.canonical(value + "()"), None))
    return found


def _dotted(text: str) -> ast.expr | None:
    """Return the expression for a dotted name in quotes, without parsing."""
    parts = text.split(".")
    if len(parts) > 8 or not all(part.isidentifier() for part in parts):
        return None
    node: ast.expr = ast.Name(parts[0], ast.Load())
    for part in parts[1:]:
        node = ast.Attribute(node, part, ast.Load())
    return node
