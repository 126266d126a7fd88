"""What a name or an expression may stand for: lazy, remembered, without following the flow of control.

All bindings of a name count, in the scope that Python would look it up in. Work is bounded by fuel: when it runs out
everything further is unknown, and the file is `partial`. Order of evaluation, and so the fuel used, depends on the
source alone.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final, cast

from plugseal.lang.python.annotations import annotated
from plugseal.lang.python.combine import combine, item_of
from plugseal.lang.python.fold import EVALUATORS
from plugseal.lang.python.names import BUILTIN_NAMES, KNOWN_FUNCTIONS, MODULE_NAMES
from plugseal.lang.python.scope import (
    CLASS,
    FUNCTION,
    Added,
    Binding,
    Item,
    Parameter,
    Scope,
    Stored,
)
from plugseal.lang.python.values import (
    MAX_ALTERNATIVES,
    AnyValue,
    Arguments,
    Instance,
    Mapping,
    Sequence,
    Text,
    Values,
    arguments_of,
    unique,
)

if TYPE_CHECKING:
    from plugseal.lang.python.noting import Collected
    from plugseal.lang.python.tables import Tables

MAX_LEVEL: Final = 40
"""How deep evaluation may nest; each level takes some three frames of the interpreter's stack."""
MAX_SITES: Final = 3
MAX_FRAMES: Final = 4
_FRAMES_PER_FILE: Final = 400
_COMPLETE: Final = 1 << 30


class Resolver:
    """The values of one file's names and expressions."""

    def __init__(self, collected: Collected, tables: Tables, fuel: int) -> None:
        self.root = collected.root
        self.scopes = collected.scopes
        self.lambdas = collected.lambdas
        self.tables = tables
        self.fuel = fuel
        self.memory: dict[ast.AST, Values] = {}
        self.outside: tuple[Resolver, Scope] | None = None
        """For code inside a string: the resolver and the scope of the code that runs it."""
        self.local_modules: frozenset[str] = frozenset()
        self.frames: set[Scope] = set()
        """Functions that are being evaluated for one call's arguments."""
        self._frames_left = _FRAMES_PER_FILE
        self.stores: dict[str, list[tuple[ast.expr, Binding, Scope]]] = {}
        """Attributes assigned to something other than `self`, by attribute name: (base, value, scope)."""
        self.star_modules = [star for scope in self.scopes for star in scope.stars]
        self.local_stars: list[str] = []
        """Star imports of modules of the same tree; what no other place explains may come from there."""
        self._framed: list[Scope] = []
        """Every frame made, to be released with the rest."""
        self._level = 0
        self._running: dict[tuple[str, Scope], int] = {}
        self._tentative: dict[tuple[object, Scope], Values] = {}
        """What was found inside a circle that is not closed yet; good enough until it is."""
        self._lowest = _COMPLETE

    def release(self) -> None:
        """Drop everything, for the collector of garbage never to have to look at it; the resolver is dead after it."""
        for scope in (*self.scopes, *self._framed):
            scope.release()
        self._framed.clear()
        self.memory.clear()
        self.lambdas.clear()
        self.stores.clear()
        self._tentative.clear()
        self.outside = None

    @property
    def is_settled(self) -> bool:
        """Say whether nothing is being evaluated in a circle, so that a result may be remembered."""
        return self._lowest == _COMPLETE

    def name(self, name: str, scope: Scope) -> Values:
        """Return what a name may stand for when it is read in a scope."""
        known = scope.known.get(name)
        if known is not None:
            return cast(Values, known)
        owner: Scope | None = scope
        while owner is not None:
            if name in owner.bindings and (owner is scope or owner.kind != CLASS):
                break
            owner = owner.parent
        if owner is None:
            values = self._unbound(name)
        elif owner is scope:
            return self._evaluate_name(name, owner)
        else:
            values = self.name(name, owner)
            if self._lowest != _COMPLETE:
                return values
        scope.known[name] = values
        return values

    def value(self, node: ast.AST, scope: Scope) -> Values:
        """Return what an expression may stand for; empty where nothing is known."""
        kind = node.__class__
        if kind is ast.Name:
            return self.name(node.id, scope)  # type: ignore[attr-defined]  # the class was compared
        if kind is ast.Constant:
            return _constant(node.value)  # type: ignore[attr-defined]  # as above
        memory = scope.memory if scope.memory is not None else self.memory
        known = memory.get(node)
        if known is not None:
            return known
        if self._tentative and (tentative := self._tentative.get((node, scope))) is not None:
            return tentative
        evaluate = EVALUATORS.get(kind)
        if evaluate is None:
            return ()
        self.fuel -= 1
        if self._level >= MAX_LEVEL or self.fuel < 0:
            return ()
        self._level += 1
        values = evaluate(self, node, scope)
        self._level -= 1
        if self._lowest == _COMPLETE:
            memory[node] = values
        else:
            self._tentative[(node, scope)] = values
        return values

    def bound(self, binding: Binding, owner: Scope) -> Values:
        """Return what one binding of a name gives."""
        if binding.__class__ is str:
            return (self.tables.canonical(binding),) if not binding.startswith(".") else (binding,)
        if isinstance(binding, ast.expr):
            return self.value(binding, owner)
        if isinstance(binding, Scope):
            return (binding,)
        if isinstance(binding, Parameter):
            return self._parameter(binding, owner)
        if isinstance(binding, Item):
            return self._item(binding, owner)
        if isinstance(binding, Stored):
            return (Mapping(((self.value(binding.key, owner), self.bound(binding.value, owner)),)),)
        return ()

    def apply(self, function: Scope, arguments: Arguments) -> Values:
        """Return what a function of this file gives back for these arguments.

        What it gives back for all calls in the file together is remembered; only where a call's own arguments can
        tell more is the body looked at once more for them alone.
        """
        exits = function.exits[:MAX_ALTERNATIVES]
        if not exits or function in self.frames:
            return ()
        alike = self._level >= MAX_LEVEL // 2 or len(self.frames) >= MAX_FRAMES or self._frames_left <= 0
        if alike or len(function.sites) < 2 or not arguments.may_tell():
            return unique([value for node in exits for value in self.value(node, function)])
        given = self._given(function, arguments)
        frame = Scope(FUNCTION, function.name, function.node, function.parent)
        frame.bindings, frame.receiver = function.bindings, function.receiver
        frame.known.update(given)
        frame.memory = {}
        self._framed.append(frame)
        self._frames_left -= 1
        self.frames.add(function)
        values = unique([value for node in exits for value in self.value(node, frame)])
        self.frames.discard(function)
        return values

    def with_names(self, scope: Scope, names: dict[str, Values], node: ast.expr) -> Values:
        """Return the value of an expression where some names stand for given values (comprehensions)."""
        frame = Scope(FUNCTION, scope.name, scope.node, scope)
        frame.bindings = {name: [] for name in names}
        frame.known.update(names)
        frame.memory = {}
        self._framed.append(frame)
        return self.value(node, frame)

    def text(self, node: ast.AST, scope: Scope) -> str | None:
        """Return the text that an expression folds to, if it is one text and known in full."""
        for value in self.value(node, scope):
            if isinstance(value, Text) and isinstance(value.value, str) and value.whole:
                return value.value
        return None

    def _evaluate_name(self, name: str, owner: Scope) -> Values:
        key = (name, owner)
        at = self._running.get(key)
        if at is not None:
            self._lowest = min(self._lowest, at)
            return ()
        if self._tentative and (tentative := self._tentative.get(key)) is not None:
            return tentative
        self.fuel -= 1
        if self.fuel < 0 or self._level >= MAX_LEVEL:
            return ()
        mine = self._running[key] = len(self._running)
        self._level += 1
        found: list[AnyValue] = []
        added: list[ast.AugAssign] = []
        for binding in owner.bindings[name][: MAX_ALTERNATIVES * 4]:
            if isinstance(binding, Added):
                added.append(binding.statement)
            else:
                found.extend(self.bound(binding, owner))
        values = unique(found)
        for statement in added[:MAX_ALTERNATIVES]:
            values = combine(self, values, statement.op, self.value(statement.value, owner)) or values
        self._level -= 1
        del self._running[key]
        # A cycle that leads back to this very name is closed now; one that leads further out is not, and what was
        # found inside it may be too little to be remembered.
        if self._lowest >= mine:
            self._lowest = _COMPLETE
            self._tentative.clear()
            owner.known[name] = values
        else:
            self._tentative[key] = values
        return values

    def _unbound(self, name: str) -> Values:
        if self.outside is not None:
            resolver, scope = self.outside
            return resolver.name(name, scope)
        found: list[AnyValue] = []
        for module in self.star_modules:
            full = self.tables.canonical(f"{module}.{name}")
            if self.tables.has_exact(full):
                found.append(full)
        if found:
            return unique(found)
        if name in BUILTIN_NAMES:
            return (f"builtins.{name}",)
        special = MODULE_NAMES.get(name)
        if special is not None:
            return (special,)
        if self.local_stars:
            return unique([f"{star}{name}" if star.endswith(".") else f"{star}.{name}" for star in self.local_stars])
        if name in KNOWN_FUNCTIONS:
            return (KNOWN_FUNCTIONS[name],)
        # A name that nothing binds is an error, unless whoever runs the file put it there: then it is most likely the
        # module of that name.
        return (self.tables.canonical(name),) if self.tables.is_module(name) else ()

    def _parameter(self, parameter: Parameter, owner: Scope) -> Values:
        found: list[AnyValue] = []
        receiver = owner.receiver
        is_first = parameter.position == 0 and receiver is not None and receiver[0] == parameter.name
        if is_first and receiver is not None and owner.parent is receiver[1]:
            found.append(Instance(receiver[1]))
        if parameter.annotation is not None:
            found.extend(annotated(self, parameter.annotation, owner))
        for call, scope, bound in owner.sites[:MAX_SITES]:
            found.extend(self._argument(parameter, arguments_of(call, scope), bound))
        return unique(found)

    def _argument(self, parameter: Parameter, arguments: Arguments, bound: int) -> Values:
        if parameter.position == -2:
            return (Sequence(tuple(self.value(node, scope) for node, scope in arguments.positional[:64])),)
        if parameter.position == -3:
            pairs = tuple(((Text(key),), self.value(node, scope)) for key, node, scope in arguments.keywords[:64])
            return (Mapping(pairs),)
        at = parameter.position - bound
        if 0 <= at < len(arguments.positional):
            node, scope = arguments.positional[at]
            return self.value(node, scope)
        given = arguments.keyword(parameter.name)
        return self.value(*given) if given is not None else ()

    def _given(self, function: Scope, arguments: Arguments) -> dict[str, Values]:
        """Return the values of the parameters that the arguments tell something about."""
        given: dict[str, Values] = {}
        bound = 1 if function.receiver is not None and function.parent is function.receiver[1] else 0
        for name, bindings in function.bindings.items():
            first = bindings[0] if bindings else None
            if isinstance(first, Parameter) and not (bound and first.position == 0):
                values = self._argument(first, arguments, bound)
                if values:
                    given[name] = values
        return given

    def _item(self, item: Item, owner: Scope) -> Values:
        source = self.bound(item.source, owner)
        return unique([value for one in source for value in item_of(self, one, item)])


def _constant(value: object) -> Values:
    """Return a literal as a value; huge numbers are left out, since even to print one can be an error."""
    kind = value.__class__
    if kind not in _PLAIN or (kind is int and abs(value) >= _MAX_NUMBER):  # type: ignore[arg-type]  # the class was compared
        return ()
    return (Text(value),)  # type: ignore[arg-type]  # as above


_MAX_NUMBER: Final = 1 << 1_024
_PLAIN: Final = frozenset((str, bytes, int, float, bool))
