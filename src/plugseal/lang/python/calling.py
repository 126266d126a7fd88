"""Which functions a file has, and which of its lines lead to them: for call paths, never for what a file can do.

Names alone decide, as scopes bind them: a function's own name, a method of `self` or of an object made by its class.
What is only mentioned counts as called: somebody was handed it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from plugseal.lang.facts import MAIN_FUNCTION, Function, LocalCall
from plugseal.lang.python.entries import qualified
from plugseal.lang.python.scope import CLASS, MAIN, MODULE, Scope

if TYPE_CHECKING:
    from collections.abc import Sequence

_MAX_FUNCTIONS: Final = 2_000
_MAX_CALLS: Final = 10_000


def functions_of(scopes: Sequence[Scope]) -> tuple[Function, ...]:
    """Return the functions and the main blocks of a file, in order of line, outer ones first."""
    found = []
    for scope in scopes:
        if scope.kind in (MODULE, CLASS):
            continue
        line = getattr(scope.node, "lineno", 0)
        name = MAIN_FUNCTION if scope.kind == MAIN else qualified(scope)
        found.append(Function(name, line, getattr(scope.node, "end_lineno", None) or line))
    return tuple(sorted(set(found), key=lambda one: (one.line, -one.end_line, one.name))[:_MAX_FUNCTIONS])


def calls_of(scopes: Sequence[Scope]) -> tuple[LocalCall, ...]:
    """Return what leads to functions of the file, by line."""
    known = {scope.name for scope in scopes if scope.kind not in (MODULE, MAIN)}
    if not known:
        return ()
    found: set[LocalCall] = set()
    for scope in scopes:
        for node in (*[call.func for call in scope.calls], *scope.loads, *scope.aliases):
            name = getattr(node, "id", None) or getattr(node, "attr", None)
            if name in known:
                found.update(LocalCall(node.lineno, qualified(target)) for target in _targets(node, scope))
        if len(found) > _MAX_CALLS:
            break
    return tuple(sorted(found)[:_MAX_CALLS])


def _targets(node: ast.AST, scope: Scope) -> Iterator[Scope]:
    """Yield the functions that an expression may name."""
    if isinstance(node, ast.Name):
        for bound in _bound(node.id, scope):
            yield from _entered(bound)
    elif isinstance(node, ast.Attribute):
        for owner in _classes(node.value, scope):
            yield from (held for held in owner.bindings.get(node.attr, ()) if isinstance(held, Scope))


def _entered(bound: object) -> Iterator[Scope]:
    """Yield what a call of a binding runs: a function, or what makes an object of a class."""
    if not isinstance(bound, Scope):
        return
    if bound.kind != CLASS:
        yield bound
        return
    for name in ("__init__", "__new__", "__post_init__", "__call__"):
        yield from (held for held in bound.bindings.get(name, ()) if isinstance(held, Scope))


def _classes(node: ast.expr, scope: Scope) -> Iterator[Scope]:
    """Yield the classes whose members an expression has."""
    if isinstance(node, ast.Call):
        yield from _made(node, scope)
        return
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        for owner in _classes(node.value, scope):
            for where, made in owner.attributes.get(node.attr, ()):
                yield from _made(made, where)
        return
    if not isinstance(node, ast.Name):
        return
    outer: Scope | None = scope
    while outer is not None:
        if outer.receiver is not None and outer.receiver[0] == node.id:
            yield outer.receiver[1]
            return
        outer = outer.parent
    for bound in _bound(node.id, scope):
        if isinstance(bound, Scope) and bound.kind == CLASS:
            yield bound
        yield from _made(bound, scope)


def _made(bound: object, scope: Scope) -> Iterator[Scope]:
    """Yield the class of which a call makes an object."""
    if isinstance(bound, ast.Call) and isinstance(bound.func, ast.Name):
        yield from (c for c in _bound(bound.func.id, scope) if isinstance(c, Scope) and c.kind == CLASS)


def _bound(name: str, scope: Scope) -> list[object]:
    """Return what a name is bound to where it is read from a scope."""
    at: Scope | None = scope
    while at is not None:
        if name in at.bindings and (at.kind != CLASS or at is scope):
            return list(at.bindings[name])
        at = at.parent
    return []
