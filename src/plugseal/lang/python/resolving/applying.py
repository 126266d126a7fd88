"""Functions of the file, looked at once more for the arguments of one call, and names that stand for given values.

What a function gives back for all its calls together is remembered; only where a call's own arguments can tell more is
the body looked at for them alone, in a frame: a scope with the bindings of the function and a memory of its own.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import Text
from plugseal.lang.python.collecting.noting import nodes_of
from plugseal.lang.python.collecting.scope import FUNCTION, Added, Binding, Item, Parameter, Scope, Stored
from plugseal.lang.python.resolving.frames import Exits
from plugseal.lang.python.resolving.parameters import given_parameters
from plugseal.lang.python.resolving.values import MAX_ALTERNATIVES, Arguments, Mapping, Sequence, Values, unique

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.frames import Frames
    from plugseal.lang.python.resolving.resolver import Resolver

_MAX_LEVEL: Final = 32
"""How deep evaluation may have nested where a frame is still made."""
_MAX_OPEN: Final = 4
_MAX_ENTERED: Final = 4
"""How often a function that leads back to itself is followed inside itself: nothing new comes of it after a few."""
_WITH_PARAMETERS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_MAX_CELLS: Final = 64
_TELLING: Final = frozenset((ast.Name, ast.Attribute, ast.Call, ast.Subscript))


def apply(resolver: Resolver, function: Scope, arguments: Arguments) -> Values:
    """Return what a function of this file gives back for these arguments."""
    frames = resolver.frames
    if not function.exits or function in frames.looked_into:
        return ()
    if not _is_alike(resolver, function, arguments):
        return _alone(resolver, function, arguments)
    entered = frames.entered.get(function, 0)
    if entered >= _MAX_ENTERED:
        return ()
    frames.entered[function] = entered + 1
    frames.depth += 1
    exits = function.exits[:MAX_ALTERNATIVES]
    values = unique([value for node in exits for value in resolver.value(node, function)])
    frames.depth -= 1
    frames.entered[function] = entered
    return values


def answer(resolver: Resolver, hooks: Values, key: str | bytes | int | float | None) -> Values:
    """Return what methods such as `__getattr__` give back for a key: Python calls them, and no call stands for it."""
    frames = resolver.frames
    if not hooks or frames.is_answering:
        return ()
    arguments = Arguments(((ast.Constant(value=key), resolver.root),), ())
    telling = [hook for hook in hooks if isinstance(hook, Scope) and _may_answer(resolver, hook)]
    frames.is_answering = True
    values = unique([value for hook in telling for value in _alone(resolver, hook, arguments)])
    frames.is_answering = False
    return values


def _alone(resolver: Resolver, function: Scope, arguments: Arguments) -> Values:
    """Return what a function gives back for these arguments, by a frame of its own."""
    frames = resolver.frames
    frames.depth += 1
    read = _looked_at(frames, function).names
    frame = frames.make(function, function.parent, given_parameters(resolver, function, arguments, read))
    frame.bindings, frame.receiver = function.bindings, function.receiver
    frames.left -= 1
    frames.looked_into.add(function)
    values = unique([value for node in function.exits[:MAX_ALTERNATIVES] for value in resolver.value(node, frame)])
    frames.looked_into.discard(function)
    frames.depth -= 1
    return values


def with_names(resolver: Resolver, scope: Scope, names: dict[str, Values], node: ast.expr) -> Values:
    """Return the value of an expression where some names stand for given values (comprehensions)."""
    frame = resolver.frames.make(scope, scope, names)
    frame.bindings = {name: [] for name in names}
    return resolver.value(node, frame)


def _is_alike(resolver: Resolver, function: Scope, arguments: Arguments) -> bool:
    """Say whether a function is not looked at for one call alone: it would tell nothing more, or there is no room."""
    if not _has_room(resolver) or len(function.sites) < 2 or not arguments.may_tell():
        return True
    return not _looked_at(resolver.frames, function).is_telling


def _may_answer(resolver: Resolver, hook: Scope) -> bool:
    """Say whether to look at a function for one key alone may tell something, and there is room for it."""
    if not hook.exits or hook in resolver.frames.looked_into or not _has_room(resolver):
        return False
    return _looked_at(resolver.frames, hook).is_telling


def _has_room(resolver: Resolver) -> bool:
    frames = resolver.frames
    return resolver.level < _MAX_LEVEL and len(frames.looked_into) < _MAX_OPEN and frames.left > 0


def _looked_at(frames: Frames, function: Scope) -> Exits:
    exits = frames.exits.get(function)
    if exits is None:
        exits = frames.exits[function] = _look_at(function)
    return exits


def _look_at(function: Scope) -> Exits:
    """Return what the exits of a function are made of, by the names that are read on the way.

    Whatever is called, or taken out of something, may lead back to the function itself, which only a frame stops.
    """
    waiting: list[Binding] = list(function.exits[:MAX_ALTERNATIVES])
    seen: set[str] = set()
    is_telling = False
    while waiting:
        binding = waiting.pop()
        is_telling = is_telling or isinstance(binding, Parameter)
        for part in _parts(binding):
            for node in nodes_of(part, _TELLING):
                if node.__class__ is not ast.Name:
                    is_telling = True
                elif node.id not in seen:
                    seen.add(node.id)
                    waiting.extend(function.bindings.get(node.id, ()))
    return Exits(is_telling, seen)


def _parts(binding: Binding) -> list[ast.expr]:
    """Return the expressions that a binding is made of, those that are read in the function itself."""
    while isinstance(binding, Item):
        binding = binding.source
    if isinstance(binding, Stored):
        return [binding.key, *_parts(binding.value)]
    if isinstance(binding, Added):
        return [binding.statement.value]
    return [binding] if isinstance(binding, ast.expr) else []


def own_attribute(resolver: Resolver, of: Scope, name: str) -> Values:
    """Return what an attribute of a function holds that Python itself sets."""
    node, outside = of.node, of.parent
    if not isinstance(node, _WITH_PARAMETERS) or outside is None:
        return ()
    given = node.args
    if name == "__defaults__":
        return (Sequence(None, (resolver, given.defaults, outside)),)
    if name == "__kwdefaults__":
        pairs = zip(given.kwonlyargs, given.kw_defaults, strict=True)
        return _mapping(resolver, outside, {one.arg: held for one, held in pairs if held is not None})
    if name == "__annotations__":
        arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs]
        hints = {one.arg: one.annotation for one in arguments if one.annotation is not None}
        returns = getattr(node, "returns", None)
        return _mapping(resolver, outside, hints | ({"return": returns} if returns is not None else {}))
    return _cells(resolver, outside) if name == "__closure__" else ()


def _mapping(resolver: Resolver, scope: Scope, held: dict[str, ast.expr]) -> Values:
    return (Mapping(tuple(((Text(key),), resolver.value(value, scope)) for key, value in held.items())),)


def _cells(resolver: Resolver, outside: Scope) -> Values:
    """Return the cells of a function: each may hold any of the names around it."""
    if outside.kind != FUNCTION:
        return ()
    held = unique([one for name in list(outside.bindings)[:_MAX_CELLS] for one in resolver.name(name, outside)])
    cell = Mapping((((Text("cell_contents"),), held),))
    return (Sequence(((cell,),) * _MAX_CELLS),)
