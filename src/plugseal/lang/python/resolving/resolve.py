"""What a name or an expression may stand for: lazy, remembered, without following the flow of control.

All bindings of a name count, in the scope that Python would look it up in. Work is bounded by fuel: when it runs out
everything further is unknown, and the file is `partial`. Order of evaluation, and so the fuel used, depends on the
source alone.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Final, cast

from plugseal.lang.folded import HOLE, Text
from plugseal.lang.python.collecting.names import BUILTIN_NAMES, GUARDED, KNOWN_FUNCTIONS, MODULE_NAMES, PACKED
from plugseal.lang.python.collecting.scope import (
    CLASS,
    FUNCTION,
    MAIN,
    MODULE,
    Added,
    Binding,
    Default,
    Item,
    Parameter,
    Scope,
    Stored,
)
from plugseal.lang.python.resolving.aliases import last_alias
from plugseal.lang.python.resolving.annotations import annotated
from plugseal.lang.python.resolving.calls import called
from plugseal.lang.python.resolving.certain import grows
from plugseal.lang.python.resolving.combine import combine, item_of
from plugseal.lang.python.resolving.flow import Uses, in_order, is_shadowed, last_star
from plugseal.lang.python.resolving.fold import EVALUATORS
from plugseal.lang.python.resolving.members import exposed_module
from plugseal.lang.python.resolving.parameters import parameter_values
from plugseal.lang.python.resolving.resolver import Resolver
from plugseal.lang.python.resolving.values import MAX_ALTERNATIVES, AnyValue, Arguments, Made, Mapping, Values, unique

if TYPE_CHECKING:
    from plugseal.lang.judging.tables import Tables
    from plugseal.lang.python.collecting.noting import Collected

MAX_LEVEL: Final = 64
"""How deep evaluation may nest; each level takes three to six frames of the interpreter's stack."""
_COMPLETE: Final = 1 << 30


class Evaluator(Resolver):
    """The values of one file's names and expressions."""

    def __init__(self, collected: Collected, tables: Tables, fuel: int) -> None:
        super().__init__(collected, tables, fuel)
        self.memory: dict[ast.AST, Values] = {}
        self._shadowed: dict[tuple[str, Scope], bool] = {}
        """Whether a scope hides what a name means to Python itself."""
        self._mentioned = Uses()
        """Where the file mentions each name."""
        self._running: dict[tuple[str, Scope], _Running] = {}
        self._tentative: dict[tuple[object, Scope], Values] = {}
        """What was found inside a circle that is not closed yet; good enough until it is."""
        self._lowest = _COMPLETE
        """Place of the outermost name of a circle that is not closed yet."""

    def release(self) -> None:
        """Drop everything, for the collector of garbage never to have to look at it; the resolver is dead after it."""
        super().release()
        self.memory.clear()
        self._tentative.clear()
        self._shadowed.clear()
        self._mentioned = Uses()

    @property
    def is_settled(self) -> bool:
        """Say whether nothing is being evaluated in a circle, so that a result may be remembered."""
        return self._lowest == _COMPLETE

    def name(self, name: str, scope: Scope) -> Values:
        """Return what a name may stand for when it is read in a scope."""
        known: Values | None = scope.known.get(name)
        if known is not None and (name not in GUARDED or name not in scope.bindings):
            return known  # What a scope binds a guarded name to is not all that it may mean there.
        owner: Scope | None = scope
        while owner is not None:
            if name in owner.bindings and (owner is scope or owner.kind != CLASS):
                break
            owner = owner.parent
        if owner is None:
            values = self._unbound(name)
        elif name in GUARDED:
            return self._guarded(name, owner)
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
        if self.level >= MAX_LEVEL or self.fuel < 0:
            self.is_cut = True
            return ()
        self.level += 1
        values = evaluate(self, node, scope)
        self.level -= 1
        if self._lowest == _COMPLETE:
            memory[node] = values
        else:
            self._tentative[(node, scope)] = values
        return values

    def bound(self, binding: Binding, owner: Scope) -> Values:
        """Return what one binding of a name gives."""
        held: Any = binding  # Any: the class is compared, which mypy cannot follow
        kind = held.__class__
        if kind is Item:
            return self._item(held, owner)
        if kind is Parameter:
            return parameter_values(self, held, owner)
        if kind is str:
            return (self._imported(held),)
        if kind is Scope:
            return (held,)
        if kind is Default:
            return self.value(held.value, owner.parent or owner)
        if isinstance(binding, ast.expr):
            return self.value(binding, owner)
        if isinstance(binding, Stored):
            return (Mapping(((self.value(binding.key, owner), self.bound(binding.value, owner)),)),)
        return ()

    def called(self, callee: AnyValue, arguments: Arguments) -> Values:
        """Return what calling one value gives back."""
        return called(self, callee, arguments)

    def _imported(self, binding: str) -> str:
        base, _, name = binding.rpartition(".")
        if name == PACKED:
            return f"pytransform.{PACKED}"
        if binding.startswith("."):
            return binding
        exposed = exposed_module(self, base, name) if base else None
        return exposed or self.tables.canonical(binding)

    def _evaluate_name(self, name: str, owner: Scope) -> Values:
        key = (name, owner)
        running = self._running.get(key)
        if running is not None:
            return self._again(name, owner, running)
        if self._tentative and (tentative := self._tentative.get(key)) is not None:
            return tentative
        self.fuel -= 1
        if self.fuel < 0 or self.level >= MAX_LEVEL:
            self.is_cut = True
            return ()
        bindings = owner.bindings[name]
        plain = self._plain(bindings, owner)
        if plain is not None:
            owner.known[name] = plain
            return plain
        if len(bindings) == 1 and bindings[0].__class__ is ast.Name:
            passed: dict[tuple[str, Scope], None] = {}
            last = last_alias(name, owner, passed)
            if last != key and last not in self._running:
                values = self._evaluate_name(*last) if last[0] not in last[1].known else last[1].known[last[0]]
                if self._lowest == _COMPLETE:
                    for alias, binder in passed:
                        binder.known.setdefault(alias, values)
                return cast(Values, values)
        mine = len(self._running)
        running = self._running[key] = _Running(mine, self.frames.depth)
        self.level += 1
        if len(bindings) == 1 and bindings[0].__class__ is not Added:
            values = unique(self.bound(bindings[0], owner))
        else:
            values = self._several(name, owner, in_order(bindings), running)
        if self.star_modules and owner.kind in (MAIN, MODULE):
            values = unique([*values, *self._taken_over(name, owner)])
        if owner.types is not None and name in owner.types and not any(map(self._tells, values)):
            values = unique([*values, *annotated(self, owner.types[name], owner)])
        self.level -= 1
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

    def _tells(self, value: AnyValue) -> bool:
        """Say whether a value is more than an object of a package that nobody knows, or none yet."""
        if isinstance(value, (str, Made)):
            name = value if isinstance(value, str) else value.name
            return self.tables.has_exact(name) or self.tables.has_below(name)
        return not isinstance(value, Text) or value.value is not None

    def _plain(self, bindings: list[Binding], owner: Scope) -> Values | None:
        """Return what a name holds where that needs no evaluation, whatever else is being evaluated; else None."""
        if len(bindings) != 1 or (self.star_modules and owner.kind in (MAIN, MODULE)):
            return None
        binding = bindings[0]
        kind = binding.__class__
        if kind is str:
            return (self._imported(binding),)  # type: ignore[arg-type]  # the class was compared
        if kind is Scope:
            return (binding,)  # type: ignore[return-value]  # as above
        if kind is Parameter and not owner.sites and owner.receiver is None and binding.annotation is None:  # type: ignore[union-attr]  # as above
            return ()
        return None

    def _several(self, name: str, owner: Scope, bindings: list[Binding], running: _Running) -> Values:
        """Return what a name may hold by its bindings: what is made of the name itself is made of earlier ones.

        What it held before counts on, unless surely nobody sees it.
        """
        earlier: ast.AST | None = None
        added = 0
        for binding in bindings:
            running.is_asked = False
            if isinstance(binding, Added):
                added += 1
                if added > MAX_ALTERNATIVES:
                    continue
                statement = binding.statement
                right = self.value(statement.value, owner)
                made = combine(self, unique(running.found) or self._around(name, owner), statement.op, right)
                node: ast.AST | None = statement
                running.is_asked = True
            else:
                made = self.bound(binding, owner)
                node = binding if isinstance(binding, ast.AST) else None
            if (
                made
                and running.is_asked
                and node is not None
                and earlier is not None
                and self.flow(owner).replaces(name, earlier, node)
            ):
                running.found.clear()
            running.found.extend(made)
            running.is_begun = True
            earlier = node
        return unique(running.found)

    def _again(self, name: str, owner: Scope, running: _Running) -> Values:
        """Return what a name that is being evaluated holds so far."""
        if running.place == len(self._running) - 1 and running.calls == self.frames.depth:
            running.is_asked = True
            return unique(running.found) if running.is_begun else self._around(name, owner)
        self._lowest = min(self._lowest, running.place)
        return ()

    def _around(self, name: str, owner: Scope) -> Values:
        """Return what a name means to a scope that has not bound it yet."""
        if owner.kind == FUNCTION:
            return ()
        return self._unbound(name) if owner.kind != CLASS or owner.parent is None else self.name(name, owner.parent)

    def _guarded(self, name: str, owner: Scope) -> Values:
        """Return what a name may stand for that means something to Python itself: a file may bind it too late."""
        values = self.own(name, owner)
        shadowed = self._shadowed.get((name, owner))
        if shadowed is None:
            shadowed = self._shadowed[(name, owner)] = is_shadowed(name, owner, self.root, self._mentioned)
        return values if shadowed else unique([*values, f"builtins.{name}"])

    def _taken_over(self, name: str, owner: Scope) -> list[AnyValue]:
        """Return what star imports may have made of a name that the module itself binds too."""
        found = self._from_stars(name)
        return [] if not found or is_shadowed(name, owner, self.root, self._mentioned, last_star(self.root)) else found

    def own(self, name: str, scope: Scope) -> Values:
        """Return what a scope itself binds a name to: what an attribute of a class is."""
        known: Values | None = scope.known.get(name)
        return known if known is not None else self._evaluate_name(name, scope)

    def _from_stars(self, name: str) -> list[AnyValue]:
        names = [self.tables.canonical(f"{module}.{name}") for module in self.star_modules]
        return [full for full in names if self.tables.has_exact(full)]

    def _unbound(self, name: str) -> Values:
        if self.outside is not None:
            resolver, scope = self.outside
            return resolver.name(name, scope)
        found = self._from_stars(name)
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

    def _item(self, item: Item, owner: Scope) -> Values:
        source = self.bound(item.source, owner)
        found = unique([value for one in source for value in item_of(self, one, item)])
        is_any = item.how == "iterate" and any(value.__class__ is Text for value in found)
        # What was added later is an item too, and nobody knows which.
        return (*found, Text(HOLE, False)) if is_any and grows(self, item.source, owner) else found


class _Running:
    """A name that is being evaluated."""

    __slots__ = ("calls", "found", "is_asked", "is_begun", "place")

    def __init__(self, place: int, calls: int) -> None:
        self.place = place
        self.calls = calls
        self.found: list[AnyValue] = []
        """What its bindings gave so far."""
        self.is_begun = False
        """Whether the first of them is done."""
        self.is_asked = False
        """Whether the binding at hand reads the name itself."""


def _constant(value: object) -> Values:
    """Return a literal as a value; huge numbers are left out, since even to print one can be an error."""
    kind = value.__class__
    if kind not in _PLAIN or (kind is int and abs(value) >= _MAX_NUMBER):  # type: ignore[arg-type]  # the class was compared
        return ()
    return (Text(value),)  # type: ignore[arg-type]  # as above


_MAX_NUMBER: Final = 1 << 1_024
_PLAIN: Final = frozenset((str, bytes, int, float, bool))
