"""What a file gives to others: its exports, as far as they are names of other modules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.resolving.values import AnyValue, Made, Mapping, Values

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

WHOLE: Final = "="
"""Stands for `module.exports` as a whole."""
_MAX_NAMES: Final = 8
_MAX_PROPERTIES: Final = 512


def exports_of(resolver: Resolver) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the exported names with the qualified names that each may hold, sorted; `*` for all of a module's."""
    found: dict[str, set[str]] = {}
    for export in resolver.collected.exports:
        values = resolver.bound(export.binding, export.scope)
        if export.name == "*":
            found.setdefault("*", set()).update(value for value in values if isinstance(value, str))
            continue
        _keep(found, export.name, values, 0)
    _common(resolver, found)
    return tuple((name, tuple(sorted(names)[:_MAX_NAMES])) for name, names in sorted(found.items()) if names)


def _common(resolver: Resolver, found: dict[str, set[str]]) -> None:
    """Add what is assigned to `module.exports`, `exports` and their properties."""
    for name, stores in resolver.stores.items():
        for store in stores[:_MAX_NAMES]:
            target = store.target.child_by_field_id(resolver.grammar.object)
            written = resolver.data[target.start_byte : target.end_byte] if target is not None else b""
            if written == b"module" and name == b"exports":
                _keep(found, WHOLE, resolver.bound(store.value, store.scope), 0)
            elif written in (b"exports", b"module.exports"):
                _keep(found, name.decode("utf-8", "replace"), resolver.bound(store.value, store.scope), 0)


def _keep(found: dict[str, set[str]], name: str, values: Values, depth: int) -> None:
    for value in values:
        known = _name_of(value)
        if known is not None:
            found.setdefault(name, set()).add(known)
        elif isinstance(value, Mapping) and depth < 2:
            for inner in value.names()[:_MAX_PROPERTIES]:
                full = inner if name in (WHOLE, "default") and depth == 0 else f"{name}.{inner}"
                _keep(found, full, value.find(inner) or (), depth + 1)
                if name == "default":
                    _keep(found, f"default.{inner}", value.find(inner) or (), depth + 1)


def _name_of(value: AnyValue) -> str | None:
    if isinstance(value, Made):
        return value.name
    return value if isinstance(value, str) else None
