"""What a binding of a name gives that is no expression: parameters, parts of patterns, loops, declared types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from plugseal.lang.ecmascript.collecting.scope import (
    Imported,
    Iterated,
    Keys,
    Parameter,
    Rest,
    Scope,
    Stored,
    Taken,
)
from plugseal.lang.ecmascript.collecting.sites import MAX_SITES
from plugseal.lang.ecmascript.parsing.literals import unescape
from plugseal.lang.ecmascript.resolving.members import item_of, items_of, member_of, rest_of, values_of
from plugseal.lang.ecmascript.resolving.values import (
    AnyValue,
    Made,
    Mapping,
    Sequence,
    Values,
    unique,
)
from plugseal.lang.folded import HOLE, Text

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugseal.lang.ecmascript.collecting.scope import Binding
    from plugseal.lang.ecmascript.resolving.resolver import Resolver


_MAX_NAMES: Final = 64
"""Names of an object's properties that a loop is taken to go through."""


def typed_values(resolver: Resolver, name: bytes) -> Values:
    """Return an object of an imported type."""
    module, member = resolver.collected.type_named(name)
    if not module or module.startswith("."):
        return ()
    bare = resolver.tables.module_named(module)
    full = resolver.tables.canonical(f"{bare}.{member}()" if member else f"{bare}()")
    return (Made(full, None),) if resolver.tables.is_module(bare) else ()


def taken_values(resolver: Resolver, binding: Taken, owner: Scope) -> Values:
    """Return what a name in a pattern takes out of the value that the pattern is given."""
    sources = resolver.deeper(lambda: resolver.bound(binding.source, owner))
    key = binding.key
    found: list[AnyValue] = []
    if isinstance(key, int):
        found = [one for source in sources for one in item_of(resolver, source, key)]
    else:
        names = [key.decode("utf-8", "replace")] if isinstance(key, bytes) else resolver.texts(key, owner)
        found = [one for name in names for source in sources for one in member_of(resolver, source, unescape(name))]
    return unique(found)


def parameter_values(resolver: Resolver, parameter: Parameter, owner: Scope) -> Values:
    """Return what the calls in the file hand over for a parameter."""
    found: list[AnyValue] = []
    for arguments, scope in owner.sites:
        if parameter.is_rest:
            items = tuple(resolver.bound(one, scope) for one in arguments[parameter.position :])
            found.append(Sequence(items))
        elif parameter.position < len(arguments):
            found.extend(resolver.bound(arguments[parameter.position], scope))
    if (owner.is_entered or len(owner.sites) >= MAX_SITES) and any(isinstance(one, Text) for one in found):
        found.append(Text(HOLE, whole=False))  # What callers in the file hand over is not all that it is given.
    return unique(found)


def part_values(resolver: Resolver, binding: Binding, owner: Scope) -> Values:
    """Return what a part of another value is: its rest, its items, its keys, or an object that holds it."""
    if isinstance(binding, Rest):
        return unique([one for value in resolver.bound(binding.source, owner) for one in rest_of(value, binding.place)])
    if isinstance(binding, Iterated):
        look = values_of if binding.of_entries else items_of
        return unique([one for value in resolver.bound(binding.source, owner) for one in look(resolver, value)])
    if isinstance(binding, Keys):
        mappings = [value for value in resolver.bound(binding.source, owner) if isinstance(value, Mapping)]
        return unique([Text(name) for mapping in mappings for name in mapping.names()[:_MAX_NAMES]])
    if isinstance(binding, Stored):
        key, held = binding.key, binding.value
        make = cast("Callable[[object], Values]", lambda one: resolver.bound(one, owner))
        if isinstance(key, bytes):
            return (Mapping({key.decode("utf-8", "replace"): [held]}, make),)
        return (Mapping({}, make, [(key, held)]),)
    return ()


def hides(resolver: Resolver, name: bytes, owner: Scope) -> bool:
    """Say whether a scope's own binding of a guarded name surely hides what the name means outside."""
    declaration = owner.declared.get(name)
    if declaration is None:
        return any(isinstance(one, Imported) for one in owner.bindings[name])
    kind = declaration.type
    if declaration == owner.node or kind in ("catch_clause", "for_in_statement"):
        return kind not in ("catch_clause", "for_in_statement")
    node = declaration.parent if kind == "variable_declarator" else declaration
    if node is not None and node.type == "variable_declaration":
        return True
    holder = node.parent if node is not None else None
    while holder is not None and holder.type == "export_statement":
        holder = holder.parent
    if holder is None or owner.parent is None:
        return holder is None or holder.type == "program"
    return holder == owner.node.child_by_field_id(resolver.grammar.body)
