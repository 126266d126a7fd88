"""One pass over the tree that only notes: bindings, calls, reads, by scope. It resolves nothing.

Each scope is walked level by level with an explicit list, never by recursion, so that the number of levels is known
for free and no depth of nesting can end the process. Of annotations only what runs is visited: they are no behaviour.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from plugseal.lang.python.collecting.definitions import (
    note_class,
    note_compare,
    note_function,
    note_joined,
    note_lambda,
    note_subscript,
)
from plugseal.lang.python.collecting.names import GUARDED
from plugseal.lang.python.collecting.newer import TemplateStr
from plugseal.lang.python.collecting.noting import FIELDS, Collected, Noting
from plugseal.lang.python.collecting.scope import CLASS, MODULE, Scope
from plugseal.lang.python.collecting.statements import (
    note_assign,
    note_assign_annotated,
    note_assign_augmented,
    note_assign_named,
    note_comprehension,
    note_handler,
    note_if,
    note_import,
    note_import_from,
    note_loop,
    note_match,
    note_outer,
    note_return,
    note_with,
    note_yield,
)


def collect(tree: ast.Module) -> Collected:
    """Return the notes of a whole module."""
    root = Scope(MODULE, "<module>", tree, None)
    root.trigger = "import"
    root.awaiting = list(tree.body)
    found = Collected(root)
    for scope in found.scopes:
        _visit(scope, found)
    for scope in found.scopes:
        if scope.outer:
            _move_outer_names(scope, root)
    return found


def _visit(scope: Scope, found: Collected) -> None:
    """Walk the nodes of one scope; the commonest are told apart right here, by identity of their class."""
    level: list[Any] = scope.awaiting  # Any: the class of each node is compared below, which mypy cannot follow
    depth, chain = scope.depth, 0
    note_call, note_called = scope.calls.append, scope.called.append
    note_load, note_read = scope.loads.append, scope.read.append
    name_kind, constant, attribute, call_kind, expression = ast.Name, ast.Constant, ast.Attribute, ast.Call, ast.Expr
    handlers, at = _HANDLERS, Noting(scope, found)
    while level:
        depth += 1
        below: list[Any] = []
        at.below = below
        push, extend = below.append, below.extend
        for node in level:
            kind = node.__class__
            if kind is name_kind:
                note_load(node)
                note_read(node.id)
            elif kind is constant:
                continue
            elif kind is attribute or kind is call_kind:
                if kind is attribute:
                    note_load(node)
                    note_read(node.attr)
                    base = node.value
                else:
                    note_call(node)
                    base = node.func
                    called = base.__class__
                    note_called(base.id if called is name_kind else base.attr if called is attribute else "")
                steps = 1
                while base.__class__ is attribute:
                    base = base.value
                    steps += 1
                if depth + steps > chain:
                    chain = depth + steps
                if base.__class__ is not name_kind:
                    push(base)
                if kind is call_kind:
                    extend(node.args)
                    for keyword in node.keywords:
                        push(keyword.value)
            elif kind is expression:
                push(node.value)
            else:
                handlers.get(kind, _note_children)(node, at)
        scope.depth = depth
        level = below
    found.depth = max(found.depth, depth, chain)


def _note_children(node: Any, at: Noting) -> None:
    """Put off the children of a node that says nothing by itself."""
    below = at.below
    for field in FIELDS[node.__class__]:
        child = getattr(node, field)
        if child.__class__ is list:
            below.extend(child)
        elif child is not None:
            below.append(child)


def _note_binary(node: Any, at: Noting) -> None:
    """Put off both sides of an operator."""
    below = at.below
    below.append(node.left)
    below.append(node.right)


def _note_comprehension(node: Any, at: Noting) -> None:
    """Note a comprehension; a built-in name that it binds is another one inside, and nobody outside sees it."""
    for generator in node.generators:
        if generator.target.__class__ is not ast.Name or generator.target.id in GUARDED:
            _rename_inside(node)
            break
    _note_children(node, at)


def _rename_inside(node: Any) -> None:
    targets = [name for generator in node.generators for name in ast.walk(generator.target)]
    names = {name.id for name in targets if isinstance(name, ast.Name)} & GUARDED
    if not names:
        return
    outside = set(ast.walk(node.generators[0].iter))
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and inner.id in names and inner not in outside:
            inner.id += "'"


def _move_outer_names(scope: Scope, root: Scope) -> None:
    """Give what was bound under `global` and `nonlocal` to the scope that owns the name."""
    for name, word in scope.outer.items():
        bound = scope.bindings.pop(name, None)
        if not bound:
            continue
        owner: Scope | None = root
        if word == "nonlocal":
            owner = scope.parent
            while owner is not None and (owner.kind == CLASS or name not in owner.bindings):
                owner = owner.parent
        (owner or root).bindings.setdefault(name, []).extend(bound)


_HANDLERS: Final[dict[type, Callable[[Any, Noting], None]]] = {
    ast.Assign: note_assign,
    ast.AnnAssign: note_assign_annotated,
    ast.NamedExpr: note_assign_named,
    ast.AugAssign: note_assign_augmented,
    ast.For: note_loop,
    ast.AsyncFor: note_loop,
    ast.comprehension: note_comprehension,
    ast.ListComp: _note_comprehension,
    ast.SetComp: _note_comprehension,
    ast.DictComp: _note_comprehension,
    ast.GeneratorExp: _note_comprehension,
    ast.With: note_with,
    ast.AsyncWith: note_with,
    ast.ExceptHandler: note_handler,
    ast.Match: note_match,
    ast.Import: note_import,
    ast.ImportFrom: note_import_from,
    ast.FunctionDef: note_function,
    ast.AsyncFunctionDef: note_function,
    ast.Lambda: note_lambda,
    ast.ClassDef: note_class,
    ast.If: note_if,
    ast.Compare: note_compare,
    ast.BinOp: _note_binary,
    ast.Subscript: note_subscript,
    ast.Return: note_return,
    ast.Yield: note_yield,
    ast.YieldFrom: note_yield,
    ast.Global: note_outer,
    ast.Nonlocal: note_outer,
    ast.JoinedStr: note_joined,
    TemplateStr: note_joined,
}
