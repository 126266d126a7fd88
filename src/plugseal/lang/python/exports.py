"""The names of a module that other files can take from it, with what each may hold, for the linker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.python.members import base_values
from plugseal.lang.python.scope import CLASS, Scope
from plugseal.lang.python.tables import top_of
from plugseal.lang.python.values import NO_ARGUMENTS, Instance, Made, Values

if TYPE_CHECKING:
    from plugseal.lang.facts import Context
    from plugseal.lang.python.resolve import Resolver

_MAX_EXPORTS: Final = 2_000
_MAX_MEMBERS: Final = 200


def exports_of(resolver: Resolver, context: Context) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the module-level names that hold something a table or another file of the tree knows."""
    found: dict[str, tuple[str, ...]] = {}

    def add(name: str, values: Values) -> None:
        names = {n for value in values for n in _names(value) if _is_known(n, resolver, context)}
        if names and len(found) < _MAX_EXPORTS:
            found[name] = tuple(sorted(names))

    root = resolver.root
    for name in sorted(root.bindings):
        values = resolver.name(name, root)
        add(name, values)
        for value in values:
            if isinstance(value, Scope) and value.kind != CLASS:
                add(f"{name}()", resolver.apply(value, NO_ARGUMENTS))
            elif isinstance(value, (Scope, Instance)):
                _add_class(name, value, resolver, add)
    for module in root.stars:
        if module.startswith(".") or top_of(module) in context.local_modules:
            found.setdefault("*", ())
            found["*"] = tuple(sorted({*found["*"], module}))
    return tuple(sorted(found.items()))


def _add_class(name: str, value: Scope | Instance, resolver: Resolver, add: object) -> None:
    of = value if isinstance(value, Scope) else value.of
    prefix = f"{name}()" if isinstance(value, Scope) else name
    assert callable(add)
    if isinstance(value, Scope):
        add(prefix, tuple(Made(f"{base}()", None) for base in base_values(resolver, of) if isinstance(base, str)))
    for attribute in sorted({*of.bindings, *of.attributes})[:_MAX_MEMBERS]:
        values = [v for binding in of.bindings.get(attribute, ()) for v in resolver.bound(binding, of)]
        values += [v for scope, binding in of.attributes.get(attribute, ())[:8] for v in resolver.bound(binding, scope)]
        add(f"{prefix}.{attribute}", tuple(values))
        if isinstance(value, Scope):
            add(f"{name}.{attribute}", tuple(values))


def _names(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return (value.name,) if isinstance(value, Made) else ()


def _is_known(name: str, resolver: Resolver, context: Context) -> bool:
    if name.startswith("."):
        return True
    top = top_of(name)
    return top in context.local_modules or top in resolver.tables.sensitive
