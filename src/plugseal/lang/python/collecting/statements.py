"""What each kind of statement notes. Expressions and definitions have files of their own."""

from __future__ import annotations

import ast

from plugseal.lang.python.collecting.hints import note_annotation
from plugseal.lang.python.collecting.noting import Noting, bind, scope_inside
from plugseal.lang.python.collecting.scope import FUNCTION, MAIN, MODULE, OPAQUE, Added, Item, Parameter
from plugseal.lang.python.collecting.targets import bind_pattern, bind_target


def note_assign(node: ast.Assign, at: Noting) -> None:
    """Note an assignment."""
    value = node.value
    kind = value.__class__
    if kind is ast.Attribute or kind is ast.Name:
        _alias(value, at)  # type: ignore[arg-type]  # the class was compared
    else:
        at.below.append(value)
    bindings = at.scope.bindings
    for target in node.targets:
        if target.__class__ is ast.Name:
            bound = bindings.get(target.id)
            if bound is None:
                bindings[target.id] = [value]
            else:
                bound.append(value)
        else:
            bind_target(target, value, at)


def _alias(value: ast.Name | ast.Attribute, at: Noting) -> None:
    at.scope.note("aliases", value)
    base: ast.expr = value
    while isinstance(base, ast.Attribute):
        base = base.value
    if not isinstance(base, ast.Name):
        at.below.append(base)


def note_assign_annotated(node: ast.AnnAssign, at: Noting) -> None:
    """Note an annotated assignment; without a value, the annotation is all that is known."""
    if not at.found.lazy and at.scope.kind != FUNCTION:
        note_annotation(node.annotation, at)
    target = node.target
    if node.value is not None:
        at.below.append(node.value)
        bind_target(target, node.value, at)
        if isinstance(target, ast.Name) and isinstance(node.value, (ast.Call, ast.Await, ast.Constant)):
            at.scope.types = at.scope.types or {}
            at.scope.types.setdefault(target.id, node.annotation)
    elif isinstance(target, ast.Name):
        bind(at.scope, target.id, Parameter(-1, target.id, node.annotation))
    else:
        at.below.append(target.value)
        if isinstance(target, ast.Subscript):
            at.below.append(target.slice)


def note_assign_named(node: ast.NamedExpr, at: Noting) -> None:
    """Note a walrus."""
    at.below.append(node.value)
    bind(at.scope, node.target.id, node.value)


def note_assign_augmented(node: ast.AugAssign, at: Noting) -> None:
    """Note an augmented assignment."""
    if isinstance(node.op, ast.BitOr) and _last(node.target) in ("environ", "environb"):
        # `os.environ |= {…}` is `os.environ.update({…})`.
        updated = ast.copy_location(ast.Attribute(node.target, "update", ast.Load()), node)
        at.below.append(ast.copy_location(ast.Call(updated, [node.value], []), node))
        return
    at.below.append(node.value)
    if isinstance(node.target, ast.Name):
        bind(at.scope, node.target.id, Added(node))
    else:
        bind_target(node.target, OPAQUE, at)


def note_loop(node: ast.For | ast.AsyncFor, at: Noting) -> None:
    """Note a loop and what its target is bound to."""
    at.below.append(node.iter)
    bind_target(node.target, Item(node.iter, "iterate"), at)
    at.below.extend(node.body)
    at.below.extend(node.orelse)


def note_comprehension(node: ast.comprehension, at: Noting) -> None:
    """Note one `for` of a comprehension; its names count for the whole scope."""
    at.below.append(node.iter)
    bind_target(node.target, Item(node.iter, "iterate"), at)
    at.below.extend(node.ifs)


def note_with(node: ast.With | ast.AsyncWith, at: Noting) -> None:
    """Note a `with` and what it enters."""
    for item in node.items:
        at.below.append(item.context_expr)
        if item.optional_vars is not None:
            bind_target(item.optional_vars, Item(item.context_expr, "enter"), at)
    at.below.extend(node.body)


def note_handler(node: ast.ExceptHandler, at: Noting) -> None:
    """Note an exception handler."""
    if node.type is not None:
        at.below.append(node.type)
    if node.name:
        bind(at.scope, node.name, OPAQUE)
    at.below.extend(node.body)


def note_match(node: ast.Match, at: Noting) -> None:
    """Note a `match` and what its patterns bind."""
    at.below.append(node.subject)
    for case in node.cases:
        bind_pattern(case.pattern, node.subject, at)
        if case.guard is not None:
            at.below.append(case.guard)
        at.below.extend(case.body)


def note_import(node: ast.Import, at: Noting) -> None:
    """Note an `import`."""
    at.scope.note("imports", node)
    for alias in node.names:
        if alias.asname:
            bind(at.scope, alias.asname, alias.name)
        else:
            top = alias.name.partition(".")[0]
            bind(at.scope, top, top)


def note_import_from(node: ast.ImportFrom, at: Noting) -> None:
    """Note a `from … import`."""
    at.scope.note("imports", node)
    if node.module == "__future__" and any(alias.name == "annotations" for alias in node.names):
        at.found.lazy = True
    module = "." * node.level + (node.module or "")
    stem = module if module.endswith(".") else module + "."
    for alias in node.names:
        if alias.name == "*":
            at.scope.note("stars", module)
        else:
            bind(at.scope, alias.asname or alias.name, stem + alias.name)


def note_if(node: ast.If, at: Noting) -> None:
    """Note an `if`; the main block gets a scope of its own, for its trigger."""
    below = at.below
    below.append(node.test)
    if at.scope.kind == MODULE and _is_main_test(node.test):
        inner = scope_inside(MAIN, "<main>", node, at.scope)
        inner.bindings, inner.known = at.scope.bindings, at.scope.known
        inner.awaiting = list(node.body)
        inner.trigger = "start"
        at.found.scopes.append(inner)
    else:
        below.extend(node.body)
    if node.orelse:
        below.extend(node.orelse)


def _is_main_test(test: ast.expr) -> bool:
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
        return False
    sides = (test.left, test.comparators[0])
    names = [side.id for side in sides if isinstance(side, ast.Name)]
    texts = [side.value for side in sides if isinstance(side, ast.Constant)]
    return names == ["__name__"] and texts == ["__main__"]


def note_return(node: ast.Return, at: Noting) -> None:
    """Note what a function returns."""
    if node.value is not None:
        at.below.append(node.value)
        at.scope.note("exits", node.value)


def note_yield(node: ast.Yield | ast.YieldFrom, at: Noting) -> None:
    """Note what a generator yields."""
    if node.value is not None:
        at.below.append(node.value)
        at.scope.note("yields", node.value)


def note_outer(node: ast.Global | ast.Nonlocal, at: Noting) -> None:
    """Note names that live in an outer scope."""
    word = "global" if isinstance(node, ast.Global) else "nonlocal"
    at.scope.outer = {**at.scope.outer, **dict.fromkeys(node.names, word)}


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
