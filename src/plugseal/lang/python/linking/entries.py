"""Where a file is entered: import time, its main block, and functions that a framework registers."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugseal.lang.facts import EntryPoint
from plugseal.lang.python.collecting.bound import Bound
from plugseal.lang.python.collecting.scope import CLASS, MAIN, MODULE, Parameter, Scope
from plugseal.lang.python.resolving.values import Made

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolve import Resolver


def mark_entries(resolver: Resolver, bound: Bound) -> None:
    """Give functions that a known decorator registers the trigger of that registration."""
    entries = resolver.tables.entries
    if not entries:
        return
    last_names = {name.rpartition(".")[2] for name in entries}
    for scope in resolver.scopes:
        for decorator, target in scope.decorated:
            node = decorator.func if isinstance(decorator, ast.Call) else decorator
            last = node.attr if isinstance(node, ast.Attribute) else _meaning(resolver, getattr(node, "id", ""))
            if last not in last_names:
                continue
            for value in resolver.value(node, scope):
                name = value.name if isinstance(value, Made) else value
                if isinstance(name, str) and name in entries:
                    target.trigger = entries[name]
                    target.is_entered = True
                    _give(target, resolver.tables.given.get(name), bound)


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
