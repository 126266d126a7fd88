"""Containers whose content is written out: `Map`, `Set`, and what `Object` makes lists and objects of.

What is added to one of them later is not followed, as for arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from plugseal.lang.ecmascript.resolving.arguments import argument_values
from plugseal.lang.ecmascript.resolving.members import item_of, items_of, values_of
from plugseal.lang.ecmascript.resolving.values import (
    MAX_ALTERNATIVES,
    AnyValue,
    Arguments,
    Mapping,
    Sequence,
    Table,
    Values,
    unique,
)
from plugseal.lang.folded import MAX_ITEMS, Text

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_MAX_ENTRIES: Final = 256


def set_of(resolver: Resolver, arguments: Arguments) -> Values | None:
    """Return what `new Set(items)` holds; None where it is made empty or of what is not known."""
    found: list[AnyValue] = []
    for value in argument_values(resolver, arguments, 0)[:MAX_ALTERNATIVES]:
        if isinstance(value, Sequence):
            found.append(value)
        elif isinstance(value, Text) and isinstance(value.value, str) and value.whole:
            found.append(Sequence(tuple((Text(one),) for one in value.value[:MAX_ITEMS])))
    return unique(found) or None


def table_of(resolver: Resolver, arguments: Arguments) -> Values | None:
    """Return what `new Map(pairs)` holds; None where it is made empty or of what is not known."""
    values = argument_values(resolver, arguments, 0)[:MAX_ALTERNATIVES]
    found = [value for value in values if isinstance(value, Sequence) and value.size]
    return unique([Table(None, one.size, one.at) for one in found]) or None


def values_listed(resolver: Resolver, arguments: Arguments) -> Values | None:
    """Return the array that `Object.values(object)` makes."""
    return _listed(resolver, arguments, lambda mapping, name: mapping.find(name) or ())


def names_listed(resolver: Resolver, arguments: Arguments) -> Values | None:
    """Return the array that `Object.keys(object)` makes."""
    return _listed(resolver, arguments, lambda _mapping, name: (Text(name),))


def entries_listed(resolver: Resolver, arguments: Arguments) -> Values | None:
    """Return the array of pairs that `Object.entries(object)` makes."""
    return _listed(resolver, arguments, lambda mapping, name: (Sequence(((Text(name),), mapping.find(name) or ())),))


def _listed(resolver: Resolver, arguments: Arguments, make: Callable[[Mapping, str], Values]) -> Values | None:
    found: list[AnyValue] = []
    for value in argument_values(resolver, arguments, 0)[:MAX_ALTERNATIVES]:
        if isinstance(value, Mapping):
            found.append(_sequence(value, make))
        elif isinstance(value, Sequence):
            found.append(value)
    return unique(found) or None


def _sequence(mapping: Mapping, make: Callable[[Mapping, str], Values]) -> Sequence:
    names = mapping.names()[:_MAX_ENTRIES]
    return Sequence(None, len(names), lambda at: make(mapping, names[at]))


def object_of_entries(resolver: Resolver, arguments: Arguments) -> Values | None:
    """Return the object that `Object.fromEntries(pairs)` makes."""
    found: list[AnyValue] = []
    for value in argument_values(resolver, arguments, 0)[:MAX_ALTERNATIVES]:
        if not isinstance(value, Sequence):
            continue
        known: dict[str, list[object]] = {}
        computed: list[tuple[object, object]] = []
        for at in range(min(value.size, _MAX_ENTRIES)):
            resolver.fuel -= 1
            for pair in value.at(at):
                held = item_of(resolver, pair, 1)
                keys = [one.value for one in item_of(resolver, pair, 0) if isinstance(one, Text)]
                for key in keys:
                    known.setdefault(str(key), []).append(held)
                if not keys:
                    computed.append(((), held))
        found.append(Mapping(known, _given, computed))
    return unique(found) or None


def _given(held: object) -> Values:
    return cast("Values", held)


def of_table(resolver: Resolver, of: Table, name: str, arguments: Arguments) -> Values | None:
    """Return what a method gives that a `Map` has and an array has not, or has otherwise; None for any other."""
    if name == "get":
        return _got(resolver, of, argument_values(resolver, arguments, 0))
    if name in ("keys", "values"):
        place = 0 if name == "keys" else 1
        return (Sequence(None, of.size, lambda at: _part(resolver, of.at(at), place)),)
    return (of,) if name == "entries" else None


def _part(resolver: Resolver, pairs: Values, place: int) -> Values:
    return unique([one for pair in pairs for one in item_of(resolver, pair, place)])


def _got(resolver: Resolver, of: Table, keys: Values) -> Values:
    """Return what stands under some keys; any of the values where one key is not known."""
    wanted = [key.value if isinstance(key, Text) and key.whole else None for key in keys]
    if not wanted or None in wanted:
        return values_of(resolver, of)
    found: list[AnyValue] = []
    for at in range(min(of.size, _MAX_ENTRIES)):
        for pair in of.at(at):
            held = item_of(resolver, pair, 0)
            if not held or any(not isinstance(one, Text) or one.value in wanted for one in held):
                found.extend(item_of(resolver, pair, 1))
    return unique(found)


def next_of(resolver: Resolver, of: Sequence) -> Values:
    """Return what `iterator.next()` gives: any item, as `value`."""
    return (Mapping({"value": [items_of(resolver, of)]}, _given),)
