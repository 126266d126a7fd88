"""Hand every use of a name that can matter to those who report it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript import grammar as g
from plugseal.lang.ecmascript.loading import report_import
from plugseal.lang.ecmascript.names import ENVIRONMENT
from plugseal.lang.ecmascript.scope import Imported, Scope
from plugseal.lang.ecmascript.setting import report_stores
from plugseal.lang.ecmascript.values import Made, Text
from plugseal.lang.facts import Event

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.judge import Judge
    from plugseal.lang.ecmascript.resolve import Resolver
    from plugseal.lang.ecmascript.uses import Uses

_CONSTRUCTOR: Final = b"constructor"


def examine(resolver: Resolver, judge: Judge, uses: Uses) -> None:
    """Look at every scope."""
    collected = resolver.collected
    methods = {name.encode() for name in judge.tables.methods}
    for one in collected.imports:
        report_import(uses, one.module, one.names, one.node, resolver.root)
        if judge.interest.imports:
            _event(uses, one.module, one.names, one.node)
    for export in collected.exports:
        if isinstance(export.binding, Imported) and export.node is not None:
            for value in resolver.bound(export.binding, export.scope):
                _passed_on(uses, value, export.node)
    stored = collected.stores
    for scope in collected.scopes:
        for call in scope.calls:
            root = call.root
            if root is not None and call.last != _CONSTRUCTOR:
                known = scope.known.get(root)
                if known is None:
                    known = resolver.name(root, scope)
                if not known and call.last not in methods and call.last not in stored:
                    continue
            uses.call(call, scope)
        _reads(resolver, scope, uses)
    for node, scope in collected.members:
        _membership(uses, node, scope)
    for node, scope in collected.withs:
        judge.report.add(uses.places.span(node), "code.obfuscated", None, "possible", scope.trigger)
    report_stores(uses)


def _reads(resolver: Resolver, scope: Scope, uses: Uses) -> None:
    """Hand on the reads whose beginning may lead somewhere."""
    stored = resolver.stores
    grammar, codes = resolver.grammar, resolver.grammar.codes
    for node, root in scope.loads:
        if root is not None:
            known = scope.known.get(root)
            if known is None:
                known = resolver.name(root, scope)
            if not known:
                if not stored or codes[node.kind_id] != g.MEMBER:
                    continue
                name = node.child_by_field_id(grammar.property)
                if name is None or resolver.data[name.start_byte : name.end_byte] not in stored:
                    continue
        uses.read(node, scope)


def _passed_on(uses: Uses, value: object, node: object) -> None:
    """Report a name that the file passes on from another module."""
    from plugseal.lang.ecmascript.judge import Site

    name = value.name if isinstance(value, Made) else value
    if isinstance(name, str) and "#" not in name:
        verdict = uses.judge.verdict(name)
        if verdict.matters:
            span = uses.places.span(node)  # type: ignore[arg-type]  # a node
            uses.judge.read(Site(span, name, None, None, "resolved", "unknown"), verdict)


def _membership(uses: Uses, node: object, scope: Scope) -> None:
    """Report `"NAME" in process.env`."""
    grammar = uses.grammar
    left = node.child_by_field_id(grammar.left)  # type: ignore[attr-defined]  # a node
    right = node.child_by_field_id(grammar.right)  # type: ignore[attr-defined]  # as above
    if left is None or right is None or ENVIRONMENT not in uses.resolver.value(right, scope):
        return
    keys = [one.value for one in uses.resolver.value(left, scope) if isinstance(one, Text)]
    for key in [key for key in keys if isinstance(key, str)] or (None,):
        uses.judge.report.add(uses.places.span(node), "env.read", key, "resolved", scope.trigger)  # type: ignore[arg-type]  # as above


def _event(uses: Uses, module: str, names: tuple[str, ...], node: object) -> None:
    interest, report = uses.judge.interest, uses.judge.report
    bare = uses.judge.tables.module_named(module)
    for name in (bare, *(f"{bare}.{one}" for one in names)):
        if name in interest.imports:
            span = uses.places.span(node)  # type: ignore[arg-type]  # a node
            report.events.append(Event("import", name, span, (), (), "direct", "import"))
