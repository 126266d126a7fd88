"""Pick, from everything that the collector noted, what can matter, and hand it to the uses.

Most calls and reads of a file can't mean anything that a table knows, and their last name shows it: `text.append` is no
interface of any module that the file imports. This filter makes the reader fast; it depends on the file alone. Where a
file fetches modules by name at run time, nothing is filtered out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from plugseal.lang.python.names import BUILTIN_NAMES, REFLECTIVE
from plugseal.lang.python.scope import CLASS, Scope
from plugseal.lang.python.uses import Uses

if TYPE_CHECKING:
    from plugseal.lang.python.judge import Judge
    from plugseal.lang.python.places import Places
    from plugseal.lang.python.resolve import Resolver

_FETCHES: Final = ("__import__", "import_module", "modules[", "modules.", "__dict__", "__builtins__", "globals(")
_SHELL_SWITCH: Final = re.compile(r"shell\s*=")
_TELLING: Final = frozenset(("getattr", "setattr", "vars", "globals", "locals"))
_MODULE_METHODS: Final = frozenset(("__init__", "__call__"))


class Filter:
    """Which names of one file can lead to something that matters."""

    __slots__ = ("attributes", "everything", "names", "silent", "watched")

    def __init__(self, scopes: list[Scope], last_names: set[str], builtins: Iterable[str], text: str) -> None:
        self.everything = any(word in text for word in _FETCHES)
        """Whether modules may be reached whose names the file does not import."""
        imported, aliased, stored, bound = _bound_names(scopes, last_names)
        self.silent = BUILTIN_NAMES - set(builtins) - bound - _TELLING
        """Names of built-in functions that mean nothing here, and nothing else in this file."""
        self.names = imported | aliased | set(builtins)
        """Names that are worth looking at when they are only read."""
        self.watched = last_names | REFLECTIVE
        """Last parts of attribute chains that are worth looking at."""
        self.attributes = last_names | stored | _MODULE_METHODS
        """Last parts of called chains that are worth looking at, whatever the chain begins with."""


def examine(resolver: Resolver, judge: Judge, places: Places, last_names: set[str], text: str) -> Uses:
    """Look at every scope; return the uses, with the code in strings that was found."""
    chosen = Filter(resolver.scopes, last_names, judge.tables.builtins, text)
    uses = Uses(resolver, judge, places, last_names, single_imports(resolver.scopes))
    has_shell = _SHELL_SWITCH.search(text) is not None
    for scope in resolver.scopes:
        uses.imports(scope)
        _calls(scope, chosen, uses)
        for decorator, target in scope.decorated:
            uses.decorator(decorator, target, scope)
        _reads(scope, chosen, uses)
        if has_shell:
            uses.shell_switches(scope)
        for node in scope.subscripts:
            base = node.comparators[0] if isinstance(node, ast.Compare) else node.value
            if _may_hold(base, chosen):
                uses.subscript(node, base, scope)
    return uses


def _calls(scope: Scope, chosen: Filter, uses: Uses) -> None:
    """Hand on the calls that can matter."""
    name_kind, attribute_kind = ast.Name, ast.Attribute
    is_module, stores = uses.judge.tables.is_module, uses.resolver.stores
    silent, names, attributes, methods = chosen.silent, chosen.names, chosen.attributes, uses.judge.tables.methods
    for call in scope.calls:
        function = call.func
        kind = function.__class__
        if kind is name_kind:
            if function.id not in silent:  # type: ignore[attr-defined]  # the class was compared
                uses.call(call, scope)
        elif kind is not attribute_kind:
            uses.callees.add(function)
            uses.call(call, scope)
        else:
            last = function.attr  # type: ignore[attr-defined]  # the class was compared
            base = function.value  # type: ignore[attr-defined]  # as above
            if base.__class__ is name_kind and scope.known.get(base.id) == () and not (last in methods or last in stores):
                continue
            if last in attributes or last in methods or chosen.everything:
                uses.call(call, scope)
                continue
            while base.__class__ is attribute_kind:
                base = base.value
            if (base.__class__ is name_kind and (base.id in names or is_module(base.id))) or last in REFLECTIVE:
                uses.call(call, scope)


def _reads(scope: Scope, chosen: Filter, uses: Uses) -> None:
    """Hand on the reads that can matter."""
    name_kind, names, watched = ast.Name, chosen.names, chosen.watched
    for load in scope.loads:
        if load.__class__ is name_kind:
            if load.id in names:
                uses.read(load, scope)
        elif load.attr in watched:  # type: ignore[union-attr]  # as above
            uses.read(load, scope)
    for load in scope.aliases:
        last = load.id if isinstance(load, ast.Name) else load.attr
        if last in watched or last in names:
            uses.read(load, scope, is_alias=True)


def _may_hold(base: ast.expr, chosen: Filter) -> bool:
    if isinstance(base, ast.Name):
        return chosen.everything or base.id in chosen.names
    if isinstance(base, ast.Attribute):
        return base.attr in chosen.watched or base.attr == "__dict__"
    return True


def _bound_names(scopes: list[Scope], last_names: set[str]) -> tuple[set[str], set[str], set[str], set[str]]:
    """Return the names that imports bind, those bound to a chain that a table knows, attributes set, and all names."""
    imported: set[str] = set()
    aliased: set[str] = set()
    stored: set[str] = set()
    bound: set[str] = set()
    for scope in scopes:
        is_class = scope.kind == CLASS
        bound.update(scope.bindings)
        for name, bindings in scope.bindings.items():
            for binding in bindings:
                kind = binding.__class__
                if kind is str:
                    imported.add(name)
                elif kind is ast.Attribute and binding.attr in last_names:  # type: ignore[union-attr]  # compared
                    aliased.add(name)
                if is_class and not (kind is Scope and binding.kind != CLASS):  # type: ignore[union-attr]  # compared
                    stored.add(name)
        for store in scope.stores:
            stored.add(store.target.attr)
        stored.update(scope.attributes)
    return imported, aliased, stored, bound


def single_imports(scopes: list[Scope]) -> dict[str, str]:
    """Return the names that imports bind, with what they mean; an empty text where the file does not agree on it."""
    found: dict[str, str] = {}
    for scope in scopes:
        for name, bindings in scope.bindings.items():
            for binding in bindings:
                if binding.__class__ is str:
                    meaning = str(binding)
                    found[name] = meaning if found.get(name, meaning) == meaning else ""
    return found
