"""Two indexes that the resolver needs before it is asked anything: who calls which function, who sets which attribute.

Both are found by the way things are written, without resolving, so that nothing is remembered too early.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugseal.lang.python.collecting.bound import Bound
from plugseal.lang.python.collecting.owners import owner_of
from plugseal.lang.python.collecting.scope import CLASS, FUNCTION, Scope
from plugseal.lang.python.resolving.handed import HANDING, HandedFunctions

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolver import Resolver

_MAX_SITES = 17
"""One more than `parameters` looks at, which tells that there are more."""


class _Known:
    """What is known of names by now, so that many calls of a name that is bound often look at it once."""

    def __init__(self) -> None:
        self.full: set[tuple[Scope, str]] = set()
        """Names, by their scopes, whose functions have all the calls that are ever looked at."""
        self.full_methods: set[tuple[Scope, str]] = set()
        """Methods, by their classes, that have."""
        self.classes: dict[tuple[Scope, str], Scope | None] = {}
        """The first class that a name, by its scope, is bound to."""

    def class_of(self, name: str, scope: Scope | None) -> Scope | None:
        """Return the first class that a name is bound to where it is bound first, from a scope on outwards."""
        while scope is not None and name not in scope.bindings:
            scope = scope.parent
        if scope is None:
            return None
        if (scope, name) not in self.classes:
            bound = (one for one in scope.bindings[name] if isinstance(one, Scope) and one.kind == CLASS)
            self.classes[scope, name] = next(bound, None)
        return self.classes[scope, name]


def index_calls(resolver: Resolver, bound: Bound) -> None:
    """Note at each function of the file the calls of it, and every attribute that is set."""
    functions = bound.functions
    settings: list[tuple[ast.Call, Scope]] = []
    known = _Known()
    looked_for = functions | {"setattr", ""}
    for scope in resolver.scopes:
        if not HANDING.isdisjoint(scope.called):
            _index_handed(resolver, functions, scope, known)
        if looked_for.isdisjoint(scope.called):
            continue
        for name, call in zip(scope.called, scope.calls, strict=True):
            if name not in looked_for:
                continue
            function = call.func
            if function.__class__ is ast.Name:
                if function.id == "setattr":
                    settings.append((call, scope))
                if function.id in functions and (call.args or call.keywords):
                    _note(resolver, function.id, scope, call, known)
            elif function.__class__ is ast.Attribute:
                if function.attr in functions and (call.args or call.keywords):
                    _note_method(function, scope, call, known)
            elif function.__class__ is ast.Lambda and call.args:
                resolver.lambdas[function].note("sites", (call, scope, 0))
    _index_stores(resolver, settings)


def _index_handed(resolver: Resolver, functions: set[str], scope: Scope, known: _Known) -> None:
    """Note the calls that others will make of functions that they are handed: `Thread(target=f, args=(x,))`."""
    for call in HandedFunctions(scope).each():
        function = call.func
        if isinstance(function, ast.Name) and function.id in functions:
            _note(resolver, function.id, scope, call, known)
        elif isinstance(function, ast.Attribute) and function.attr in functions:
            _note_method(function, scope, call, known)
        elif isinstance(function, ast.Lambda):
            resolver.lambdas[function].note("sites", (call, scope, 0))


def _note(resolver: Resolver, name: str, scope: Scope, call: ast.Call, known: _Known) -> None:
    """Note a call at all functions that a name is bound to."""
    owner = owner_of(name, scope)
    if owner is None or (owner, name) in known.full:
        return
    is_full = True
    for binding in owner.bindings[name]:
        function = resolver.lambdas.get(binding) if isinstance(binding, ast.Lambda) else binding
        if not isinstance(function, Scope):
            continue
        if function.kind == FUNCTION:
            is_full = _add(function, call, scope, 0) and is_full
        elif function.kind == CLASS:
            for inner in function.bindings.get("__init__", ()):
                if isinstance(inner, Scope):
                    is_full = _add(inner, call, scope, 1) and is_full
    if is_full:
        known.full.add((owner, name))


def _note_method(function: ast.Attribute, scope: Scope, call: ast.Call, known: _Known) -> None:
    """Note `self.method(...)`, `Class.method(...)` and `Class().method(...)`."""
    base: ast.expr = function.value
    if isinstance(base, ast.Call):
        base = base.func
    if not isinstance(base, ast.Name):
        return
    if scope.receiver is not None and scope.receiver[0] == base.id:
        of: Scope | None = scope.receiver[1]
    else:
        of = known.class_of(base.id, scope)
    if of is None or (of, function.attr) in known.full_methods:
        return
    is_full = True
    for binding in of.bindings.get(function.attr, ()):
        if isinstance(binding, Scope) and binding.kind == FUNCTION:
            is_full = _add(binding, call, scope, 0 if binding.receiver is None else 1) and is_full
    if is_full:
        known.full_methods.add((of, function.attr))


def _add(function: Scope, call: ast.Call, scope: Scope, bound: int) -> bool:
    """Note a call at a function, and say whether that has as many as are ever looked at."""
    if len(function.sites) < _MAX_SITES:
        function.note("sites", (call, scope, bound))
    return len(function.sites) >= _MAX_SITES


def _index_stores(resolver: Resolver, settings: list[tuple[ast.Call, Scope]]) -> None:
    """Note every attribute that is set on something other than `self`, by assignment or by `setattr`."""
    for scope in resolver.scopes:
        for store in scope.stores:
            resolver.stores.setdefault(store.target.attr, []).append((store.target.value, store.value, scope))
    for call, scope in settings:
        if len(call.args) == 3:
            name = call.args[1]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                resolver.stores.setdefault(name.value, []).append((call.args[0], call.args[2], scope))
