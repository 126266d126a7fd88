"""String literals that some rule cares about, as events. Docstrings are words, not behaviour."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugseal.lang.facts import Event
from plugseal.lang.judging.report import Report
from plugseal.lang.python.judging.places import Places

if TYPE_CHECKING:
    from plugseal.lang.facts import Context
    from plugseal.lang.python.resolving.resolver import Resolver


def add_string_events(text: str, context: Context, report: Report, resolver: Resolver) -> None:
    """Add an event for each string literal that the rules' pattern matches; nothing where the whole text has none."""
    pattern = context.interest.strings
    if pattern is None or not pattern.search(text):
        return
    places = Places(text)
    for scope in resolver.scopes:
        for node in _own_nodes(scope.node):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and pattern.search(node.value):
                report.events.append(
                    Event("string", node.value[:4_096], places.span(node), (), (), "direct", scope.trigger)
                )


def _own_nodes(root: ast.AST) -> list[ast.AST]:
    """Return the nodes below a scope without those of the scopes inside it, and without docstrings and bare texts."""
    body = getattr(root, "body", [])
    waiting: list[ast.AST] = list(body) if isinstance(body, list) else [body]
    found: list[ast.AST] = []
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            waiting.extend(_evaluated_outside(node))
            continue
        found.append(node)
        waiting.extend(ast.iter_child_nodes(node))
    return found


def _evaluated_outside(scope: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda) -> list[ast.expr]:
    """Return what of an inner scope is evaluated where it is defined: decorators, defaults, base classes."""
    outside: list[ast.expr] = list(getattr(scope, "decorator_list", ()))
    if isinstance(scope, ast.ClassDef):
        return outside + scope.bases + [keyword.value for keyword in scope.keywords]
    defaults = scope.args.defaults + [default for default in scope.args.kw_defaults if default is not None]
    return outside + defaults
