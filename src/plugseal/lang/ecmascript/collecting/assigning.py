"""What becomes of assignments once a scope is known whole, and of names that are written with escapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugseal.lang.ecmascript.collecting.scope import Scope, Within
from plugseal.lang.ecmascript.parsing.literals import unescape_name

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.noting import Collected
    from plugseal.lang.ecmascript.collecting.walk import Walk


def hand_over(walk: Walk, scope: Scope) -> None:
    """Give each assignment to the scope that declares the name; a name that none declares is the file's own."""
    root = walk.collected.root
    for name, binding in walk.assigned:
        owner: Scope | None = scope
        while owner is not None and name not in owner.bindings:
            owner = owner.parent
        if owner is scope:
            scope.bind(name, binding)
        else:
            (owner or root).bind(name, Within(binding, scope))
    walk.assigned = []


def unescape_names(collected: Collected) -> None:
    """Resolve the escapes in identifiers, which mean the same name as without."""
    for scope in collected.scopes:
        for at, call in enumerate(scope.calls):
            if b"\\" in call.last:
                scope.calls[at] = call._replace(last=unescape_name(call.last))
                collected.escaped_names.append((call.function, scope))
        for name in [name for name in scope.bindings if b"\\" in name]:
            scope.bindings.setdefault(unescape_name(name), []).extend(scope.bindings.pop(name))
        for at, call in enumerate(scope.calls):
            if call.root is not None and b"\\" in call.root:
                scope.calls[at] = call._replace(root=unescape_name(call.root))
                collected.escaped_names.append((call.function, scope))
        for at, (node, root) in enumerate(scope.loads):
            if root is not None and b"\\" in root:
                scope.loads[at] = (node, unescape_name(root))
                collected.escaped_names.append((node, scope))
