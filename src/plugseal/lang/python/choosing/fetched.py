"""Modules that a file fetches by name at run time, as far as that shows without resolving anything."""

from __future__ import annotations

import ast
from typing import Final

from plugseal.lang.python.collecting.scope import Scope

_FUNCTIONS: Final = frozenset(("__import__", "import_module", "load_module", "find_loader"))
_RENAMED: Final = (".import_module", ".__import__", ".modules", ".load_module")
_WORDS: Final = ("__import__", "import_module", "load_module", "modules")
"""One of them stands in every file that fetches a module."""


def fetched_modules(scopes: list[Scope], text: str) -> tuple[set[str], bool]:
    """Return the modules that are fetched by a literal name, and whether any is fetched by another expression."""
    one, two, three, four = _WORDS
    if one not in text and two not in text and three not in text and four not in text:
        return set(), False
    modules: set[str] = set()
    for key in _keys(scopes):
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            modules.add(key.value)
        elif not (isinstance(key, ast.Name) and key.id == "__name__"):
            return modules, True
    if any(_is_renamed(scope) for scope in scopes):
        return modules, True
    aliases = any(isinstance(load, ast.Name) and load.id in _FUNCTIONS for scope in scopes for load in scope.aliases)
    return modules, aliases


def _keys(scopes: list[Scope]) -> list[ast.expr]:
    found: list[ast.expr] = []
    for scope in scopes:
        fetches = "get" in scope.called or not _FUNCTIONS.isdisjoint(scope.called)
        for call in scope.calls if fetches else ():
            function = call.func
            if not call.args:
                continue
            if isinstance(function, ast.Attribute):
                if function.attr in _FUNCTIONS or (function.attr == "get" and _is_modules(function.value)):
                    found.append(call.args[0])
            elif isinstance(function, ast.Name) and function.id in _FUNCTIONS:
                found.append(call.args[0])
        for node in scope.subscripts:
            if isinstance(node, ast.Subscript) and _is_modules(node.value) and isinstance(node.ctx, ast.Load):
                found.append(node.slice)
    return found


def _is_renamed(scope: Scope) -> bool:
    """Say whether a scope imports one of the fetching functions under another name."""
    return any(
        isinstance(binding, str) and binding.rpartition(".")[2] != name and binding.endswith(_RENAMED)
        for name, bindings in scope.bindings.items()
        for binding in bindings
    )


def _is_modules(node: ast.expr) -> bool:
    """Say whether an expression is `sys.modules`, or `modules` taken from it."""
    return (node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")) == "modules"
