"""What definitions and the less common expressions note."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, Final

from plugseal.lang.python.collecting.hints import note_annotations
from plugseal.lang.python.collecting.newer import Interpolation
from plugseal.lang.python.collecting.noting import FIELDS, Noting, bind, scope_inside
from plugseal.lang.python.collecting.scope import CLASS, FUNCTION, Default, Parameter, Scope

_MEMBERSHIP: Final = frozenset((ast.In, ast.NotIn))


def note_function(node: ast.FunctionDef | ast.AsyncFunctionDef, at: Noting) -> None:
    """Note a function: its scope, its name, and what is evaluated where it stands."""
    inner = scope_inside(FUNCTION, node.name, node, at.scope)
    inner.awaiting = list(node.body)
    at.found.scopes.append(inner)
    bind(at.scope, node.name, inner)
    _parameters(node.args, inner, at)
    if not at.found.lazy:
        note_annotations(node, at)
    inner.receiver = at.scope.receiver
    if at.scope.kind == CLASS:
        inner.receiver = None
        static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)
        first = (*node.args.posonlyargs, *node.args.args)[:1]
        if first and not static:
            inner.receiver = (first[0].arg, at.scope)
    for decorator in node.decorator_list:
        _decorate(decorator, inner, at)
        last = decorator.attr if isinstance(decorator, ast.Attribute) else getattr(decorator, "id", "")
        inner.is_property = inner.is_property or last in ("property", "cached_property")


def _decorate(decorator: ast.expr, inner: Scope, at: Noting) -> None:
    """Note that the decorator is called with what it decorates; its own parts are visited as usual."""
    at.scope.note("decorated", (decorator, inner))
    base = decorator
    while isinstance(base, ast.Attribute):
        base = base.value
    if not isinstance(base, ast.Name):
        at.below.append(base)


def _parameters(arguments: ast.arguments, inner: Scope, at: Noting) -> None:
    bindings = inner.bindings
    positional = arguments.posonlyargs + arguments.args
    new = tuple.__new__  # A function has many parameters, and a named tuple's own way takes twice as long.
    for position, argument in enumerate(positional):
        name = argument.arg
        bindings[name] = [new(Parameter, (position, name, argument.annotation))]
    if arguments.defaults:
        at.below.extend(arguments.defaults)
        for argument, default in zip(positional[-len(arguments.defaults) :], arguments.defaults, strict=True):
            bindings[argument.arg].append(Default(default))
    keywords = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if arguments.kwonlyargs else ()
    for argument, keyword_default in keywords:
        bindings[argument.arg] = [Parameter(-1, argument.arg, argument.annotation)]
        if keyword_default is not None:
            at.below.append(keyword_default)
            bindings[argument.arg].append(Default(keyword_default))
    if arguments.vararg is not None:
        bindings[arguments.vararg.arg] = [Parameter(-2, arguments.vararg.arg, None)]
    if arguments.kwarg is not None:
        bindings[arguments.kwarg.arg] = [Parameter(-3, arguments.kwarg.arg, None)]


def note_lambda(node: ast.Lambda, at: Noting) -> None:
    """Note a lambda: its scope, and its defaults."""
    inner = scope_inside(FUNCTION, "<lambda>", node, at.scope)
    inner.awaiting = [node.body]
    inner.exits = [node.body]
    inner.receiver = at.scope.receiver
    at.found.scopes.append(inner)
    at.found.lambdas[node] = inner
    _parameters(node.args, inner, at)


def note_class(node: ast.ClassDef, at: Noting) -> None:
    """Note a class: its scope, its name, its bases and keywords."""
    inner = scope_inside(CLASS, node.name, node, at.scope)
    inner.awaiting = list(node.body)
    inner.trigger = at.scope.trigger
    at.found.scopes.append(inner)
    bind(at.scope, node.name, inner)
    at.below.extend(node.bases)
    at.below.extend(keyword.value for keyword in node.keywords)
    for decorator in node.decorator_list:
        _decorate(decorator, inner, at)


def note_compare(node: ast.Compare, at: Noting) -> None:
    """Note a comparison; membership in a named container is kept apart."""
    below = at.below
    below.append(node.left)
    operators = node.ops
    if len(operators) == 1 and operators[0].__class__ in _MEMBERSHIP:
        container = node.comparators[0]
        if isinstance(container, (ast.Name, ast.Attribute)):
            at.scope.note("subscripts", node)
            return
    below.extend(node.comparators)


def note_subscript(node: ast.Subscript, at: Noting) -> None:
    """Note a subscript."""
    at.scope.note("subscripts", node)
    base: ast.expr = node.value
    while isinstance(base, ast.Attribute):
        base = base.value
    if not isinstance(base, ast.Name):
        at.below.append(base)
    at.below.append(node.slice)


def note_joined(node: ast.JoinedStr, at: Noting) -> None:
    """Give everything inside an f-string the place of the outermost f-string.

    Places inside f-strings moved with Python 3.12 (PEP 701); those of the whole string did not.
    """
    place = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
    waiting = list(_formatted(node.values))
    at.below.extend(waiting)
    constant, name = ast.Constant, ast.Name
    while waiting:
        inner = waiting.pop()
        kind = inner.__class__
        if kind is constant:
            continue
        inner.lineno, inner.col_offset, inner.end_lineno, inner.end_col_offset = place
        if kind is name:
            continue
        for field in FIELDS[kind]:
            child = getattr(inner, field)
            if child.__class__ is list:
                waiting.extend(child)
            elif child is not None:
                waiting.append(child)


def _formatted(values: Iterable[Any]) -> Iterable[Any]:
    for value in values:
        if value.__class__ is ast.FormattedValue or value.__class__ is Interpolation:
            yield value.value
            if value.format_spec is not None:
                yield value.format_spec
