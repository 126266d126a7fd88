"""Hand every use of a name that can matter to those who report it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from plugseal.lang.python.choosing.leading import roots
from plugseal.lang.python.collecting.names import REFLECTIVE
from plugseal.lang.python.collecting.scope import Scope
from plugseal.lang.python.judging.fields import FIELD, report_fields
from plugseal.lang.python.judging.leaving import kept_modules, leaving_modules, may_leave, passed_modules
from plugseal.lang.python.judging.shells import report_shell_switches
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.python.choosing.chosen import Chosen
    from plugseal.lang.python.collecting.bound import Bound
    from plugseal.lang.python.judging.judge import Judge
    from plugseal.lang.python.judging.places import Places
    from plugseal.lang.python.judging.uses import Uses
    from plugseal.lang.python.resolving.resolver import Resolver

_SHELL_SWITCH: Final = lazy(r"shell\s*=")


def examine(resolver: Resolver, judge: Judge, places: Places, bound: Bound, chosen: Chosen, uses: Uses) -> None:
    """Look at every scope."""
    leaving = may_leave(resolver, bound, chosen.imported)
    has_spaces = "__dict__" in places.text or "vars" in places.text
    leaves = False
    has_shell = _SHELL_SWITCH.search(places.text) is not None
    has_fields = FIELD.search(places.text) is not None and "format" in places.text
    for scope in resolver.scopes:
        uses.imports(scope)
        _calls(scope, chosen, uses)
        for decorator, target in scope.decorated:
            uses.decorator(decorator, target, scope)
        is_left = _reads(scope, chosen, uses, leaving)
        leaves = leaves or is_left
        if is_left or has_spaces:
            for left, module in leaving_modules(resolver, scope, leaving):
                judge.report.add(places.span(left), "code.reflective", module, "possible", scope.trigger)
        if has_shell:
            report_shell_switches(judge, places, scope)
        if has_fields:
            report_fields(resolver, judge, places, scope)
        for node in scope.subscripts:
            base = node.comparators[0] if isinstance(node, ast.Compare) else node.value
            if chosen.may_hold(base, scope):
                uses.subscript(node, base, scope)
    if leaves:
        for left, module, scope in (*kept_modules(resolver, leaving), *passed_modules(resolver, leaving)):
            judge.report.add(places.span(left), "code.reflective", module, "possible", scope.trigger)


def _calls(scope: Scope, chosen: Chosen, uses: Uses) -> None:
    """Hand on the calls that can matter; every call of a file passes here, so classes are compared by identity."""
    name_kind, attribute_kind, is_free = ast.Name, ast.Attribute, chosen.may_be_module
    is_module, stores, known = uses.judge.tables.is_module, uses.resolver.stores, scope.known
    called, bases, attributes, methods = chosen.called, chosen.bases, chosen.attributes, uses.judge.tables.methods
    any_name, local, watched = chosen.any_name, chosen.local, chosen.watched
    everything, held, leads = chosen.everything, chosen.held, chosen.leads
    quiet, only_imported, own = uses.quiet, chosen.only_imported, chosen.own_name(scope)
    for call in scope.calls:
        function = call.func
        kind = function.__class__
        if kind is name_kind:
            name = function.id  # type: ignore[attr-defined]  # the class was compared
            if name in quiet or not (any_name or name in called or (is_module(name) and is_free(name, scope))):
                continue
            if name == "getattr" and chosen.is_plain_getattr(call, scope):
                continue
            if uses.call(call, scope) and name in only_imported:
                quiet.add(name)
            continue
        if kind is not attribute_kind:
            uses.callees.add(function)
            uses.call(call, scope)
            continue
        last = function.attr  # type: ignore[attr-defined]  # as above
        base = function.value  # type: ignore[attr-defined]  # as above
        if base.__class__ is name_kind:
            name = base.id
            if (name, last) in quiet:
                continue
            if known.get(name) == () and last not in methods and last not in stores:
                continue  # The receiver is known to be unknown.
            if name in bases or (is_module(name) and is_free(name, scope)):
                if uses.call(call, scope) and name in only_imported:
                    quiet.add((name, last))
                continue
        if last in attributes or everything or last in methods or _is_inside(last, base, own):
            uses.call(call, scope)
            continue
        if last in held and leads.reaches(base, scope):
            uses.call(call, scope)
            continue
        while base.__class__ is attribute_kind:
            base = base.value
        if base.__class__ is name_kind and (base.id in bases or (is_module(base.id) and is_free(base.id, scope))):
            chain = _chain(function) if base.id in only_imported else ()
            if chain not in quiet and uses.call(call, scope) and chain and watched.isdisjoint(chain[1:-1]):
                quiet.add(chain)
        elif local and any(root in local for root in roots(base)):
            uses.call(call, scope)


def _is_own(base: ast.expr, own: str) -> bool:
    """Say whether a method is looked up in the object that a method of its class is called on, or in `super()`."""
    if isinstance(base, ast.Call):
        return isinstance(base.func, ast.Name) and base.func.id == "super"
    return isinstance(base, ast.Name) and base.id == own


def _is_inside(last: str, base: ast.expr, own: str | None) -> bool:
    """Say whether a method, or what it is called on, leads to the interpreter's inside or to another file's class."""
    if last in REFLECTIVE or (base.__class__ is ast.Attribute and base.attr in REFLECTIVE):
        return True
    return own is not None and _is_own(base, own)


def _chain(node: ast.expr) -> tuple[str, ...]:
    """Return the parts of a chain of attributes that begins with a name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return (node.id, *reversed(parts)) if isinstance(node, ast.Name) else ()


def _reads(scope: Scope, chosen: Chosen, uses: Uses, leaving: set[str]) -> bool:
    """Hand on the reads that can matter; return whether a module that may leave is among them."""
    name_kind, names, watched = ast.Name, chosen.names, chosen.watched
    only_imported, quiet, leaves = chosen.only_imported, uses.unread, False
    looked_for = chosen.looked_for
    loads = scope.loads if not looked_for.isdisjoint(scope.read) else ()
    for load in loads:
        if load.__class__ is name_kind:
            name = load.id
            if name in names:
                leaves = leaves or name in leaving
                if name not in quiet and uses.read(load, scope) and name in only_imported:
                    quiet.add(name)
        elif load.attr in watched:  # type: ignore[union-attr]  # as above
            uses.read(load, scope)
    for load in scope.aliases:
        last = load.id if isinstance(load, ast.Name) else load.attr
        if last in watched or last in names:
            leaves = leaves or last in leaving
            uses.read(load, scope, is_alias=True)
    return leaves
