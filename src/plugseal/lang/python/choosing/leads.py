"""Whether a receiver may be a module or the environment under another name, by the way things are written.

`remove`, `get` and `update` are methods of everyday objects; only behind `os` and its like do they matter. So before
such a call is resolved it is asked here whether what stands before it may be one: through aliases, defaults, choices,
containers, attributes and the file's own functions. Nothing is resolved. What a name is made of is followed to the
end, and what was found of it is remembered for the whole file.
"""

from __future__ import annotations

import ast
from collections.abc import Container
from typing import TYPE_CHECKING, Final, TypeAlias

from plugseal.lang.python.collecting.owners import owner_of
from plugseal.lang.python.collecting.scope import CLASS, Binding, Default, Item, Parameter, Scope, Stored

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolver import Resolver

_FETCHING: Final = frozenset(
    "getattr __import__ import_module next iter vars globals locals reload getmodule attrgetter".split()
)
_MAX_STEPS: Final = 20_000
"""Names looked at for one file; beyond them everything may be one."""
_RESULT: Final = "()"
_MAX_BINDINGS: Final = 64
_MAX_PARTS: Final = 16

_Held: TypeAlias = "tuple[str, Scope | None]"
"""A name, or by its end what a function of that name gives back, and the scope that binds it; an attribute has none."""


class Leads:
    """The question for one file, with its answers so far."""

    __slots__ = ("_attributes", "_imported", "_known", "_last_names", "_left", "_resolver")

    def __init__(self, resolver: Resolver, imported: Container[str], last_names: set[str]) -> None:
        """Prepare without looking at anything.

        Args:
            resolver: of the file.
            imported: names that imports bind, or may bind where one takes over all that a module has.
            last_names: last parts of chains that may be such an object: `environ`.
        """
        self._resolver = resolver
        self._imported = imported
        self._last_names = last_names
        self._known: dict[_Held, bool] = {}
        self._attributes: dict[str, list[tuple[Binding, Scope]]] | None = None
        self._left = _MAX_STEPS

    def reaches(self, node: ast.AST, scope: Scope) -> bool:
        """Say whether an expression may be a module or something that stands for one."""
        waiting: list[_Held] = []
        if self._look_at(node, scope, waiting):
            return True
        known = self._known
        before: dict[_Held, _Held | None] = dict.fromkeys(waiting)
        while waiting:
            one = waiting.pop()
            answer = known.get(one)
            if answer is False:
                continue
            below: list[_Held] = []
            if answer or self._look(one, below):
                back: _Held | None = one
                while back is not None:
                    known[back] = True
                    back = before[back]
                return True
            for more in below:
                if more not in before:
                    before[more] = one
                    waiting.append(more)
        known.update(dict.fromkeys(before, False))
        return False

    def _look(self, held: _Held, below: list[_Held]) -> bool:
        """Say whether a name is one at first sight; note what it is made of."""
        self._left -= 1
        if self._left < 0:
            return True
        name, owner = held
        if owner is None:
            return any(self._binding(*stored, below) for stored in self._stored().get(name, ())[:_MAX_PARTS])
        if not name.endswith(_RESULT):
            return any(self._binding(binding, owner, below) for binding in owner.bindings[name][:_MAX_BINDINGS])
        functions = owner.bindings[name.removesuffix(_RESULT)]
        exits = [(node, one) for one in functions if isinstance(one, Scope) for node in one.exits[:4]]
        return any(self._look_at(node, one, below) for node, one in exits)

    def _look_at(self, node: ast.AST, scope: Scope, below: list[_Held]) -> bool:
        """Say whether an expression is one at first sight; note the names that it is made of."""
        waiting = [node]
        for node in waiting:
            kind = node.__class__
            if kind is ast.Name:
                name = node.id  # type: ignore[attr-defined]  # the class was compared
                if name in self._imported:
                    return True
                owner = owner_of(name, scope)
                if owner is not None:
                    below.append((name, owner))
            elif kind is ast.Attribute:
                if node.attr in self._last_names:  # type: ignore[attr-defined]  # as above
                    return True
                below.append((node.attr, None))  # type: ignore[attr-defined]  # as above
            elif kind is ast.Call:
                if self._call(node.func, scope, below):  # type: ignore[attr-defined]  # as above
                    return True
            elif kind is not ast.Constant:
                waiting.extend(_parts(node))
        return False

    def _call(self, function: ast.expr, scope: Scope, below: list[_Held]) -> bool:
        """Say whether a call may give one back at first sight; note what a function of the file gives back."""
        name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
        if name in _FETCHING:
            return True
        owner = owner_of(name, scope) if isinstance(function, ast.Name) else None
        if owner is not None:
            below.append((name + _RESULT, owner))
        return False

    def _binding(self, binding: Binding, owner: Scope, below: list[_Held]) -> bool:
        while isinstance(binding, (Item, Stored)):
            binding = binding.source if isinstance(binding, Item) else binding.value
        if isinstance(binding, Default):
            return self._look_at(binding.value, owner.parent or owner, below)
        if isinstance(binding, Parameter):
            given = [
                (part, scope) for call, scope, bound in owner.sites for part in _given(call, binding.position - bound)
            ]
            return any(self._look_at(part, scope, below) for part, scope in given)
        return isinstance(binding, ast.expr) and self._look_at(binding, owner, below)

    def _stored(self) -> dict[str, list[tuple[Binding, Scope]]]:
        if self._attributes is None:
            found: dict[str, list[tuple[Binding, Scope]]] = {}
            self._attributes = found
            for scope in self._resolver.scopes:
                if scope.kind == CLASS:
                    for name, bindings in scope.bindings.items():
                        found.setdefault(name, []).extend([(binding, scope) for binding in bindings])
                    for name, stored in scope.attributes.items():
                        found.setdefault(name, []).extend([(binding, owner) for owner, binding in stored])
            for name, stores in self._resolver.stores.items():
                found.setdefault(name, []).extend([(binding, owner) for _, binding, owner in stores])
        return self._attributes


def _parts(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, (ast.Subscript, ast.Await, ast.NamedExpr, ast.Starred)):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, (ast.BoolOp, ast.Dict)):
        return node.values[:_MAX_PARTS]
    return node.elts[:_MAX_PARTS] if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else []


def _given(call: ast.Call, position: int) -> list[ast.expr]:
    """Return what a call may give to a parameter: by its position where that is plain, else everything."""
    if position >= 0 and not call.keywords and not any(one.__class__ is ast.Starred for one in call.args):
        return call.args[position : position + 1]
    return [*call.args[:_MAX_PARTS], *[keyword.value for keyword in call.keywords[:_MAX_PARTS]]]
