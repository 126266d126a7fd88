"""What a name or an expression may stand for: lazy, remembered, without following the flow of control.

All bindings of a name count, in the scope that the language would look it up in. Work is bounded by fuel: when it runs
out everything further is unknown, and the file is `partial`. Order of evaluation, and so the fuel used, depends on the
source alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.patterns import GUARDED
from plugseal.lang.ecmascript.collecting.scope import (
    CLASS,
    Added,
    Given,
    Imported,
    Iterated,
    Keys,
    Parameter,
    Rest,
    Scope,
    Stored,
    Taken,
    Typed,
    Within,
    node_of,
)
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.parsing.literals import unescape_name
from plugseal.lang.ecmascript.resolving.bindings import hides, parameter_values, part_values, taken_values, typed_values
from plugseal.lang.ecmascript.resolving.resolver import MAX_LEVEL, Resolver
from plugseal.lang.ecmascript.resolving.values import (
    AnyValue,
    Arguments,
    Made,
    Sequence,
    Values,
    unique,
)
from plugseal.lang.folded import Text

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugseal.lang.ecmascript.collecting.noting import Collected
    from plugseal.lang.ecmascript.collecting.scope import Binding
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.tables import ScriptTables

_SPINE_LEVEL: Final = 24
"""From here on chains are evaluated from their beginning, so that their length costs no depth."""
_COMPLETE: Final = 1 << 30
_MAX_FOUND: Final = 256


class Evaluator(Resolver):
    """The values of one file's names and expressions."""

    def __init__(self, collected: Collected, tables: ScriptTables, fuel: int) -> None:
        from plugseal.lang.ecmascript.resolving.fold import evaluators_of

        super().__init__(collected, tables, fuel)
        self.memory: dict[int, Values] = {}
        self._evaluators: list[Callable[[Resolver, Node, Scope], Values] | None] = evaluators_of(self.grammar)
        self._running: dict[tuple[bytes, Scope], tuple[int, list[AnyValue]]] = {}
        self._tentative: dict[object, Values] = {}
        """What was found inside a circle that is not closed yet; good enough until it is."""
        self._trail: list[object] = []
        """Its keys, in the order they came: what came inside one circle goes when that one closes."""
        self._lowest = _COMPLETE
        self._globals: dict[bytes, Values] = {}

    def release(self) -> None:
        """Drop everything; the resolver is dead after it."""
        for scope in (*self.collected.scopes, *self.framed):
            scope.release()
        self.memory.clear()
        self._tentative.clear()

    def name(self, name: bytes, scope: Scope) -> Values:
        """Return what a name may stand for when it is read in a scope."""
        known: Values | None = scope.known.get(name)
        if known is not None:
            return known
        owner: Scope | None = scope
        while owner is not None and (name not in owner.bindings or owner.kind == CLASS):
            owner = owner.parent
        if owner is None:
            values = self.unbound(name)
        elif owner is scope:
            return self._evaluate_name(name, owner)
        else:
            values = self.name(name, owner)
            if self._lowest != _COMPLETE:
                return values
        scope.known[name] = values
        return values

    def _evaluate_name(self, name: bytes, owner: Scope) -> Values:
        key = (name, owner)
        running = self._running.get(key)
        if running is not None:
            self._lowest = min(self._lowest, running[0])
            return unique(running[1])
        if self._tentative and (tentative := self._tentative.get(key)) is not None:
            return tentative
        self.fuel -= 1
        if self.fuel < 0 or self.level >= MAX_LEVEL:
            self.is_cut = True
            return ()
        mine, mark = len(self._running), len(self._trail)
        found: list[AnyValue] = []
        self._running[key] = (mine, found)
        self.level += 1
        declared: Binding | None = None
        for binding in owner.bindings[name]:
            if binding.__class__ is Typed:
                declared = binding
            elif isinstance(binding, Added):
                before = unique(found)
                made = self._added(binding.node, before, owner)
                found[:] = [*made]
            elif isinstance(binding, Within) and isinstance(binding.binding, Added):
                found[:] = [*self._added(binding.binding.node, unique(found), binding.scope, is_own=False)]
            else:
                found.extend(self.bound(binding, owner))
                if len(found) > _MAX_FOUND:
                    found[:] = unique(found)  # Which says the same: only the first few of each kind count.
        if declared is not None and not any(isinstance(one, Made) for one in found):
            found.extend(self.bound(declared, owner))  # What it is given says more than what it is declared to be.
        values = unique(found)
        if name in self.collected.grown:
            values = tuple(one.opened() if isinstance(one, Sequence) else one for one in values)
        if name in GUARDED and not hides(self, name, owner):
            values = unique([*values, *(self.unbound(name) if owner.parent is None else self.name(name, owner.parent))])
        self.level -= 1
        del self._running[key]
        if self._lowest >= mine:
            # A cycle that leads back to this very name is closed now.
            self._lowest = _COMPLETE
            self._forget(mark)
            owner.known[name] = values
        else:
            self._tentative[key] = values
            self._trail.append(key)
        return values

    def _added(self, node: Node, before: Values, scope: Scope, *, is_own: bool = True) -> Values:
        from plugseal.lang.ecmascript.resolving.combine import add_all, is_repeated

        right = node.child_by_field_id(self.grammar.right)
        left = node.child_by_field_id(self.grammar.left)
        if left is None or right is None or not self.data[left.end_byte : right.start_byte].strip().startswith(b"+"):
            return ()
        return add_all(before, self.value(right, scope), is_repeated=is_repeated(node) or not is_own)

    def unbound(self, name: bytes) -> Values:
        """Return what a name means that nothing in the file binds."""
        known = self._globals.get(name)
        if known is None:
            from plugseal.lang.ecmascript.resolving.names import global_values

            known = self._globals[name] = global_values(self.tables, name.decode("utf-8", "replace"))
        return known

    def value(self, node: Node, scope: Scope) -> Values:
        """Return what an expression may stand for; empty where nothing is known."""
        kind = node.kind_id
        if self.grammar.codes[kind] == g.IDENTIFIER:
            name = self.data[node.start_byte : node.end_byte]
            return self.name(unescape_name(name) if b"\\" in name else name, scope)
        memory = scope.memory if scope.memory is not None else self.memory
        known = memory.get(node.id)
        if known is not None:
            if known is _PENDING:
                self._lowest = 0
                return ()
            return known
        evaluate = self._evaluators[kind]
        if evaluate is None:
            return ()
        if self._tentative and (tentative := self._tentative.get((node.id, scope))) is not None:
            return tentative
        self.fuel -= 1
        if self.fuel < 0 or self.level >= MAX_LEVEL:
            self.is_cut = True
            return ()
        if self.level >= _SPINE_LEVEL:
            self._prepare(node, scope, memory)
        self.level += 1
        memory[node.id] = _PENDING
        values = evaluate(self, node, scope)
        self.level -= 1
        if self._lowest == _COMPLETE or self.level == 0:
            memory[node.id] = values
            if self._lowest != _COMPLETE:
                self._lowest = _COMPLETE
                self._forget(0)
        else:
            del memory[node.id]
            self._tentative[(node.id, scope)] = values
            self._trail.append((node.id, scope))
        return values

    def _forget(self, mark: int) -> None:
        """Drop what was found inside a circle that has closed."""
        for key in self._trail[mark:]:
            self._tentative.pop(key, None)
        del self._trail[mark:]

    def _prepare(self, node: Node, scope: Scope, memory: dict[int, Values]) -> None:
        """Evaluate the inner links of a long chain first."""
        grammar, codes = self.grammar, self.grammar.codes
        links: list[Node] = []
        inner: Node | None = node
        while inner is not None and len(links) < 4_096:
            code = codes[inner.kind_id]
            if code == g.CALL:
                inner = inner.child_by_field_id(grammar.function)
            elif code in (g.MEMBER, g.SUBSCRIPT):
                inner = inner.child_by_field_id(grammar.object)
            else:
                break
            if inner is None or inner.id in memory:
                break
            links.append(inner)
        level = self.level
        for link in reversed(links[3:]):
            evaluate = self._evaluators[link.kind_id]
            if evaluate is not None and link.id not in memory and self.fuel > 0:
                self.fuel -= 1
                self.level = max(level, _SPINE_LEVEL) + 1
                values = evaluate(self, link, scope)
                if self._lowest == _COMPLETE:
                    memory[link.id] = values
        self.level = level

    def bound(self, binding: Binding, owner: Scope) -> Values:
        """Return what one binding of a name gives."""
        kind = binding.__class__
        if kind is Scope:
            return (binding,)  # type: ignore[return-value]  # the class was compared
        if kind is Taken:
            return taken_values(self, binding, owner)  # type: ignore[arg-type]  # as above
        if kind is Imported:
            return self.imported(binding.module, binding.member)  # type: ignore[union-attr]  # as above
        if kind is Parameter:
            return parameter_values(self, binding, owner)  # type: ignore[arg-type]  # as above
        if kind is Typed:
            return typed_values(self, binding.name)  # type: ignore[union-attr,arg-type]  # as above
        if kind is Given:
            return binding.values  # type: ignore[union-attr]  # as above
        if kind is Within:
            return self.bound(binding.binding, binding.scope)  # type: ignore[union-attr]  # as above
        if kind in _PARTS:
            return self.deeper(lambda: part_values(self, binding, owner))
        node = node_of(binding)
        return self.value(node, owner) if node is not None else ()

    def called(self, callee: AnyValue, arguments: Arguments, *, is_new: bool = False) -> Values:
        """Return what calling one value gives back."""
        from plugseal.lang.ecmascript.resolving.calls import called

        return called(self, callee, arguments, is_new=is_new)

    def imported(self, specifier: str, member: str) -> Values:
        """Return what an import gives: a module of this name, or a member of one."""
        from plugseal.lang.ecmascript.resolving.members import member_of
        from plugseal.lang.ecmascript.resolving.names import module_values

        values = module_values(self.tables, specifier)
        if not member:
            return values
        return unique([one for value in values for one in member_of(self, value, member)])


_PENDING: Final[Values] = (Text(None),)
"""Stands in the memory for an expression that is being evaluated; it may lead back to itself."""
_PARTS: Final = frozenset((Rest, Iterated, Keys, Stored))
