"""Hand every use of a name that can matter to those who report it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript import grammar as g
from plugseal.lang.ecmascript.leads import Leads
from plugseal.lang.ecmascript.loading import report_import
from plugseal.lang.ecmascript.names import ENVIRONMENT
from plugseal.lang.ecmascript.patterns import GUARDED
from plugseal.lang.ecmascript.scope import CLASS, Imported, Scope
from plugseal.lang.ecmascript.setting import report_stores
from plugseal.lang.ecmascript.values import AnyValue, Made, Sequence, Text, Values
from plugseal.lang.facts import Event
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.chosen import Chosen
    from plugseal.lang.ecmascript.judge import Judge
    from plugseal.lang.ecmascript.noting import Export
    from plugseal.lang.ecmascript.parse import Node
    from plugseal.lang.ecmascript.resolve import Resolver
    from plugseal.lang.ecmascript.uses import Uses

_CONSTRUCTOR: Final = b"constructor"
_EVERYDAY: Final = frozenset(
    b"split slice replace replaceAll join map filter push pop shift unshift splice includes startsWith endsWith trim"
    b" toString indexOf concat find findIndex some every reduce sort keys values entries forEach has add toLowerCase"
    b" toUpperCase match test padStart padEnd repeat substring charAt flatMap flat at reverse then catch"
    b" finally".split()
)
"""Methods of texts, arrays and promises: of a module only where what stands before them is one itself."""
_MAX_END: Final = 256
_WORD: Final = lazy(rb"[\w$]+")


def examine(resolver: Resolver, judge: Judge, uses: Uses, chosen: Chosen) -> None:
    """Look at every scope.

    Args:
        resolver: of the file.
        judge: the tables' word on its names.
        uses: who reports.
        chosen: the last names that are looked for.
    """
    collected = resolver.collected
    for one in collected.imports:
        report_import(uses, one.module, one.names, one.node, resolver.root)
        if judge.interest.imports:
            _event(uses, one.module, one.names, one.node)
    for export in collected.exports:
        if isinstance(export.binding, Imported) and export.node is not None:
            for value in resolver.bound(export.binding, export.scope):
                _passed_on(uses, value, export.node)
                _pass_on_all(uses, value, export)
    leads = Leads(resolver, judge.interest)
    for scope in collected.scopes:
        _calls(resolver, scope, uses, leads, chosen)
        _reads(resolver, scope, uses, leads, chosen)
    for node, scope in collected.members:
        _membership(uses, node, scope)
    for node, scope in collected.withs:
        judge.report.add(uses.places.span(node), "code.obfuscated", None, "possible", scope.trigger)
    report_stores(uses, leads)


def _calls(resolver: Resolver, scope: Scope, uses: Uses, leads: Leads, chosen: Chosen) -> None:
    """Hand on the calls whose beginning may lead somewhere, and whose end is a name that may be known."""
    known, is_open, codes = scope.known, leads.is_open, resolver.grammar.codes
    names, references, data = chosen.names, chosen.references, resolver.data
    methods = chosen.methods
    for call in scope.calls:
        root, last = call.root, call.last
        if is_open:
            uses.call(call, scope)
            continue
        kind = codes[call.function.kind_id]
        if kind == g.IDENTIFIER:
            if _is_own(root, scope):
                continue
        elif kind == g.MEMBER and last not in names and not leads.is_key(last):
            words = _words(data, call.function)
            if references.isdisjoint(words) and not (root is not None and leads.is_local(root, scope)):
                continue
        if root is None:
            if leads.chain(call.function, scope) or last in methods or last in leads.stored():
                uses.call(call, scope)
            continue
        if not leads.name(root, scope):
            if (
                last not in methods
                and last != _CONSTRUCTOR
                and (last not in resolver.stores or last not in leads.stored())
            ):
                continue
        elif (last in _EVERYDAY and not leads.is_named(root, scope)) or not leads.handed.name(root, scope):
            continue
        elif last != _CONSTRUCTOR:
            values = known.get(root)
            if values is None:
                values = resolver.name(root, scope)
            if not _acts(values) and last not in methods and last not in resolver.stores:
                continue
        uses.call(call, scope)


def _words(data: bytes, node: Node) -> list[bytes]:
    """Return the names in a chain; of a long one those at its ends, since its inner links are looked at themselves."""
    start, end = node.start_byte, node.end_byte
    if end - start <= 2 * _MAX_END:
        return _WORD.findall(data, start, end)
    return _WORD.findall(data, start, start + _MAX_END) + _WORD.findall(data, end - _MAX_END, end)


def _acts(values: Values) -> bool:
    """Say whether calling a method of one of some values can matter: of mere texts and arrays it can't."""
    return any(value.__class__ is not Text and value.__class__ is not Sequence for value in values)


def _stands_for_name(values: Values) -> bool:
    """Say whether one of some values is or holds something by its name: results and texts are only data."""
    return any(value.__class__ is not Text and value.__class__ is not Made for value in values)


def _is_own(name: bytes | None, scope: Scope) -> bool:
    """Say whether a name is one function of the file and nothing else: calling it is no fact."""
    owner: Scope | None = scope
    while owner is not None and (name not in owner.bindings or owner.kind == CLASS):
        owner = owner.parent
    bindings = owner.bindings[name] if owner is not None and name is not None else []
    return len(bindings) == 1 and isinstance(bindings[0], Scope) and bindings[0].kind != CLASS and name not in GUARDED


def _reads(resolver: Resolver, scope: Scope, uses: Uses, leads: Leads, chosen: Chosen) -> None:
    """Hand on the reads whose beginning may lead somewhere."""
    codes, is_open = resolver.grammar.codes, leads.is_open
    known, names, data = scope.known, chosen.reads, resolver.data
    quiet: set[int] = set()
    # What is read of the environment under another name has any name.
    has_environment = b"env" in data or b"process" in data
    for node, root in scope.loads:
        if is_open:
            uses.read(node, scope)
            continue
        is_member = codes[node.kind_id] == g.MEMBER
        if is_member and names.isdisjoint(_words(data, node)) and not (has_environment and root is not None):
            continue
        if root is None:
            if leads.chain(node, scope):
                uses.read(node, scope)
        elif leads.is_named(root, scope) and leads.handed.name(root, scope):
            values = known.get(root)
            if values is None:
                values = resolver.name(root, scope)
            if id(values) not in quiet:
                if _stands_for_name(values):
                    uses.read(node, scope)
                else:
                    quiet.add(id(values))
        elif is_member and resolver.stores and not leads.stored().isdisjoint(_words(data, node)):
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


def _pass_on_all(uses: Uses, value: AnyValue, export: Export) -> None:
    """Report that the file passes on everything that a module has, as what importing it suggests."""
    capability = uses.judge.tables.imported(value) if export.name == "*" and isinstance(value, str) else None
    if capability is not None and export.node is not None and not str(value).endswith("#"):
        uses.judge.report.add(uses.places.span(export.node), capability, None, "possible", "unknown")


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
