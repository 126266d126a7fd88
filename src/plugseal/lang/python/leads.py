"""Whether a receiver may be a module or the environment under another name, by the way things are written.

`remove`, `get` and `update` are methods of everyday objects; only behind `os` and its like do they matter. So before
such a call is resolved it is asked here whether what stands before it may be one: through aliases, defaults, choices,
containers, attributes and the file's own functions. Nothing is resolved.
"""

from __future__ import annotations

import ast
from collections.abc import Container
from typing import TYPE_CHECKING, Final

from plugseal.lang.python.scope import CLASS, FUNCTION, Binding, Default, Item, Parameter, Scope, Stored

if TYPE_CHECKING:
    from plugseal.lang.python.resolve import Resolver

_FETCHING: Final = frozenset(
    "getattr __import__ import_module next iter vars globals locals reload getmodule attrgetter".split()
)
_MAX_STEPS: Final = 64
_MAX_PARTS: Final = 16


class Leads:
    """The question for one file, with its answers so far."""

    def __init__(self, resolver: Resolver, imported: Container[str], last_names: set[str]) -> None:
        self.resolver = resolver
        self.imported = imported
        self.last_names = last_names
        """Last parts of chains that may be such an object: `environ`."""
        self._names: dict[tuple[str, Scope], bool] = {}
        self._attributes: dict[str, list[tuple[Binding, Scope]]] | None = None
        self._held: dict[str, bool] = {}
        self._steps = 0

    def reaches(self, node: ast.AST, scope: Scope) -> bool:
        """Say whether an expression may be a module or something that stands for one."""
        self._steps = 0
        return self._expression(node, scope)

    def _expression(self, node: ast.AST, scope: Scope) -> bool:
        waiting = [node]
        while waiting:
            node = waiting.pop()
            self._steps += 1
            if self._steps > _MAX_STEPS:
                return True
            if isinstance(node, ast.Name):
                if self._name(node.id, scope):
                    return True
            elif isinstance(node, ast.Attribute):
                if node.attr in self.last_names or self._attribute(node.attr):
                    return True
            elif isinstance(node, ast.Call):
                function = node.func
                name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
                if name in _FETCHING or (isinstance(function, ast.Name) and self._returned(name, scope)):
                    return True
            else:
                waiting.extend(_parts(node))
        return False

    def _name(self, name: str, scope: Scope) -> bool:
        if name in self.imported:
            return True
        owner = _owner(name, scope)
        if owner is None:
            return False
        known = self._names.get((name, owner))
        if known is None:
            self._names[(name, owner)] = False  # A name may be made of itself.
            known = any(self._binding(binding, owner) for binding in owner.bindings[name][:_MAX_STEPS])
            self._names[(name, owner)] = known
        return known

    def _binding(self, binding: Binding, owner: Scope) -> bool:
        while isinstance(binding, (Item, Stored)):
            binding = binding.source if isinstance(binding, Item) else binding.value
        if isinstance(binding, Default):
            return self._expression(binding.value, owner.parent or owner)
        if isinstance(binding, Parameter):
            return any(self._expression(part, scope) for call, scope, _ in owner.sites for part in _given(call))
        return isinstance(binding, ast.expr) and self._expression(binding, owner)

    def _returned(self, name: str, scope: Scope) -> bool:
        """Say whether a function of the file may give one back."""
        owner = _owner(name, scope)
        functions = owner.bindings[name] if owner is not None else ()
        return any(
            isinstance(one, Scope)
            and one.kind == FUNCTION
            and any(self._expression(node, one) for node in one.exits[:4])
            for one in functions
        )

    def _attribute(self, name: str) -> bool:
        known = self._held.get(name)
        if known is None:
            self._held[name] = False
            known = self._held[name] = any(
                self._binding(*stored) for stored in self._stored().get(name, ())[:_MAX_PARTS]
            )
        return known

    def _stored(self) -> dict[str, list[tuple[Binding, Scope]]]:
        if self._attributes is None:
            found: dict[str, list[tuple[Binding, Scope]]] = {}
            self._attributes = found
            for scope in self.resolver.scopes:
                if scope.kind == CLASS:
                    for name, bindings in scope.bindings.items():
                        found.setdefault(name, []).extend((binding, scope) for binding in bindings)
                for name, stored in scope.attributes.items():
                    found.setdefault(name, []).extend((binding, owner) for owner, binding in stored)
            for name, stores in self.resolver.stores.items():
                found.setdefault(name, []).extend((binding, owner) for _, binding, owner in stores)
        return self._attributes


def _owner(name: str, scope: Scope) -> Scope | None:
    owner: Scope | None = scope
    while owner is not None and (name not in owner.bindings or (owner.kind == CLASS and owner is not scope)):
        owner = owner.parent
    return owner


def _parts(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, (ast.Subscript, ast.Await, ast.NamedExpr, ast.Starred)):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, (ast.BoolOp, ast.Dict)):
        return node.values[:_MAX_PARTS]
    return node.elts[:_MAX_PARTS] if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else []


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args[:_MAX_PARTS], *(keyword.value for keyword in call.keywords[:_MAX_PARTS])]
