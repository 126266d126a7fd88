"""Assignments: to names, to properties and items; and names that are written with escapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugseal.lang.ecmascript.collecting.patterns import bind_target
from plugseal.lang.ecmascript.collecting.scope import Scope, Store, Stored, Within
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.parsing.literals import unescape

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.collect import Collector
    from plugseal.lang.ecmascript.collecting.noting import Collected
    from plugseal.lang.ecmascript.collecting.scope import Binding
    from plugseal.lang.ecmascript.parsing.parse import Node


def assign(collector: Collector, target: Node, value: Binding) -> None:
    """Note that a target is given a value."""
    while target.named_children and target.type in g.WRAPPERS:
        target = target.named_children[0]
    code = collector.grammar.codes[target.kind_id]
    if code == g.IDENTIFIER:
        collector.assigned.append((collector.text(target), value))
    elif code == g.MEMBER:
        _store(collector, target, target.child_by_field_id(collector.grammar.property), value)
    elif code == g.SUBSCRIPT:
        _store_item(collector, target, value)
    else:
        bind_target(collector, target, value, None)


def _store(collector: Collector, target: Node, name: Node | None, value: Binding) -> None:
    base = target.child_by_field_id(collector.grammar.object)
    if base is None or name is None:
        return
    text = collector.text(name)
    key = unescape(text.decode("utf-8", "replace")).encode("utf-8", "replace") if b"\\" in text else text
    collector.collected.stores.setdefault(key, []).append(Store(target, value, collector.scope))
    _push_base(collector, base)


def _store_item(collector: Collector, target: Node, value: Binding) -> None:
    base, index = target.child_by_field_id(collector.grammar.object), target.child_by_field_id(collector.grammar.index)
    if base is None or index is None:
        return
    if collector.grammar.codes[index.kind_id] == g.STRING:
        key = unescape(collector.text(index)[1:-1].decode("utf-8", "replace")).encode("utf-8", "replace")
        collector.collected.stores.setdefault(key, []).append(Store(target, value, collector.scope))
    else:
        collector.stack.append(index)
        collector.collected.item_stores.append(Store(target, value, collector.scope))
        if collector.grammar.codes[base.kind_id] == g.IDENTIFIER:
            collector.assigned.append((collector.text(base), Stored(index, value)))
    _push_base(collector, base)


def _push_base(collector: Collector, base: Node) -> None:
    """Look at what stands before an assigned property, unless it is a mere name or chain."""
    node: Node | None = base
    while node is not None and collector.grammar.codes[node.kind_id] == g.MEMBER:
        node = node.child_by_field_id(collector.grammar.object)
    if node is not None and collector.grammar.codes[node.kind_id] != g.IDENTIFIER:
        collector.stack.append(node)


def hand_over(collector: Collector, scope: Scope) -> None:
    """Give each assignment to the scope that declares the name; a name that none declares is the file's own."""
    root = collector.collected.root
    for name, binding in collector.assigned:
        owner: Scope | None = scope
        while owner is not None and name not in owner.bindings:
            owner = owner.parent
        if owner is scope:
            scope.bind(name, binding)
        else:
            (owner or root).bind(name, Within(binding, scope))
    collector.assigned = []


def unescape_names(collected: Collected) -> None:
    """Resolve the escapes in identifiers, which mean the same name as without."""
    for scope in collected.scopes:
        for at, call in enumerate(scope.calls):
            if b"\\" in call.last:
                scope.calls[at] = call._replace(last=_plain(call.last))
                collected.escaped_names.append((call.function, scope))
        for name in [name for name in scope.bindings if b"\\" in name]:
            scope.bindings.setdefault(_plain(name), []).extend(scope.bindings.pop(name))
        for at, call in enumerate(scope.calls):
            if call.root is not None and b"\\" in call.root:
                scope.calls[at] = call._replace(root=_plain(call.root))
                collected.escaped_names.append((call.function, scope))
        for at, (node, root) in enumerate(scope.loads):
            if root is not None and b"\\" in root:
                scope.loads[at] = (node, _plain(root))
                collected.escaped_names.append((node, scope))


def _plain(name: bytes) -> bytes:
    return unescape(name.decode("utf-8", "replace")).encode("utf-8", "replace")
