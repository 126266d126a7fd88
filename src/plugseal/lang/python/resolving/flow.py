"""The little of the order of things that matters: what a rebinding replaces, and what is bound for sure.

Everything else in the resolver lets every binding of a name count. Here a few statements are looked at in order, and
only where a file gives reason to: where a name is made out of itself, or where a name that Python itself gives a
meaning to is bound to something else. What is not certain is answered with no.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from typing import Any, Final

from plugseal.lang.python.collecting.noting import FIELDS, nodes_of
from plugseal.lang.python.collecting.scope import (
    CLASS,
    FUNCTION,
    Added,
    Binding,
    Default,
    Item,
    Parameter,
    Scope,
    Stored,
)

_LOOPS: Final = (ast.For, ast.AsyncFor, ast.While)
_INNER: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_ASSIGNING: Final = (ast.Assign, ast.AnnAssign, ast.AugAssign)
_NESTED: Final = frozenset(("body", "orelse", "handlers", "finalbody", "cases"))
_BLOCKS: Final[dict[type, tuple[str, ...]]] = {
    kind: tuple(field for field in fields if field in _NESTED)
    for kind, fields in FIELDS.items()
    if issubclass(kind, (ast.stmt, ast.ExceptHandler, ast.match_case)) and not issubclass(kind, _INNER)
}
"""The fields of each class of statement that hold statements of the same scope."""
_GROWING: Final = frozenset(("append", "extend", "insert", "add", "update"))
_MAX_NESTING: Final = 12
_MANY: Final = 32
_NAME: Final = frozenset((ast.Name,))
_MAX_BINDINGS: Final = 256
_END: Final = (1 << 30, 0)

Place = tuple[int, int]


def grown_names(scope: Scope) -> set[str]:
    """Return the names of what a scope adds something to: `name.append(…)`."""
    pairs = zip(scope.called, scope.calls, strict=True)
    added = [call.func for name, call in pairs if name in _GROWING and isinstance(call.func, ast.Attribute)]
    return {function.value.id for function in added if isinstance(function.value, ast.Name)}


class Flow:
    """The statements of one scope: which block each stands in, which stand in loops, where names are read.

    Where names are read is found only when it is asked for: that means to look at every expression.
    """

    __slots__ = ("_blocks", "_inner", "_looped", "_reads", "_top")

    def __init__(self, scope: Scope) -> None:
        self._top = scope.node
        self._blocks: dict[ast.AST, int] = {}
        self._looped: set[ast.AST] = set()
        self._reads: dict[str, list[Place]] | None = None
        self._inner: set[str] = set()
        """Names that functions inside read."""
        waiting: list[tuple[ast.AST, int, bool]] = [(child, 0, False) for child in _body(scope.node)]
        while waiting:
            node, block, looped = waiting.pop()
            if isinstance(node, _ASSIGNING):
                for held in (node, node.value):
                    if held is not None:
                        self._blocks[held] = block
                        if looped:
                            self._looped.add(held)
                continue
            for field in _BLOCKS.get(node.__class__, ()):
                inside = getattr(node, field)
                within = id(inside)
                waiting.extend([(child, within, looped or isinstance(node, _LOOPS)) for child in inside])

    def is_looped(self, node: ast.AST) -> bool:
        """Say whether a statement, or its value, may run more than once."""
        return node in self._looped

    def replaces(self, name: str, earlier: ast.AST | None, later: ast.AST) -> bool:
        """Say whether nobody can see what a name held before: both stand in one block, nothing reads in between."""
        block = self._blocks.get(later)
        if earlier is None or block is None or self._blocks.get(earlier) != block or later in self._looped:
            return False
        if self._reads is None:
            self._reads = self._find_reads()
        if name in self._inner:
            return False
        places = self._reads.get(name, ())
        following = bisect_left(places, _finish(earlier))
        return following == len(places) or places[following] >= _start(later)

    def _find_reads(self) -> dict[str, list[Place]]:
        """Return where each name is read, and note those that functions inside read."""
        found: dict[str, list[Place]] = {}
        waiting: list[tuple[ast.AST, bool]] = [(child, False) for child in _body(self._top)]
        while waiting:
            node, inner = waiting.pop()
            if isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Load):
                    found.setdefault(node.id, []).append(_start(node))
                    if inner:
                        self._inner.add(node.id)
                continue
            inner = inner or isinstance(node, _INNER)
            for field in FIELDS.get(node.__class__, ()):
                value = getattr(node, field)
                if value.__class__ is list:
                    waiting.extend([(child, inner) for child in value])
                elif value is not None and value.__class__ is not ast.Constant:
                    waiting.append((value, inner))
        for places in found.values():
            places.sort()
        return found


def in_order(bindings: list[Binding]) -> list[Binding]:
    """Return the bindings of a name as they stand in the source; of very many constants only a few."""
    if len(bindings) > _MANY:
        kept: dict[object, Binding] = {}
        for binding in bindings:
            if isinstance(binding, ast.Constant):
                kept.setdefault((binding.value.__class__, binding.value), binding)
            else:
                kept[id(binding)] = binding
        constants = [binding for binding in kept.values() if binding.__class__ is ast.Constant]
        others = [binding for binding in kept.values() if binding.__class__ is not ast.Constant]
        bindings = [*constants[:_MANY], *others[:_MAX_BINDINGS]]
    return sorted(bindings, key=_place)


def is_cut(bindings: list[Binding]) -> bool:
    """Say whether `in_order` may leave bindings out."""
    return len(bindings) > _MANY


class Uses:
    """Where the names below a node stand, found once for all names."""

    __slots__ = ("_below",)

    def __init__(self) -> None:
        self._below: dict[ast.AST, dict[str, list[ast.Name]]] = {}

    def of(self, name: str, top: ast.AST) -> list[ast.Name]:
        """Return every mention of a name below a node."""
        names = self._below.get(top)
        if names is None:
            names = self._below[top] = {}
            for node in nodes_of(top, _NAME):
                names.setdefault(node.id, []).append(node)
        return names.get(name, [])


def is_shadowed(name: str, owner: Scope, root: Scope, uses: Uses, after: Place = (0, 0)) -> bool:
    """Say whether a scope surely binds a name before anything reads it, so that the outer meaning is never seen.

    Args:
        name: a name that means something to Python itself.
        owner: the scope that binds it.
        root: the module.
        uses: of the file.
        after: where the name may have got another meaning once more (a star import).
    """
    if owner.kind == FUNCTION:
        return True  # Local everywhere in the function, or an error.
    top = owner.node if owner.kind == CLASS else root.node
    place = _sure_place(_body(top), name, 0)
    if place is None or place <= after:
        return False
    return not any(
        isinstance(node.ctx, ast.Del) or (isinstance(node.ctx, ast.Load) and _start(node) < place)
        for node in uses.of(name, top)
    )


def last_star(root: Scope) -> Place:
    """Return where the last star import of a module ends."""
    places = [_finish(node) for node in root.imports if any(a.name == "*" for a in node.names)]
    return max(places, default=(0, 0))


def _sure_place(body: list[ast.AST], name: str, level: int) -> Place | None:
    """Return where a list of statements surely has bound a name, if it surely does."""
    for statement in body:
        place = _binds(statement, name, level)
        if place is not None:
            return place
    return None


def _binds(node: ast.AST, name: str, level: int) -> Place | None:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return _start(node.body[0]) if node.name == name else None
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return _finish(node) if any((a.asname or a.name.partition(".")[0]) == name for a in node.names) else None
    if isinstance(node, ast.Assign):
        return _finish(node) if any(_names(target, name) for target in node.targets) else None
    if isinstance(node, ast.AnnAssign):
        return _finish(node) if node.value is not None and _names(node.target, name) else None
    if level > _MAX_NESTING:
        return None
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return _sure_place(list(node.body), name, level + 1)
    if isinstance(node, ast.If):
        both = [_sure_place(list(part), name, level + 1) for part in (node.body, node.orelse)]
        return max(place for place in both if place is not None) if None not in both else None
    if isinstance(node, ast.Try):
        parts = [node.body, *(handler.body for handler in node.handlers)]
        places = [_sure_place(list(part), name, level + 1) for part in parts]
        return max(place for place in places if place is not None) if None not in places else None
    return None


def _names(target: ast.expr, name: str) -> bool:
    if isinstance(target, (ast.Tuple, ast.List)):
        return any(_names(part, name) for part in target.elts[:64])
    return isinstance(target, ast.Name) and target.id == name


def _place(binding: Binding) -> Place:
    held: Any = binding  # Any: the class is compared, which mypy cannot follow
    while isinstance(held, (Item, Stored)):
        held = held.source if isinstance(held, Item) else held.value
    kind = held.__class__
    if kind is Added:
        return _start(held.statement)
    if kind is Scope:
        return _start(held.node)
    if kind is Parameter or kind is Default or kind is str:
        return (0, 0)
    if isinstance(held, ast.expr):
        return held.lineno, held.col_offset
    return _start(held) if isinstance(held, ast.AST) else _END


def _start(node: ast.AST) -> Place:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _finish(node: ast.AST) -> Place:
    return getattr(node, "end_lineno", 0) or 0, getattr(node, "end_col_offset", 0) or 0


def _body(node: ast.AST) -> list[ast.AST]:
    body: list[ast.AST] | ast.AST = getattr(node, "body", [])
    return list(body) if isinstance(body, list) else [body]
