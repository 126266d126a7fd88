"""The names of a module that other files can take from it, with what each may hold, for the linker."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from plugseal.lang.python.members import base_values
from plugseal.lang.python.scope import CLASS, FUNCTION, Binding, Scope
from plugseal.lang.python.tables import top_of
from plugseal.lang.python.values import AnyValue, Made, Values

if TYPE_CHECKING:
    from plugseal.lang.facts import Context
    from plugseal.lang.python.resolve import Resolver

_MAX_EXPORTS: Final = 2_000
_LEADING: Final = (ast.Name, ast.Attribute, ast.Call, ast.IfExp, ast.BoolOp, ast.Await, ast.Subscript, ast.NamedExpr)
"""Expressions that can lead to a name outside the file."""


def exports_of(resolver: Resolver, context: Context) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the module-level names that hold something a table or another file of the tree knows.

    `f()` stands for what a function gives back, `C.m` and `C().m` for members of a class, `C()` for its base class;
    `*` holds the modules whose names are all taken over.
    """
    if not context.local_modules:
        return ()  # No other file of the tree can import this one.
    exports = _Exports(resolver, context)
    root = resolver.root
    for name in sorted(root.bindings):
        for binding in root.bindings[name]:
            exports.add_binding(name, binding, root)
    stars = {module for module in root.stars if exports.is_known(module)}
    if stars:
        exports.found["*"] = stars
    return tuple((name, tuple(sorted(held))) for name, held in sorted(exports.found.items()))


class _Exports:
    """What is found so far."""

    def __init__(self, resolver: Resolver, context: Context) -> None:
        self.resolver = resolver
        self.local_modules = context.local_modules
        self.found: dict[str, set[str]] = {}
        self._leading = _leading_names(resolver.scopes)

    def is_known(self, name: str) -> bool:
        """Say whether a table or another file may know a name."""
        if name.startswith("."):
            return True
        return top_of(name) in self.local_modules or self.resolver.tables.has_below(name)

    def _can_lead(self, binding: Binding) -> bool:
        return isinstance(binding, _LEADING) and any(root in self._leading for root in _roots(binding))

    def add_binding(self, name: str, binding: Binding, owner: Scope) -> None:
        """Add what one binding of a name holds."""
        if isinstance(binding, Scope):
            if binding.kind == CLASS:
                self._add_class(name, binding)
            elif binding.kind == FUNCTION:
                self._add_exits(name, binding)
        elif isinstance(binding, str) or self._can_lead(binding):
            self._add(name, self.resolver.bound(binding, owner))

    def _add(self, name: str, values: Values | list[AnyValue]) -> None:
        for value in values:
            held = value.name if isinstance(value, Made) else value
            if isinstance(held, str) and len(self.found) < _MAX_EXPORTS and self.is_known(held):
                self.found.setdefault(name, set()).add(held)

    def _add_exits(self, name: str, function: Scope) -> None:
        for node in function.exits[:8]:
            if self._can_lead(node):
                self._add(f"{name}()", self.resolver.value(node, function))

    def _add_class(self, name: str, of: Scope) -> None:
        bases = [Made(f"{base}()", None) for base in base_values(self.resolver, of) if isinstance(base, str)]
        self._add(f"{name}()", list(bases))
        for member, bindings in of.bindings.items():
            for binding in bindings:
                if isinstance(binding, Scope):
                    if binding.kind == FUNCTION:
                        self._add_exits(f"{name}().{member}", binding)
                elif isinstance(binding, str) or self._can_lead(binding):
                    values = self.resolver.bound(binding, of)
                    self._add(f"{name}.{member}", values)
                    self._add(f"{name}().{member}", values)
        for member, stored in of.attributes.items():
            for owner, binding in stored[:8]:
                if self._can_lead(binding):
                    self._add(f"{name}().{member}", self.resolver.bound(binding, owner))


def _leading_names(scopes: list[Scope]) -> set[str]:
    """Return the names that imports bind, and those bound to something that begins with such a name.

    By the way things are written, in two rounds: a client made of an imported class, and what is made of that client.
    """
    names: set[str] = set()
    waiting: list[tuple[str, str]] = []
    for scope in scopes:
        for name, bindings in scope.bindings.items():
            for binding in bindings:
                if isinstance(binding, str):
                    names.add(name)
                elif isinstance(binding, Scope):
                    waiting.extend((name, root) for node in _made_of(binding) for root in _roots(node))
                elif isinstance(binding, _LEADING):
                    waiting.extend((name, root) for root in _roots(binding))
    for _ in range(2):
        names.update([name for name, root in waiting if root in names])
    return names


def _made_of(scope: Scope) -> list[ast.expr]:
    return scope.node.bases if isinstance(scope.node, ast.ClassDef) else scope.exits[:8]


def _roots(node: ast.AST) -> list[str]:
    """Return the names that chains and calls in an expression begin with."""
    found: list[str] = []
    waiting: list[ast.AST] = [node]
    while waiting and len(found) < 8:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            found.append(node.id)
        elif isinstance(node, (ast.Attribute, ast.Subscript, ast.Await, ast.NamedExpr)):
            waiting.append(node.value)
        elif isinstance(node, ast.Call):
            waiting.append(node.func)
        elif isinstance(node, ast.IfExp):
            waiting.extend((node.body, node.orelse))
        elif isinstance(node, ast.BoolOp):
            waiting.extend(node.values[:8])
    return found
