"""One pass over the tree that only notes: bindings, calls, reads, by scope. It resolves nothing.

Each scope is walked level by level with an explicit list, never by recursion, so that the number of levels is known
for free and no depth of nesting can end the process. Annotations are not visited: they are not behaviour.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any, Final

from plugseal.lang.python.newer import Interpolation, TemplateStr, TypeAlias
from plugseal.lang.python.scope import (
    CLASS,
    FUNCTION,
    MAIN,
    MODULE,
    OPAQUE,
    Added,
    Binding,
    Item,
    Parameter,
    Scope,
    Store,
    Stored,
)

_LEAVES: Final = frozenset(
    "ctx op ops kind lineno col_offset end_lineno end_col_offset type_comment type_ignores id attr arg name names asname "
    "module level conversion rest simple annotation returns is_async type_params".split()
)
_NO_FIELDS: Final = (ast.Constant, ast.Name, ast.Pass, ast.Break, ast.Continue, ast.Import, ast.ImportFrom)


def _fields() -> dict[type, tuple[str, ...]]:
    """Return the fields with children for each class of node that this interpreter knows."""
    kinds = [kind for kind in vars(ast).values() if isinstance(kind, type) and issubclass(kind, ast.AST)]
    fields = {kind: tuple(name for name in kind._fields if name not in _LEAVES) for kind in kinds}
    fields.update(dict.fromkeys(_NO_FIELDS, ()))
    fields[type(None)] = ()  # In `{**more}` a key is missing.
    fields[TypeAlias] = ()
    fields[TemplateStr] = ("values",)
    fields[Interpolation] = ("value", "format_spec")
    return fields


_FIELDS: Final = _fields()


class Collected:
    """What one file notes: its scopes, outermost first, and how deep its tree is."""

    __slots__ = ("depth", "lambdas", "root", "scopes")

    def __init__(self, root: Scope) -> None:
        self.root = root
        self.scopes = [root]
        self.lambdas: dict[ast.Lambda, Scope] = {}
        self.depth = 0


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
    """Walk the nodes of one scope; the scopes inside are put off.

    The commonest nodes are told apart here, by identity of their class, since this loop sees every node of a file.
    """
    level: list[Any] = scope.awaiting  # Any: the class of each node is compared below, which mypy cannot follow
    depth, chain = scope.depth, 0
    calls, loads = scope.calls, scope.loads
    name_kind, constant, attribute, call_kind, expression = ast.Name, ast.Constant, ast.Attribute, ast.Call, ast.Expr
    handlers, fields = _HANDLERS, _FIELDS
    while level:
        depth += 1
        below: list[Any] = []
        push, extend = below.append, below.extend
        for node in level:
            kind = node.__class__
            if kind is name_kind:
                loads.append(node)
            elif kind is constant:
                continue
            elif kind is attribute:
                loads.append(node)
                base, steps = node.value, 1
                while base.__class__ is attribute:
                    base = base.value
                    steps += 1
                if depth + steps > chain:
                    chain = depth + steps
                if base.__class__ is not name_kind:
                    push(base)
            elif kind is call_kind:
                calls.append(node)
                base, steps = node.func, 1
                while base.__class__ is attribute:
                    base = base.value
                    steps += 1
                if depth + steps > chain:
                    chain = depth + steps
                if base.__class__ is not name_kind:
                    push(base)
                extend(node.args)
                for keyword in node.keywords:
                    push(keyword.value)
            elif kind is expression:
                push(node.value)
            else:
                handler = handlers.get(kind)
                if handler is not None:
                    handler(node, scope, below, found)
                    continue
                for field in fields[kind]:
                    child = getattr(node, field)
                    if child.__class__ is list:
                        extend(child)
                    elif child is not None:
                        push(child)
        scope.depth = depth
        level = below
    found.depth = max(found.depth, depth, chain)


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


def _inside(kind: str, name: str, node: ast.AST, parent: Scope) -> Scope:
    scope = Scope(kind, name, node, parent)
    scope.depth = parent.depth + 1
    return scope


def _bind(scope: Scope, name: str, binding: Binding) -> None:
    bound = scope.bindings.get(name)
    if bound is None:
        scope.bindings[name] = [binding]
    else:
        bound.append(binding)


def _bind_target(target: ast.expr, value: Binding, scope: Scope, below: list[Any]) -> None:
    """Note what an assignment to any kind of target binds; iterative, since targets nest."""
    waiting: list[tuple[ast.expr, Binding]] = [(target, value)]
    while waiting:
        target, value = waiting.pop()
        if isinstance(target, ast.Name):
            _bind(scope, target.id, value)
        elif isinstance(target, ast.Attribute):
            _store_attribute(target, value, scope, below)
        elif isinstance(target, ast.Subscript):
            scope.note("subscripts", target)
            below.append(target.value)
            below.append(target.slice)
            if isinstance(target.value, ast.Name):
                _bind_item(scope, target.value.id, Stored(target.slice, value))
        elif isinstance(target, ast.Starred):
            of = value if isinstance(value, Item) and value.how == "at" else Item(value, "at")
            waiting.append((target.value, Item(of.source, "rest", of.place)))
        elif isinstance(target, (ast.Tuple, ast.List)):
            waiting.extend(reversed(_unpacked(target.elts, value)))


def _bind_item(scope: Scope, name: str, stored: Stored) -> None:
    """Note `name[key] = value` where the name lives, so that every scope sees the item."""
    owner: Scope | None = scope
    while owner is not None:
        if name in owner.bindings and (owner is scope or owner.kind != CLASS):
            owner.bindings[name].append(stored)
            return
        owner = owner.parent


def _unpacked(targets: list[ast.expr], value: Binding) -> list[tuple[ast.expr, Binding]]:
    if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(targets):
        starred = any(isinstance(item, ast.Starred) for item in (*targets, *value.elts))
        if not starred:
            return list(zip(targets, value.elts, strict=True))
    pairs: list[tuple[ast.expr, Binding]] = []
    after_star = False
    for index, target in enumerate(targets):
        position = index - len(targets) if after_star else index
        pairs.append((target, Item(value, "at", position)))
        after_star = after_star or isinstance(target, ast.Starred)
    return pairs


def _store_attribute(target: ast.Attribute, value: Binding, scope: Scope, below: list[Any]) -> None:
    base: ast.expr = target.value
    receiver = scope.receiver
    if receiver is not None and isinstance(base, ast.Name) and base.id == receiver[0]:
        receiver[1].attributes.setdefault(target.attr, []).append((scope, value))
        return
    scope.note("stores", Store(target, value))
    while isinstance(base, ast.Attribute):
        base = base.value
    if not isinstance(base, ast.Name):
        below.append(base)


def _assign(node: ast.Assign, scope: Scope, below: list[Any], found: Collected) -> None:
    value = node.value
    kind = value.__class__
    if kind is ast.Attribute or kind is ast.Name:
        _alias(value, scope, below)  # type: ignore[arg-type]  # the class was compared
    else:
        below.append(value)
    for target in node.targets:
        if target.__class__ is ast.Name:
            _bind(scope, target.id, value)  # type: ignore[attr-defined]  # the class was compared
        else:
            _bind_target(target, value, scope, below)


def _alias(value: ast.Name | ast.Attribute, scope: Scope, below: list[Any]) -> None:
    scope.note("aliases", value)
    base: ast.expr = value
    while isinstance(base, ast.Attribute):
        base = base.value
    if not isinstance(base, ast.Name):
        below.append(base)


def _assign_annotated(node: ast.AnnAssign, scope: Scope, below: list[Any], found: Collected) -> None:
    if node.value is not None:
        below.append(node.value)
        _bind_target(node.target, node.value, scope, below)
    elif isinstance(node.target, ast.Name):
        _bind(scope, node.target.id, Parameter(-1, node.target.id, node.annotation))


def _assign_named(node: ast.NamedExpr, scope: Scope, below: list[Any], found: Collected) -> None:
    below.append(node.value)
    _bind(scope, node.target.id, node.value)


def _assign_augmented(node: ast.AugAssign, scope: Scope, below: list[Any], found: Collected) -> None:
    below.append(node.value)
    if isinstance(node.target, ast.Name):
        _bind(scope, node.target.id, Added(node))
    else:
        _bind_target(node.target, OPAQUE, scope, below)


def _loop(node: ast.For | ast.AsyncFor, scope: Scope, below: list[Any], found: Collected) -> None:
    below.append(node.iter)
    _bind_target(node.target, Item(node.iter, "iterate"), scope, below)
    below.extend(node.body)
    below.extend(node.orelse)


def _comprehension(node: ast.comprehension, scope: Scope, below: list[Any], found: Collected) -> None:
    below.append(node.iter)
    _bind_target(node.target, Item(node.iter, "iterate"), scope, below)
    below.extend(node.ifs)


def _with(node: ast.With | ast.AsyncWith, scope: Scope, below: list[Any], found: Collected) -> None:
    for item in node.items:
        below.append(item.context_expr)
        if item.optional_vars is not None:
            _bind_target(item.optional_vars, Item(item.context_expr, "enter"), scope, below)
    below.extend(node.body)


def _handler(node: ast.ExceptHandler, scope: Scope, below: list[Any], found: Collected) -> None:
    if node.type is not None:
        below.append(node.type)
    if node.name:
        _bind(scope, node.name, OPAQUE)
    below.extend(node.body)


def _match(node: ast.Match, scope: Scope, below: list[Any], found: Collected) -> None:
    below.append(node.subject)
    for case in node.cases:
        _bind_pattern(case.pattern, node.subject, scope, below)
        if case.guard is not None:
            below.append(case.guard)
        below.extend(case.body)


def _bind_pattern(pattern: ast.pattern, value: Binding, scope: Scope, below: list[Any]) -> None:
    waiting: list[tuple[ast.pattern, Binding]] = [(pattern, value)]
    while waiting:
        pattern, value = waiting.pop()
        if isinstance(pattern, ast.MatchAs):
            if pattern.name is not None:
                _bind(scope, pattern.name, value)
            if pattern.pattern is not None:
                waiting.append((pattern.pattern, value))
        elif isinstance(pattern, ast.MatchOr):
            waiting.extend((inner, value) for inner in pattern.patterns)
        elif isinstance(pattern, ast.MatchSequence):
            waiting.extend((inner, Item(value, "at", at)) for at, inner in enumerate(pattern.patterns))
        elif isinstance(pattern, ast.MatchStar):
            if pattern.name is not None:
                _bind(scope, pattern.name, Item(value, "rest"))
        elif isinstance(pattern, ast.MatchMapping):
            waiting.extend((inner, Item(value, "iterate")) for inner in pattern.patterns)
            if pattern.rest is not None:
                _bind(scope, pattern.rest, value)
        elif isinstance(pattern, ast.MatchClass):
            below.append(pattern.cls)
            waiting.extend((inner, OPAQUE) for inner in (*pattern.patterns, *pattern.kwd_patterns))


def _import(node: ast.Import, scope: Scope, below: list[Any], found: Collected) -> None:
    scope.note("imports", node)
    for alias in node.names:
        if alias.asname:
            _bind(scope, alias.asname, alias.name)
        else:
            top = alias.name.partition(".")[0]
            _bind(scope, top, top)


def _import_from(node: ast.ImportFrom, scope: Scope, below: list[Any], found: Collected) -> None:
    scope.note("imports", node)
    module = "." * node.level + (node.module or "")
    stem = module if module.endswith(".") else module + "."
    for alias in node.names:
        if alias.name == "*":
            scope.note("stars", module)
        else:
            _bind(scope, alias.asname or alias.name, stem + alias.name)


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope, below: list[Any], found: Collected) -> None:
    inner = _inside(FUNCTION, node.name, node, scope)
    inner.awaiting = list(node.body)
    found.scopes.append(inner)
    _bind(scope, node.name, inner)
    _parameters(node.args, inner, below)
    inner.receiver = scope.receiver
    if scope.kind == CLASS:
        inner.receiver = None
        static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)
        first = (*node.args.posonlyargs, *node.args.args)[:1]
        if first and not static:
            inner.receiver = (first[0].arg, scope)
    for decorator in node.decorator_list:
        _decorate(decorator, inner, scope, below)
        last = decorator.attr if isinstance(decorator, ast.Attribute) else getattr(decorator, "id", "")
        inner.is_property = inner.is_property or last in ("property", "cached_property")


def _decorate(decorator: ast.expr, inner: Scope, scope: Scope, below: list[Any]) -> None:
    """Note that the decorator is called with what it decorates; its own parts are visited as usual."""
    scope.note("decorated", (decorator, inner))
    base = decorator
    while isinstance(base, ast.Attribute):
        base = base.value
    if not isinstance(base, ast.Name):
        below.append(base)


def _parameters(arguments: ast.arguments, inner: Scope, below: list[Any]) -> None:
    bindings = inner.bindings
    positional = arguments.posonlyargs + arguments.args
    for position, argument in enumerate(positional):
        bindings[argument.arg] = [Parameter(position, argument.arg, argument.annotation)]
    if arguments.defaults:
        below.extend(arguments.defaults)
        for argument, default in zip(positional[-len(arguments.defaults) :], arguments.defaults, strict=True):
            bindings[argument.arg].append(default)
    for argument, keyword_default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        bindings[argument.arg] = [Parameter(-1, argument.arg, argument.annotation)]
        if keyword_default is not None:
            below.append(keyword_default)
            bindings[argument.arg].append(keyword_default)
    if arguments.vararg is not None:
        bindings[arguments.vararg.arg] = [Parameter(-2, arguments.vararg.arg, None)]
    if arguments.kwarg is not None:
        bindings[arguments.kwarg.arg] = [Parameter(-3, arguments.kwarg.arg, None)]


def _lambda(node: ast.Lambda, scope: Scope, below: list[Any], found: Collected) -> None:
    inner = _inside(FUNCTION, "<lambda>", node, scope)
    inner.awaiting = [node.body]
    inner.exits = [node.body]
    inner.receiver = scope.receiver
    found.scopes.append(inner)
    found.lambdas[node] = inner
    _parameters(node.args, inner, below)


def _class(node: ast.ClassDef, scope: Scope, below: list[Any], found: Collected) -> None:
    inner = _inside(CLASS, node.name, node, scope)
    inner.awaiting = list(node.body)
    inner.trigger = scope.trigger
    found.scopes.append(inner)
    _bind(scope, node.name, inner)
    below.extend(node.bases)
    below.extend(keyword.value for keyword in node.keywords)
    for decorator in node.decorator_list:
        _decorate(decorator, inner, scope, below)


def _if(node: ast.If, scope: Scope, below: list[Any], found: Collected) -> None:
    below.append(node.test)
    if scope.kind == MODULE and _is_main_test(node.test):
        inner = _inside(MAIN, "<main>", node, scope)
        inner.bindings, inner.known = scope.bindings, scope.known
        inner.awaiting = list(node.body)
        inner.trigger = "start"
        found.scopes.append(inner)
    else:
        below.extend(node.body)
    below.extend(node.orelse)


def _is_main_test(test: ast.expr) -> bool:
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
        return False
    sides = (test.left, test.comparators[0])
    names = [side.id for side in sides if isinstance(side, ast.Name)]
    texts = [side.value for side in sides if isinstance(side, ast.Constant)]
    return names == ["__name__"] and texts == ["__main__"]


def _compare(node: ast.Compare, scope: Scope, below: list[Any], found: Collected) -> None:
    below.append(node.left)
    if len(node.ops) == 1 and node.ops[0].__class__ in (ast.In, ast.NotIn):
        container = node.comparators[0]
        if isinstance(container, (ast.Name, ast.Attribute)):
            scope.note("subscripts", node)
            return
    below.extend(node.comparators)


def _subscript(node: ast.Subscript, scope: Scope, below: list[Any], found: Collected) -> None:
    scope.note("subscripts", node)
    base: ast.expr = node.value
    while isinstance(base, ast.Attribute):
        base = base.value
    if not isinstance(base, ast.Name):
        below.append(base)
    below.append(node.slice)


def _return(node: ast.Return, scope: Scope, below: list[Any], found: Collected) -> None:
    if node.value is not None:
        below.append(node.value)
        scope.note("exits", node.value)


def _yield(node: ast.Yield | ast.YieldFrom, scope: Scope, below: list[Any], found: Collected) -> None:
    if node.value is not None:
        below.append(node.value)
        scope.note("yields", node.value)


def _outer(node: ast.Global | ast.Nonlocal, scope: Scope, below: list[Any], found: Collected) -> None:
    word = "global" if isinstance(node, ast.Global) else "nonlocal"
    scope.outer = {**scope.outer, **dict.fromkeys(node.names, word)}


def _joined(node: ast.JoinedStr, scope: Scope, below: list[Any], found: Collected) -> None:
    """Give everything inside an f-string the place of the outermost f-string.

    Places inside f-strings moved with Python 3.12 (PEP 701); those of the whole string did not.
    """
    place = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
    waiting: list[Any] = list(node.values)
    while waiting:
        inner = waiting.pop()
        if hasattr(inner, "lineno"):
            inner.lineno, inner.col_offset, inner.end_lineno, inner.end_col_offset = place
        for field in _FIELDS[inner.__class__]:
            child = getattr(inner, field)
            if child.__class__ is list:
                waiting.extend(child)
            elif child is not None:
                waiting.append(child)
    below.extend(_formatted(node.values))


def _formatted(values: Iterable[Any]) -> Iterable[Any]:
    for value in values:
        if value.__class__ is ast.FormattedValue or value.__class__ is Interpolation:
            yield value.value
            if value.format_spec is not None:
                yield value.format_spec


_HANDLERS: Final[dict[type, Callable[[Any, Scope, list[Any], Collected], None]]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _assign_annotated,
    ast.NamedExpr: _assign_named,
    ast.AugAssign: _assign_augmented,
    ast.For: _loop,
    ast.AsyncFor: _loop,
    ast.comprehension: _comprehension,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.ExceptHandler: _handler,
    ast.Match: _match,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.Lambda: _lambda,
    ast.ClassDef: _class,
    ast.If: _if,
    ast.Compare: _compare,
    ast.Subscript: _subscript,
    ast.Return: _return,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
    ast.Global: _outer,
    ast.Nonlocal: _outer,
    ast.JoinedStr: _joined,
    TemplateStr: _joined,
}
