"""Where a file is entered: import time, and functions that a framework or a host is given to call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.choosing.chosen import entry_names
from plugseal.lang.ecmascript.collecting.scope import ARROW, FUNCTION, MODULE, Given, Scope
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.resolving.values import Made
from plugseal.lang.facts import EntryPoint

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.noting import Collected
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_MAX_GIVEN: Final = 16
_KINDS: Final = (FUNCTION, ARROW)
_MAX_SITES: Final = 6
_CALLED: Final = frozenset(("execute", "handler", "run", "callback", "invoke"))
"""Properties of an object that is registered: the functions that the host calls."""


def mark_entries(resolver: Resolver, modules: tuple[str, ...]) -> None:
    """Give functions that are handed to a known registration the trigger of it.

    Args:
        resolver: of the file.
        modules: that the file may load.
    """
    collected = resolver.collected
    entries = resolver.tables.entries
    last_names = entry_names(resolver.tables, modules)
    registering = {name.encode(): trigger for name, trigger in resolver.tables.registering.items()}
    for scope in collected.scopes:
        for call in scope.calls:
            if call.last in registering:
                _mark(resolver, call.node, scope, registering[call.last])
            elif call.last in last_names:
                for value in resolver.value(call.function, scope):
                    name = value.name if isinstance(value, Made) else value
                    if isinstance(name, str) and name in entries:
                        _mark(resolver, call.node, scope, entries[name])
                        _hand(resolver, call.node, scope, resolver.tables.handed.get(name))


def _mark(resolver: Resolver, node: object, scope: Scope, trigger: str) -> None:
    given = node.child_by_field_id(resolver.grammar.arguments)  # type: ignore[attr-defined]  # a node
    for child in given.named_children if given is not None else ():
        for function in _functions(resolver, child, scope):
            function.is_entered = True
            if function.trigger in ("unknown", "import"):
                function.trigger = trigger


def _hand(resolver: Resolver, node: object, scope: Scope, given: str | None) -> None:
    """Tell functions that a registration takes what their second parameter is: `(request, response) => …`."""
    arguments = node.child_by_field_id(resolver.grammar.arguments)  # type: ignore[attr-defined]  # a node
    if given is None or arguments is None:
        return
    site = (Given(()), Given((Made(given, None),)))
    for child in arguments.named_children[:_MAX_GIVEN]:
        inner = child.child_by_field_id(resolver.grammar.arguments)
        for one in (child, *(inner.named_children[:2] if inner is not None else ())):
            known = resolver.functions.get(one.id)
            named = (
                resolver.value(one, scope)
                if known is None and resolver.grammar.codes[one.kind_id] == g.IDENTIFIER
                else ()
            )
            for function in (known, *named):
                if isinstance(function, Scope) and function.parameters in (2, 3) and len(function.sites) < _MAX_SITES:
                    function.sites.append((site, scope))


def _functions(resolver: Resolver, node: Node, scope: Scope) -> list[Scope]:
    """Return the functions that an argument may be, by its name too, or those that it holds to be called."""
    known = _function(resolver, node, scope)
    if known or node.type != "object":
        return known
    found = []
    for child in node.named_children:
        name = child.child_by_field_id(resolver.grammar.key) or child.child_by_field_id(resolver.grammar.name)
        if name is not None and resolver.text_at(name) in _CALLED:
            found += _function(resolver, child.child_by_field_id(resolver.grammar.value) or child, scope)
    return found


def _function(resolver: Resolver, node: Node, scope: Scope) -> list[Scope]:
    known = resolver.functions.get(node.id)
    if known is not None:
        return [known]
    if resolver.grammar.codes[node.kind_id] != g.IDENTIFIER:
        return []
    return [value for value in resolver.value(node, scope) if isinstance(value, Scope) and value.kind in _KINDS]


def entry_points(collected: Collected) -> tuple[EntryPoint, ...]:
    """Return the entry points of a file, in order of line."""
    found = []
    for scope in collected.scopes:
        line = scope.node.start_point[0] + 1
        if scope.kind == MODULE:
            found.append(EntryPoint("<module>", "import", 1))
        elif scope.trigger not in ("unknown", "import"):
            found.append(EntryPoint(_qualified(scope), scope.trigger, line))
    return tuple(sorted(set(found), key=lambda entry: (entry.line, entry.name, entry.trigger)))


def _qualified(scope: Scope) -> str:
    parts = [scope.name]
    outer = scope.parent
    while outer is not None and outer.kind != MODULE and len(parts) < 16:
        parts.append(outer.name)
        outer = outer.parent
    return ".".join(reversed(parts))
