"""Which functions a script has, and which of its lines lead to them: for call paths, never for what it can do.

Names alone decide, as scopes bind them: a function's own name or that of the variable that holds it, a method of
`this`, of a class or of an object made by it. What is only mentioned counts as called: somebody was handed it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.owners import owner_of
from plugseal.lang.ecmascript.collecting.scope import CLASS, MODULE, Call, Scope, node_of
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.facts import Function, LocalCall

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.noting import Collected
    from plugseal.lang.ecmascript.collecting.scope import Binding
    from plugseal.lang.ecmascript.parsing.parse import Node

_MAX_FUNCTIONS: Final = 2_000
_MAX_CALLS: Final = 10_000
_MAX_SCOPES: Final = 10_000
"""Scripts with more are made by a bundler: their lines say little."""
_MAX_LOOKS: Final = 400_000
"""Calls and mentions that are looked at, and functions that they may lead to."""
_MAX_PARTS: Final = 16
_NAMES: Final = frozenset((g.IDENTIFIER, g.SHORTHAND))
_SCOPES: Final = frozenset((g.FUNCTION, g.FUNCTION_EXPRESSION, g.METHOD, g.CLASS, g.CLASS_EXPRESSION))


def calling_of(collected: Collected) -> tuple[tuple[Function, ...], tuple[LocalCall, ...]]:
    """Return the functions of a script, in order of line, outer ones first; and what leads to them, by line."""
    if len(collected.scopes) > _MAX_SCOPES:
        return (), ()
    calling = _Calling(collected)
    return calling.functions(), calling.calls()


class _Calling:
    """One script."""

    def __init__(self, collected: Collected) -> None:
        self._data = collected.data
        self._codes = collected.grammar.codes
        self._scopes = collected.scopes
        self._by_node = collected.functions
        self._full: dict[int, str] = {}
        """Names within the file, by the identity of scopes."""
        self._names: dict[int, str] = {}
        """What variables hold functions without names, by the identity of their scopes."""
        self._known: dict[tuple[Scope, bytes], tuple[list[Scope], list[Node]]] = {}
        """The functions and classes that a name is bound to, and what makes objects, by the scope that binds it."""
        self._holding: set[bytes] = set()
        """Names that some scope binds to a function, a class or an object: no other name leads to one."""
        for scope in self._scopes:
            for name, bindings in scope.bindings.items():
                for binding in bindings:
                    self._hold(name, binding)

    def _hold(self, name: bytes, binding: Binding) -> None:
        held = self._scope(binding)
        if held is not None:
            self._holding.add(name)
            if held.name.startswith("<"):
                self._names.setdefault(id(held), name.decode("utf-8", "replace"))
        elif (node := node_of(binding)) is not None and self._codes[node.kind_id] == g.NEW:
            self._holding.add(name)

    def functions(self) -> tuple[Function, ...]:
        """Return the functions, in order of line, outer ones first."""
        found = {
            Function(self._name(scope), scope.node.start_point[0] + 1, scope.node.end_point[0] + 1)
            for scope in self._scopes
            if scope.kind not in (MODULE, CLASS)
        }
        return tuple(sorted(found, key=lambda one: (one.line, -one.end_line, one.name))[:_MAX_FUNCTIONS])

    def calls(self) -> tuple[LocalCall, ...]:
        """Return what leads to the functions, by line."""
        found: set[LocalCall] = set()
        holding, codes, looks = self._holding, self._codes, 0
        for scope in self._scopes:
            looks += (len(scope.calls) + len(scope.loads)) * (16 + scope.depth) // 16
            for call in scope.calls:
                if call.root is None or call.root in holding:
                    targets = tuple(self._called(call, scope)) if looks <= _MAX_LOOKS else ()
                    looks += len(targets)
                    found.update(LocalCall(call.node.start_point[0] + 1, self._name(target)) for target in targets)
            for node, root in scope.loads:
                if root in holding and codes[node.kind_id] in _NAMES:
                    targets = tuple(self._targets(root, root, scope)) if looks <= _MAX_LOOKS else ()
                    looks += len(targets)
                    found.update(LocalCall(node.start_point[0] + 1, self._name(target)) for target in targets)
            if len(found) > _MAX_CALLS or looks > _MAX_LOOKS:
                break
        return tuple(sorted(found)[:_MAX_CALLS])

    def _scope(self, binding: Binding) -> Scope | None:
        """Return the function or class that a binding is."""
        if binding.__class__ is Scope:
            return binding
        node = node_of(binding)
        return self._by_node.get(node.id) if node is not None and self._codes[node.kind_id] in _SCOPES else None

    def _name(self, scope: Scope) -> str:
        """Return the name of a function within its file, a method behind its class."""
        known = self._full.get(id(scope))
        if known is None:
            known = self._full[id(scope)] = self._find_name(scope)
        return known

    def _find_name(self, scope: Scope) -> str:
        own = self._names.get(id(scope), scope.name)
        if isinstance(scope.home, Scope):
            return f"{scope.home.name}.{own}"
        parts = [own]
        outer = scope.parent
        while outer is not None and outer.kind != MODULE and len(parts) < _MAX_PARTS:
            parts.append(self._names.get(id(outer), outer.name))
            outer = outer.parent
        return ".".join(reversed(parts))

    def _called(self, call: Call, scope: Scope) -> Iterator[Scope]:
        """Yield the functions that a call may run."""
        if call.root is not None:
            yield from self._targets(call.root, call.last, scope)
        elif call.last and self._is_own_member(call.function):
            owner = _home(scope)
            yield from self._members(owner, call.last) if owner is not None else ()

    def _is_own_member(self, function: Node) -> bool:
        """Say whether what is called is written as a member of `this` or `super`."""
        if not self._data.startswith((b"this", b"super"), function.start_byte):
            return False
        return function.child_count > 0 and function.children[0].type in ("this", "super")

    def _targets(self, root: bytes, last: bytes, scope: Scope) -> Iterator[Scope]:
        """Yield the functions that a chain may name by its first and last name."""
        held, others = self._bound(root, scope)
        for one in held:
            if one.kind == CLASS:
                yield from self._members(one, b"constructor" if root == last else last)
            elif root == last:
                yield one
        for node in others if root != last else ():
            if (made := self._made(node, scope)) is not None:
                yield from self._members(made, last)

    def _bound(self, name: bytes, scope: Scope) -> tuple[list[Scope], list[Node]]:
        """Return the functions and classes that a name is bound to, and what makes objects: looked for once."""
        owner = owner_of(name, scope)
        if owner is None:
            return [], []
        known = self._known.get((owner, name))
        if known is None:
            bindings = owner.bindings[name]
            held = [one for one in map(self._scope, bindings) if one is not None]
            nodes = [node_of(bound) for bound in bindings if self._scope(bound) is None]
            makers = [node for node in nodes if node is not None and node.type == "new_expression"]
            known = self._known[owner, name] = held, makers
        return known

    def _members(self, owner: Scope, name: bytes) -> Iterator[Scope]:
        for bound in (*owner.bindings.get(name, ()), *owner.statics.get(name, ())):
            held = self._scope(bound)
            if held is not None:
                yield held

    def _made(self, node: Node, scope: Scope) -> Scope | None:
        """Return the class of which `new` makes an object."""
        maker = node.child_by_field_name("constructor")
        if maker is None:
            return None
        held, _ = self._bound(self._data[maker.start_byte : maker.end_byte], scope)
        return next((one for one in held if one.kind == CLASS), None)


def _home(scope: Scope) -> Scope | None:
    """Return the class that `this` is of."""
    at: Scope | None = scope
    while at is not None:
        if isinstance(at.home, Scope):
            return at.home
        at = at.parent
    return None
