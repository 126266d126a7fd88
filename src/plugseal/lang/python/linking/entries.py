"""Where a file is entered: import time, its main block, and functions that a framework registers."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from plugseal.lang.facts import EntryPoint
from plugseal.lang.python.collecting.bound import Bound
from plugseal.lang.python.collecting.scope import CLASS, FUNCTION, MAIN, MODULE, Parameter, Scope
from plugseal.lang.python.resolving.values import Made

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolver import Resolver

_FUNCTION_KEYWORDS: Final = frozenset(("fn", "func", "function", "handler", "tool"))


def mark_entries(resolver: Resolver, bound: Bound, modules: Iterable[str]) -> None:
    """Give functions that a known decorator registers, or a known method, the trigger of that registration.

    Args:
        resolver: of the file.
        bound: what its names are bound to.
        modules: that the file may load. What other files made the tables load must not change what is found in this.
    """
    tables = resolver.tables
    last_names = tables.entry_names(modules)
    for scope in resolver.scopes:
        for decorator, target in scope.decorated if last_names else ():
            name = _registration(resolver, decorator, scope, last_names)
            if name:
                target.trigger = tables.entries[name]
                target.is_entered = True
                _give(target, tables.given.get(name), bound)
        if (last_names and "" in scope.called) or not tables.registering.keys().isdisjoint(scope.called):
            _mark_handed(resolver, scope, last_names)


def _registration(resolver: Resolver, node: ast.expr, scope: Scope, last_names: set[str]) -> str:
    """Return the known registration that a decorator is, called or not; empty for none."""
    node = node.func if isinstance(node, ast.Call) else node
    last = node.attr if isinstance(node, ast.Attribute) else _meaning(resolver, getattr(node, "id", ""))
    if last not in last_names:
        return ""
    names = (value.name if isinstance(value, Made) else value for value in resolver.value(node, scope))
    return next((name for name in names if isinstance(name, str) and name in resolver.tables.entries), "")


def _mark_handed(resolver: Resolver, scope: Scope, last_names: set[str]) -> None:
    """Mark the functions that are registered by their names: `server.add_tool(f)`, `server.tool()(f)`."""
    for call, last in zip(scope.calls, scope.called, strict=True):
        trigger = resolver.tables.registering.get(last, "")
        if not last and isinstance(call.func, ast.Call):
            name = _registration(resolver, call.func, scope, last_names)
            trigger = resolver.tables.entries.get(name, "")
        if not trigger:
            continue
        handed = [*call.args[:1], *(one.value for one in call.keywords if one.arg in _FUNCTION_KEYWORDS)]
        for value in (value for node in handed for value in resolver.value(node, scope)):
            if isinstance(value, Scope) and value.kind == FUNCTION:
                value.trigger = trigger
                value.is_entered = True


def _meaning(resolver: Resolver, name: str) -> str:
    """Return the last part of what a name was imported as."""
    for binding in resolver.root.bindings.get(name, ()):
        if isinstance(binding, str):
            return binding.rpartition(".")[2]
    return name


def _give(target: Scope, type_name: str | None, bound: Bound) -> None:
    """Note what the first parameter of a registered function is, where a table says it and no annotation does."""
    first = next(iter(target.bindings.values()), []) if type_name is not None else []
    if type_name is None or not first or not isinstance(first[0], Parameter):
        return
    if first[0].position == 0 and first[0].annotation is None:
        first.append(type_name)
        bound.add_import(first[0].name, type_name)


def entry_points(scopes: list[Scope]) -> tuple[EntryPoint, ...]:
    """Return the entry points of a file, in order of line."""
    found = []
    for scope in scopes:
        if scope.kind == MODULE:
            found.append(EntryPoint("<module>", "import", 1))
        elif scope.kind == MAIN:
            found.append(EntryPoint("<module>", "start", getattr(scope.node, "lineno", 1)))
        elif scope.kind != CLASS and scope.trigger != "unknown":
            found.append(EntryPoint(qualified(scope), scope.trigger, getattr(scope.node, "lineno", 1)))
    return tuple(sorted(set(found), key=lambda entry: (entry.line, entry.name, entry.trigger)))


def qualified(scope: Scope) -> str:
    """Return the name of a function within its file."""
    parts = [scope.name]
    outer = scope.parent
    while outer is not None and outer.kind not in (MODULE, MAIN):
        parts.append(outer.name)
        outer = outer.parent
    return ".".join(reversed(parts))
