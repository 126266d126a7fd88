"""What calls give back: modules, functions of the file, constructors, and the functions that move values about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.scope import Given, Scope
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.resolving.applying import apply
from plugseal.lang.ecmascript.resolving.arguments import applied, argument_texts, argument_values
from plugseal.lang.ecmascript.resolving.bundled import bundled_values, getter_of
from plugseal.lang.ecmascript.resolving.containers import next_of, of_table
from plugseal.lang.ecmascript.resolving.functions import FUNCTIONS
from plugseal.lang.ecmascript.resolving.names import GLOBAL_THIS, INTEROP, MODULE_GIVERS, REQUIRE, module_values
from plugseal.lang.ecmascript.resolving.texts import call_method
from plugseal.lang.ecmascript.resolving.values import (
    MAX_QUALIFIED,
    AnyValue,
    Arguments,
    Made,
    Method,
    Partial,
    Sequence,
    Table,
    Values,
    unique,
)
from plugseal.lang.folded import Text

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.scope import Binding
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_MAKERS: Final = frozenset(("module.createRequire", "module.createRequireFromPath"))
"""Functions that give back another `require`."""


def call_value(resolver: Resolver, node: Node, scope: Scope) -> Values:
    """Return what a call, a `new` or a tagged template gives back."""
    grammar = resolver.grammar
    is_new = grammar.codes[node.kind_id] == g.NEW
    function = node.child_by_field_id(grammar.constructor if is_new else grammar.function)
    if function is None:
        return ()
    arguments = arguments_of(resolver, node, scope)
    if resolver.bundled and not is_new:
        code = grammar.codes[function.kind_id]
        known = bundled_values(resolver, node, scope) if code == g.IDENTIFIER else None
        known = getter_of(resolver, function, arguments, scope) if code == g.MEMBER else known
        if known is not None:
            return known
    if _helper_name(resolver, function) in INTEROP and arguments.positional:
        binding, where = arguments.positional[-1 if _helper_name(resolver, function) == "await" else 0]
        given = resolver.bound(binding, where)
        if given:
            return given
    found: list[AnyValue] = []
    for callee in resolver.value(function, scope):
        found.extend(called(resolver, callee, arguments, is_new=is_new))
        if callee.__class__ is Scope and not is_new and _gives_this(resolver, callee):
            found.append(GLOBAL_THIS)
    return unique(found)


def _helper_name(resolver: Resolver, function: Node) -> str:
    grammar = resolver.grammar
    while function.kind_id in grammar.parentheses or function.kind_id in grammar.sequences:
        children = function.named_children
        if not children:
            return ""
        function = children[-1]
    code = grammar.codes[function.kind_id]
    if code == g.MEMBER:
        name = function.child_by_field_id(grammar.property)
        return resolver.text_at(name) if name is not None else ""
    return resolver.text_at(function) if code == g.IDENTIFIER else ""


def _gives_this(resolver: Resolver, function: Scope) -> bool:
    """Say whether a function that is called without an object gives back `this`, which is the global scope then."""
    return function.home is None and any(
        resolver.data[node.start_byte : node.end_byte] == b"this" for node in function.exits[:2]
    )


def arguments_of(resolver: Resolver, node: Node, scope: Scope) -> Arguments:
    """Return the arguments of a call; the text of a tagged template is its one argument."""
    grammar = resolver.grammar
    given = node.child_by_field_id(grammar.arguments)
    if given is None:
        return Arguments((), scope=scope)
    if given.kind_id not in grammar.argument_lists:
        return Arguments(((given, scope),), scope=scope)
    found: list[tuple[Binding, Scope]] = []
    rest = False
    for child in given.named_children:
        kind = child.kind_id
        if kind in grammar.spreads:
            items = _spread(resolver, child, scope)
            if items is None:
                rest = True
                break
            found.extend((Given(item), scope) for item in items)
        elif kind not in grammar.comment:
            found.append((child, scope))
    return Arguments(tuple(found), rest, scope)


def _spread(resolver: Resolver, node: Node, scope: Scope) -> tuple[Values, ...] | None:
    for value in resolver.value(node, scope)[:1]:
        if isinstance(value, Sequence):
            return value.items
    return None


def called(resolver: Resolver, callee: AnyValue, arguments: Arguments, *, is_new: bool = False) -> Values:
    """Return what calling one value gives back."""
    if callee.__class__ is str:
        return _called_name(resolver, callee, arguments, is_new=is_new)
    if isinstance(callee, Scope):
        return apply(resolver, callee, arguments, is_new=is_new)
    if isinstance(callee, Partial):
        merged, targets = arguments.behind(callee.arguments), callee.target
        return resolver.deeper(lambda: unique([one for target in targets for one in called(resolver, target, merged)]))
    if isinstance(callee, Method):
        taken = callee
        return resolver.deeper(lambda: _called_method(resolver, taken, arguments))
    if isinstance(callee, Made) and len(callee.name) <= MAX_QUALIFIED:
        method = FUNCTIONS.get(callee.name)
        if method is not None and (held := method(resolver, arguments)):
            return held
        known = resolver.tables.canonical(f"{callee.name}()")
        return (Made(known, arguments if arguments.positional else callee.arguments),)
    return ()


def _called_name(resolver: Resolver, name: str, arguments: Arguments, *, is_new: bool) -> Values:
    if name in MODULE_GIVERS:
        return loaded(resolver, arguments)
    if name in _MAKERS:
        return (REQUIRE,)
    fold = FUNCTIONS.get(name)
    if fold is not None:
        known = fold(resolver, arguments)
        if known is not None:
            return known
    at = resolver.tables.passing.get(name)
    if at is not None:
        passed = argument_values(resolver, arguments, 0)
        return (Partial(passed, arguments.after(at)),) if passed and at else passed
    if len(name) > MAX_QUALIFIED:
        return ()
    if "#" in name:
        return () if is_new or name.endswith("#") else (f"{name}()",)
    known_name = resolver.tables.canonical(f"{name}()")
    if "()" not in known_name and known_name != name:
        return (known_name,)
    return (Made(known_name, arguments),)


def loaded(resolver: Resolver, arguments: Arguments) -> Values:
    """Return the modules that `require` or `import()` gives for its arguments."""
    names = argument_texts(resolver, arguments, 0)
    return unique([value for name in names for value in module_values(resolver.tables, name)])


def _called_method(resolver: Resolver, method: Method, arguments: Arguments) -> Values:
    name, of = method.name, method.of
    if name in ("call", "apply", "bind"):
        return _moved(resolver, of, name, arguments)
    if name in ("then", "catch", "finally"):
        return _chained(resolver, of, arguments) or ((of,) if name != "then" else ())
    if isinstance(of, Table) and (known := of_table(resolver, of, name, arguments)) is not None:
        return known
    if isinstance(of, Sequence) and name == "next":
        return next_of(resolver, of)
    if isinstance(of, (Text, Sequence)):
        return call_method(resolver, of, name, arguments)
    return ()


def _moved(resolver: Resolver, of: AnyValue, name: str, arguments: Arguments) -> Values:
    """Follow a function through `call`, `apply` and `bind`."""
    target = of
    if name == "bind":
        return (Partial((target,), arguments.after(1)),)
    if name == "call":
        if isinstance(target, Method) and arguments.positional:
            return unique(
                [
                    one
                    for this in argument_values(resolver, arguments, 0)
                    for one in called(resolver, Method(this, target.name), arguments.after(1))
                ]
            )
        return called(resolver, target, arguments.after(1))
    return called(resolver, target, applied(resolver, arguments, 1))


def _chained(resolver: Resolver, of: AnyValue, arguments: Arguments) -> Values:
    """Return what a promise's next step gives, for the value of the one before."""
    scope = arguments.scope or resolver.root
    given = Arguments(((Given((of,)), scope),), scope=scope)
    found: list[AnyValue] = []
    for function in argument_values(resolver, arguments, 0):
        if isinstance(function, (Scope, str, Partial)):
            found.extend(called(resolver, function, given))
    return unique(found)
