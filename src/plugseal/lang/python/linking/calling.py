"""Which functions a file has, and which of its lines lead to them: for call paths, never for what a file can do.

Names alone decide, as scopes bind them: a function's own name, a method of `self` or of an object made by its class.
What is only mentioned counts as called: somebody was handed it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from plugseal.lang.facts import MAIN_FUNCTION, Function, LocalCall
from plugseal.lang.python.collecting.owners import owner_of
from plugseal.lang.python.collecting.scope import CLASS, MAIN, MODULE, Scope
from plugseal.lang.python.linking.entries import qualified

if TYPE_CHECKING:
    from collections.abc import Sequence

_MAX_FUNCTIONS: Final = 2_000
_MAX_CALLS: Final = 10_000


def functions_of(scopes: Sequence[Scope]) -> tuple[Function, ...]:
    """Return the functions and the main blocks of a file, in order of line, outer ones first."""
    found: set[Function] = set()
    for scope in scopes:
        kind = scope.kind
        if kind in (MODULE, CLASS):
            continue
        node: Any = scope.node  # Any: every kind of node that makes such a scope has its lines
        found.add(
            Function(MAIN_FUNCTION if kind == MAIN else qualified(scope), node.lineno, node.end_lineno or node.lineno)
        )
    return tuple(sorted(found, key=_by_lines)[:_MAX_FUNCTIONS])


def _by_lines(one: Function) -> tuple[int, int, str]:
    return one[1], -one[2], one[0]


def calls_of(scopes: Sequence[Scope]) -> tuple[LocalCall, ...]:
    """Return what leads to functions of the file, by line."""
    known = {scope.name for scope in scopes if scope.kind not in (MODULE, MAIN)}
    if not known:
        return ()
    found: set[LocalCall] = set()
    told: dict[tuple[Scope | None, str], list[str]] = {}
    for scope in scopes:
        for name, node in _named(scope, known):
            if node.__class__ is ast.Name:
                owner = owner_of(name, scope)
                targets = told.get((owner, name))
                if targets is None:
                    bounds = _bound(name, scope)
                    targets = list(dict.fromkeys(qualified(one) for bound in bounds for one in _entered(bound)))
                    told[owner, name] = targets
            else:
                targets = [qualified(one) for one in _held(node, name, scope)]
            if targets:
                line = node.lineno
                found.update([LocalCall(line, target) for target in targets])
        if len(found) > _MAX_CALLS:
            break
    return tuple(sorted(found)[:_MAX_CALLS])


def _named(scope: Scope, known: set[str]) -> list[tuple[str, Any]]:  # Any: names and attributes
    """Return what a scope calls or mentions under one of some names; most scopes have nothing of the kind."""
    found: list[tuple[str, Any]] = []
    if not known.isdisjoint(scope.called):
        found += [(name, call.func) for name, call in zip(scope.called, scope.calls, strict=True) if name in known]
    if not known.isdisjoint(scope.read):
        found += [pair for pair in zip(scope.read, scope.loads, strict=True) if pair[0] in known]
    for node in scope.aliases:
        name = node.id if isinstance(node, ast.Name) else node.attr
        if name in known:
            found.append((name, node))
    return found


def _held(node: ast.Attribute, name: str, scope: Scope) -> Iterator[Scope]:
    """Yield the functions that an attribute may name."""
    for owner in _classes(node.value, scope):
        yield from (held for held in owner.bindings.get(name, ()) if held.__class__ is Scope)


def _entered(bound: object) -> Iterator[Scope]:
    """Yield what a call of a binding runs: a function, or what makes an object of a class."""
    if not isinstance(bound, Scope):
        return
    if bound.kind != CLASS:
        yield bound
        return
    for name in ("__init__", "__new__", "__post_init__", "__call__"):
        yield from (held for held in bound.bindings.get(name, ()) if isinstance(held, Scope))


def _classes(node: Any, scope: Scope) -> Iterator[Scope]:  # Any: its class is compared
    """Yield the classes whose members an expression has."""
    kind = node.__class__
    if kind is ast.Call:
        yield from _made(node, scope)
        return
    if kind is ast.Attribute and node.value.__class__ is ast.Name:
        for owner in _classes(node.value, scope):
            for where, made in owner.attributes.get(node.attr, ()):
                yield from _made(made, where)
        return
    if kind is not ast.Name:
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
    owner = owner_of(name, scope)
    return [] if owner is None else list(owner.bindings[name])
