"""The names of a module that other files can take from it, with what each may hold, for the linker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.judging.tables import top_of
from plugseal.lang.python.choosing.leading import LEADING, leading_names, roots
from plugseal.lang.python.collecting.scope import CLASS, FUNCTION, Binding, Scope
from plugseal.lang.python.resolving.members import base_values
from plugseal.lang.python.resolving.values import AnyValue, Made, Values

if TYPE_CHECKING:
    from plugseal.lang.facts import Context
    from plugseal.lang.python.resolving.resolver import Resolver

_MAX_EXPORTS: Final = 2_000
_MAX_BASES: Final = 4
"""How many classes of the file a class inherits from, one behind the other, that are looked at."""


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
        self._leading = leading_names(resolver.scopes, lambda _module: True)

    def is_known(self, name: str) -> bool:
        """Say whether a table or another file may know a name."""
        if name.startswith("."):
            return True
        return top_of(name) in self.local_modules or self.resolver.tables.has_below(name)

    def _can_lead(self, binding: Binding) -> bool:
        return isinstance(binding, LEADING) and any(root in self._leading for root in roots(binding))

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

    def _add_class(self, name: str, of: Scope, depth: int = 0) -> None:
        values = base_values(self.resolver, of)
        bases = [Made(f"{base}()", None) for base in values if isinstance(base, str)]
        self._add(f"{name}()", list(bases))
        for base in values if depth < _MAX_BASES else ():
            if isinstance(base, Scope) and base is not of:
                self._add_class(name, base, depth + 1)
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
