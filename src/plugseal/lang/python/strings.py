"""String literals that some rule cares about, as events. Docstrings are words, not behaviour."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugseal.lang.facts import Event
from plugseal.lang.python.places import Places
from plugseal.lang.python.report import Report

if TYPE_CHECKING:
    from plugseal.lang.facts import Context
    from plugseal.lang.python.resolve import Resolver


def add_string_events(tree: ast.Module, text: str, context: Context, report: Report, resolver: Resolver) -> None:
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
    """Return the nodes below a scope without those of the scopes inside it, and without its docstring."""
    body = getattr(root, "body", [])
    waiting: list[ast.AST] = list(body) if isinstance(body, list) else [body]
    if waiting and isinstance(root, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        first = waiting[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            waiting = waiting[1:]
    found: list[ast.AST] = []
    while waiting:
        node = waiting.pop()
        found.append(node)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
                waiting.extend(getattr(child, "decorator_list", ()))
                continue
            waiting.append(child)
    return found
