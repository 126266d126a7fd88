"""What the arguments of a call may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugseal.lang.ecmascript.collecting.scope import Given
from plugseal.lang.ecmascript.resolving.values import Arguments, Sequence, Values
from plugseal.lang.folded import Text

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.resolving.resolver import Resolver


def argument_values(resolver: Resolver, arguments: Arguments, position: int) -> Values:
    """Return what an argument may be; empty where it is missing or unknown."""
    if not 0 <= position < len(arguments.positional):
        return ()
    return resolver.bound(*arguments.positional[position])


def argument_texts(resolver: Resolver, arguments: Arguments, position: int) -> list[str]:
    """Return every text that an argument may be."""
    values = argument_values(resolver, arguments, position)
    return [v.value for v in values if isinstance(v, Text) and v.whole and isinstance(v.value, str)]


def applied(resolver: Resolver, arguments: Arguments, position: int) -> Arguments:
    """Return the items of an array argument as arguments of their own."""
    for value in argument_values(resolver, arguments, position):
        if isinstance(value, Sequence):
            scope = arguments.scope or resolver.root
            return Arguments(tuple((Given(item), scope) for item in value.items), scope=scope)
    return Arguments((), rest=True, scope=arguments.scope)
