"""What `os.open` can do by its flags, where they are written out: `os.O_WRONLY | os.O_CREAT`."""

from __future__ import annotations

import ast
from typing import Final

from plugseal.lang.python.collecting.scope import Scope
from plugseal.lang.python.resolving.values import Arguments

_WRITING: Final = frozenset(("O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND", "O_TMPFILE"))
_MAX_PARTS: Final = 32


def opened_for(arguments: Arguments) -> frozenset[str] | None:
    """Return the capabilities that the flags of a call give, or None where some flag is not known."""
    given = arguments.positional[1] if len(arguments.positional) > 1 else arguments.keyword("flags")
    names = _flags(*given) if given is not None else None
    if names is None:
        return None
    reads = () if "O_WRONLY" in names else ("fs.read",)
    return frozenset((*reads, "fs.write") if names & _WRITING else reads)


def _flags(node: ast.expr, scope: Scope) -> set[str] | None:
    names: set[str] = set()
    waiting = [node]
    for count, part in enumerate(waiting):
        if count > _MAX_PARTS:
            return None
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.BitOr):
            waiting.extend((part.left, part.right))
            continue
        name = _name(part)
        if name.startswith("O_"):
            names.add(name)
            continue
        bound = scope.bindings.get(part.id, ()) if isinstance(part, ast.Name) else ()
        if len(bound) != 1 or not isinstance(bound[0], ast.expr):
            return None
        waiting.append(bound[0])
    return names


def _name(node: ast.expr) -> str:
    """Return the last part of a flag's name; `getattr(os, "O_NOFOLLOW", 0)` names one as well."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "getattr"
        and len(node.args) > 1
    ):
        literal = node.args[1]
        return literal.value if isinstance(literal, ast.Constant) and isinstance(literal.value, str) else ""
    return node.id if isinstance(node, ast.Name) else ""
