"""Functions that are handed over with what they will be called with: `setTimeout(cp.exec, 10, line)`, `[x].map(f)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.scope import Given
from plugseal.lang.ecmascript.resolving.calls import arguments_of
from plugseal.lang.ecmascript.resolving.values import Arguments, Sequence

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.scope import Scope
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_BEHIND: Final = {"setTimeout": 2, "setInterval": 2, "setImmediate": 1, "nextTick": 1}
"""How many arguments stand before those that the function is given."""
_EACH: Final = frozenset(("map", "forEach", "flatMap", "filter", "some", "every", "find"))
_MAX_EACH: Final = 16


def handed_over(resolver: Resolver, node: Node, scope: Scope) -> list[Arguments]:
    """Return the arguments of each call that somebody else will make of a function; none where that is not known."""
    given = node.parent
    call = given.parent if given is not None and given.type == "arguments" else None
    if given is None or call is None or call.type != "call_expression" or given.named_children[0] != node:
        return []
    function = call.child_by_field_name("function")
    if function is None:
        return []
    base = function.child_by_field_name("object")
    name = resolver.text_at(function.child_by_field_name("property") or function)
    if name in _BEHIND:
        behind = arguments_of(resolver, call, scope).after(_BEHIND[name])
        return [behind] if behind.positional else []
    if name not in _EACH or base is None:
        return []
    lists = [value for value in resolver.value(base, scope) if isinstance(value, Sequence)]
    return [Arguments(((Given(item), scope),), scope=scope) for one in lists for item in one.items[:_MAX_EACH] if item]
