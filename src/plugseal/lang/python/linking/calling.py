"""Which functions a file has, and which of its lines lead to them: for call paths, never for what a file can do.

Names alone decide, as scopes bind them: a function's own name, a method of `self` or of an object made by its class.
What is only mentioned counts as called: somebody was handed it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

from plugseal.lang.facts import MAIN_FUNCTION, Function, LocalCall
from plugseal.lang.python.collecting.owners import owner_of
from plugseal.lang.python.collecting.scope import CLASS, MAIN, MODULE, Scope
from plugseal.lang.python.linking.entries import qualified

if TYPE_CHECKING:
    from collections.abc import Sequence

_One = TypeVar("_One")

_MAX_FUNCTIONS: Final = 2_000
_MAX_CALLS: Final = 10_000
_MAX_CLASSES: Final = 64
"""Classes of which one name may hold an object."""


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
    told = _Told()
    for scope in scopes:
        for name, node in _named(scope, known):
            by_name = node.__class__ is ast.Name
            targets = told.of_name(name, scope) if by_name else told.of_attribute(node.value, name, scope)
            if targets:
                line = node.lineno
                found.update([LocalCall(line, target) for target in targets])
            if len(found) > _MAX_CALLS:
                return tuple(sorted(found)[:_MAX_CALLS])
    return tuple(sorted(found))


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


def _entered(bound: object) -> Iterator[Scope]:
    """Yield what a call of a binding runs: a function, or what makes an object of a class."""
    if not isinstance(bound, Scope):
        return
    if bound.kind != CLASS:
        yield bound
        return
    for name in ("__init__", "__new__", "__post_init__", "__call__"):
        yield from (held for held in bound.bindings.get(name, ()) if isinstance(held, Scope))


class _Told:
    """What names of one file lead to; each is looked at once, however often it is bound and used."""

    def __init__(self) -> None:
        self._names: dict[tuple[Scope | None, str], list[str]] = {}
        self._methods: dict[tuple[Scope, str], list[str]] = {}
        self._bindings: dict[tuple[Scope, str], tuple[list[Scope], list[str]]] = {}
        self._attributes: dict[tuple[Scope, str], list[Scope]] = {}

    def of_name(self, name: str, scope: Scope) -> list[str]:
        """Return the functions that a name leads to where it is read from a scope."""
        owner = owner_of(name, scope)
        known = self._names.get((owner, name))
        if known is None:
            bound = [] if owner is None else owner.bindings[name]
            known = list(dict.fromkeys(qualified(one) for held in bound for one in _entered(held)))
            self._names[owner, name] = known
        return known

    def of_attribute(self, node: Any, name: str, scope: Scope) -> list[str]:  # Any: its class is compared
        """Return the functions that a member of an expression's value may be."""
        return [one for owner in self._classes(node, scope) for one in self._method(owner, name)]

    def _method(self, owner: Scope, name: str) -> list[str]:
        known = self._methods.get((owner, name))
        if known is None:
            held = (one for one in owner.bindings.get(name, ()) if one.__class__ is Scope)
            known = self._methods[owner, name] = list(dict.fromkeys(map(qualified, held)))
        return known

    def _classes(self, node: Any, scope: Scope) -> list[Scope]:
        """Return the classes whose members an expression has."""
        kind = node.__class__
        if kind is ast.Call:
            return self._made(node, scope)
        if kind is ast.Attribute and node.value.__class__ is ast.Name:
            owners = self._classes(node.value, scope)
            return _few(one for owner in owners for one in self._attribute(owner, node.attr))
        if kind is not ast.Name:
            return []
        outer: Scope | None = scope
        while outer is not None:
            if outer.receiver is not None and outer.receiver[0] == node.id:
                return [outer.receiver[1]]
            outer = outer.parent
        classes, makers = self._bound(node.id, scope)
        return _few([*classes, *(one for maker in makers for one in self._bound(maker, scope)[0])])

    def _attribute(self, owner: Scope, name: str) -> list[Scope]:
        """Return the classes of which objects are kept under a name of a class's own."""
        known = self._attributes.get((owner, name))
        if known is None:
            kept = owner.attributes.get(name, ())
            known = self._attributes[owner, name] = _few(one for where, made in kept for one in self._made(made, where))
        return known

    def _made(self, node: object, scope: Scope) -> list[Scope]:
        """Return the classes of which a call makes an object."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self._bound(node.func.id, scope)[0]
        return []

    def _bound(self, name: str, scope: Scope) -> tuple[list[Scope], list[str]]:
        """Return the classes that a name is bound to where it is read, and the names whose call it is bound to."""
        owner = owner_of(name, scope)
        if owner is None:
            return [], []
        known = self._bindings.get((owner, name))
        if known is None:
            held = owner.bindings[name]
            calls = (one.func for one in held if isinstance(one, ast.Call))
            classes = _few(one for one in held if isinstance(one, Scope) and one.kind == CLASS)
            makers = _few(function.id for function in calls if isinstance(function, ast.Name))
            known = self._bindings[owner, name] = classes, makers
        return known


def _few(found: Iterable[_One]) -> list[_One]:
    """Return what was found, each once and no more than are looked at."""
    return list(islice(dict.fromkeys(found), _MAX_CLASSES))
