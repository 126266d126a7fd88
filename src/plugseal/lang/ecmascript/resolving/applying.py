"""What functions of the file give back, and what `this` is in them.

A function is looked at once for all calls of it in the file together; only where a call's own arguments can tell more
is its body looked at once more for them alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.scope import (
    ARROW,
    CLASS,
    FUNCTION,
    Scope,
    Within,
    node_of,
    owner_of_this,
)
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.resolving.names import GLOBAL_THIS
from plugseal.lang.ecmascript.resolving.values import MAX_ALTERNATIVES, Arguments, Instance, Values, unique
from plugseal.lang.ecmascript.resolving.yielding import is_generator, yielded

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_MAX_FRAMES: Final = 4
_MAX_FRAMED_BYTES: Final = 2_048
"""What decodes a text or loads a module is short; longer functions are looked at once."""
_MAX_LEVEL: Final = 36
"""Deeper down, functions are no longer looked at for one call's arguments."""
_TELLING: Final = frozenset((g.STRING, g.IDENTIFIER, g.MEMBER, g.FUNCTION_EXPRESSION))
_MADE: Final = frozenset((g.CALL, g.BINARY))
"""Arguments that may be known where what they are made of is: `join(folder, "cache")`."""
_SPARED_FRAMES: Final = 200
"""Half of what `resolve` grants a file."""


def apply(resolver: Resolver, function: Scope, arguments: Arguments, *, is_new: bool = False) -> Values:
    """Return what a function of this file gives back for these arguments."""
    if function.kind == CLASS or is_new:
        return (Instance(function),)
    if is_generator(resolver, function):
        return yielded(resolver, function)
    if not function.exits or function in resolver.frames:
        return ()
    exits = function.exits[:MAX_ALTERNATIVES]
    may_frame = len(resolver.frames) < _MAX_FRAMES and resolver.frames_left > 0 and resolver.level < _MAX_LEVEL
    is_alone = len(function.sites) == 1 and all(node_of(one) is not None for one, _ in arguments.positional)
    is_large = function.node.end_byte - function.node.start_byte > _MAX_FRAMED_BYTES
    is_framed = may_frame and not is_large and not is_alone and bool(function.parameters)
    is_told = is_framed and _may_tell(resolver, arguments, _TELLING)
    if not is_told and not (is_framed and _may_be_put_together(resolver, function, arguments)):
        return unique([value for node in exits for value in resolver.value(node, function)])
    frame = Scope(function.kind, function.name, function.node, function.parent)
    frame.bindings, frame.home, frame.declared = function.bindings, function.home, function.declared
    frame.receiver = function.receiver
    frame.sites = [(tuple(Within(one, scope) for one, scope in arguments.positional), function)]
    frame.memory = {}
    resolver.framed.append(frame)
    resolver.frames_left -= 1
    resolver.frames.add(function)
    values = unique([value for node in exits for value in resolver.value(node, frame)])
    resolver.frames.discard(function)
    if values or is_told:
        return values
    return unique([value for node in exits for value in resolver.value(node, function)])


def _may_be_put_together(resolver: Resolver, function: Scope, arguments: Arguments) -> bool:
    """Say whether a call, by its arguments or the want of any, may give what no other call of the function gives.

    These calls are many and mostly tell nothing: they leave half of the frames to those that surely name something.
    """
    if resolver.frames_left <= _SPARED_FRAMES or len(function.sites) < 2:
        return False
    return not arguments.positional or _may_tell(resolver, arguments, _MADE)


def _may_tell(resolver: Resolver, arguments: Arguments, kinds: frozenset[int]) -> bool:
    """Say whether an argument, by the way it is written, may be a constant or a name that matters."""
    codes = resolver.grammar.codes
    for binding, _ in arguments.positional:
        node = node_of(binding)
        if node is None or codes[node.kind_id] in kinds or node.type in ("number", "template_string"):
            return True
    return False


def _received(resolver: Resolver, function: Scope) -> Values:
    """Return what `this` is in a function that is no method: what it is called on, or what it makes."""
    receiver = function.receiver
    if receiver is None:
        return (Instance(function),)
    if isinstance(receiver, Scope):
        return (GLOBAL_THIS, Instance(function)) if resolver.is_plain_script else (Instance(function),)
    return resolver.value(receiver, function.parent or function)


def this_of(resolver: Resolver, scope: Scope) -> Values:
    """Return what `this` is in a scope, where it is a method."""
    owner = owner_of_this(scope)
    if owner is None or owner.kind not in (FUNCTION, ARROW):
        return (GLOBAL_THIS,) if owner is resolver.root and resolver.is_plain_script else ()
    home = owner.home
    if home is None:
        return _received(resolver, owner)
    if isinstance(home, Scope):
        return (Instance(home),)
    return resolver.value(home, owner.parent or owner)
