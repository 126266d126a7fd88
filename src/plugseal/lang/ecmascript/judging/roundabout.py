"""Calls that reach a known module's function by a detour: `os["hostname"]()`, `Reflect.get(os, "hostname")()`.

Nobody writes so who does not mind being read, except for variables of the environment, which are data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.scope import node_of
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.resolving.arguments import argument_texts, argument_values
from plugseal.lang.ecmascript.resolving.names import ENVIRONMENT, GLOBAL_THIS
from plugseal.lang.ecmascript.resolving.values import Arguments, Made, Values
from plugseal.lang.folded import Text

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.scope import Call, Scope
    from plugseal.lang.ecmascript.judging.subject import Subject
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_GETTERS: Final = frozenset(
    ("globals.Reflect.get", "globals.Object.getOwnPropertyDescriptor", "globals.Reflect.getOwnPropertyDescriptor")
)
_DETOURS: Final = frozenset((b"call", b"apply", b"bind", b"value"))
_LISTING: Final = frozenset(
    f"globals.{name}"
    for name in ("Object.entries", "Object.keys", "Object.values", "Object.getOwnPropertyNames", "Reflect.ownKeys")
)


def takes_detour(resolver: Resolver, call: Call, values: Values, scope: Scope) -> bool:
    """Say whether a call takes a detour to a function of a module that tables know, whose name could simply be written.

    Args:
        resolver: of the file.
        call: as it was noted.
        values: what it may call.
        scope: where it stands.
    """
    grammar = resolver.grammar
    function = call.function
    last, code = call.last, grammar.codes[function.kind_id]
    for _ in range(2):
        if code == g.IDENTIFIER or (code == g.MEMBER and last not in _DETOURS):
            return False
        if code == g.MEMBER:
            inner = function.child_by_field_id(grammar.object)
            if inner is None:
                return False
            function, code = inner, grammar.codes[inner.kind_id]
            name = function.child_by_field_id(grammar.property) if code == g.MEMBER else None
            last = resolver.text_at(name).encode("utf-8", "replace") if name is not None else b""
    return _is_roundabout(resolver, function, values, scope)


def _is_roundabout(resolver: Resolver, function: Node, values: Values, scope: Scope) -> bool:
    code = resolver.grammar.codes[function.kind_id]
    if code == g.SUBSCRIPT:
        return _is_computed(resolver, function, values, scope)
    if code == g.CALL:
        return _is_got(resolver, function, scope)
    return False


def variables_got(subject: Subject, arguments: Arguments, node: Node, scope: Scope) -> bool:
    """Report the variables that `Reflect.get(process.env, name)` reads; say whether it does."""
    base = node_of(arguments.positional[0][0])
    texts = argument_texts(subject.resolver, arguments, 1)
    if base is None or not texts or ENVIRONMENT not in argument_values(subject.resolver, arguments, 0):
        return False
    subject.callees.add(base.id)
    for text in texts:
        subject.variable(node, text, scope)
    return True


def _is_computed(resolver: Resolver, function: Node, values: Values, scope: Scope) -> bool:
    grammar = resolver.grammar
    base, index = function.child_by_field_id(grammar.object), function.child_by_field_id(grammar.index)
    if base is None or index is None:
        return False
    if _lists(resolver, base, scope):
        return True
    if not any(_is_sensitive(resolver, one) for one in resolver.value(base, scope)):
        return False
    keys = [one for one in resolver.value(index, scope) if isinstance(one, Text)]
    if not keys:
        return grammar.codes[index.kind_id] == g.CALL
    if GLOBAL_THIS in resolver.value(base, scope):
        return any(isinstance(one, (str, Made)) for one in values)
    return any(isinstance(one.value, str) for one in keys)


def _is_got(resolver: Resolver, function: Node, scope: Scope) -> bool:
    inner = function.child_by_field_id(resolver.grammar.function)
    given = function.child_by_field_id(resolver.grammar.arguments)
    if inner is None or given is None or not given.named_children:
        return False
    if not any(value in _GETTERS for value in resolver.value(inner, scope) if isinstance(value, str)):
        return False
    return any(_is_sensitive(resolver, one) for one in resolver.value(given.named_children[0], scope))


def _lists(resolver: Resolver, node: Node, scope: Scope) -> bool:
    """Say whether a chain begins with a list of what a known module holds."""
    grammar, codes = resolver.grammar, resolver.grammar.codes
    inner: Node | None = node
    for _ in range(12):
        if inner is None:
            return False
        code = codes[inner.kind_id]
        if code in (g.MEMBER, g.SUBSCRIPT):
            inner = inner.child_by_field_id(grammar.object)
            continue
        if code != g.CALL:
            return False
        function = inner.child_by_field_id(grammar.function)
        given = inner.child_by_field_id(grammar.arguments)
        if function is not None and given is not None and given.named_children:
            names = resolver.value(function, scope)
            if any(name in _LISTING for name in names if isinstance(name, str)):
                return any(_is_sensitive(resolver, one) for one in resolver.value(given.named_children[0], scope))
        inner = function
    return False


def _is_sensitive(resolver: Resolver, value: object) -> bool:
    return (
        isinstance(value, str) and value != ENVIRONMENT and (value == GLOBAL_THIS or value in resolver.tables.sensitive)
    )
