"""Hand every use of a name that can matter to those who report it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.choosing.handed import Handed
from plugseal.lang.ecmascript.choosing.leads import Leads
from plugseal.lang.ecmascript.choosing.surroundings import Surroundings
from plugseal.lang.ecmascript.collecting.owners import owner_of
from plugseal.lang.ecmascript.collecting.patterns import GUARDED
from plugseal.lang.ecmascript.collecting.scope import CLASS, Imported, Scope
from plugseal.lang.ecmascript.judging.leaving import report_leaving
from plugseal.lang.ecmascript.judging.loading import report_import
from plugseal.lang.ecmascript.judging.setting import report_attribute, report_stores
from plugseal.lang.ecmascript.judging.unresolved import examine_unresolved
from plugseal.lang.ecmascript.judging.uses import SHELL_TAG
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.resolving.names import ENVIRONMENT
from plugseal.lang.ecmascript.resolving.values import AnyValue, Made, Sequence, Values
from plugseal.lang.facts import Event
from plugseal.lang.folded import Text
from plugseal.limits import KIB
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.choosing.chosen import Chosen
    from plugseal.lang.ecmascript.collecting.noting import Export
    from plugseal.lang.ecmascript.collecting.scope import Call
    from plugseal.lang.ecmascript.judging.judge import Judge
    from plugseal.lang.ecmascript.judging.uses import Uses
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_CONSTRUCTOR: Final = b"constructor"
_EVERYDAY: Final = frozenset(
    b"split slice replace replaceAll join map filter push pop shift unshift splice includes startsWith endsWith trim"
    b" toString indexOf concat find findIndex some every reduce sort keys values entries forEach has add toLowerCase"
    b" toUpperCase match test padStart padEnd repeat substring charAt flatMap flat at reverse then catch"
    b" finally".split()
)
"""Methods of texts, arrays and promises: of a module only where what stands before them is one itself."""
_MAX_END: Final = 256
_LOOKS_PER_LONG: Final = 16
_LARGE_BYTES: Final = 256 * KIB
"""Files above are bundles, whose names mostly lead back into them: there it pays to ask more before resolving."""
_STAYING: Final = frozenset((b"default", b"__proto__", b"prototype", b"constructor"))
"""Properties that are the thing itself."""
_SPARE_FUEL: Final = 8_000
"""What is left, once all else is spent, for what names a known thing in so many words; and as much for exports."""
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
    sieve = _Sieve(resolver, uses, leads, chosen)
    sieve.sift()
    if resolver.fuel < 0:
        resolver.refuel(_SPARE_FUEL)
        examine_unresolved(resolver, uses, leads, chosen)
        resolver.refuel(_SPARE_FUEL)
    for node, scope in collected.members:
        _membership(uses, node, scope)
    for node, scope in collected.withs:
        judge.report.add(uses.places.span(node), "code.obfuscated", None, "possible", scope.trigger)
    report_leaving(uses)
    report_stores(uses, leads)
    if b"setAttribute" in resolver.data:
        for scope in collected.scopes:
            for call in scope.calls:
                if call.last == b"setAttribute":
                    report_attribute(uses, call, scope)


class _Sieve:
    """Hands on the calls and reads of one file that can matter; most can't, which is to be told at a glance."""

    def __init__(self, resolver: Resolver, uses: Uses, leads: Leads, chosen: Chosen) -> None:
        self._resolver = resolver
        self._codes = resolver.grammar.codes
        self._uses = uses
        self._leads = leads
        self._handed = Handed(leads, resolver)
        self._is_large = len(resolver.data) > _LARGE_BYTES
        self._surroundings = Surroundings(resolver, uses.judge.interest)
        self._chosen = chosen
        # What is read of the environment may stand under another name in the file.
        self._has_environment = b"env" in resolver.data or b"process" in resolver.data
        self._read: dict[bytes, bool] = {}
        """Whether a chain, as it is written, holds a name that matters where it is read."""
        self._referred: dict[bytes, bool] = {}
        """Whether it holds one that counts by being read alone."""

    def sift(self) -> None:
        """Look at every scope, as long as there is fuel: in a large file at what is called before what is read."""
        passes = ((self.calls,), (self.reads,)) if self._is_large else ((self.calls, self.reads),)
        scopes, resolver = self._resolver.collected.scopes, self._resolver
        for looks in passes:
            for scope in scopes:
                resolver.spend((len(scope.calls) + len(scope.loads)) * (8 + scope.depth) // (8 * len(passes)))
                if resolver.fuel < 0:
                    return
                for look in looks:
                    look(scope)

    def calls(self, scope: Scope) -> None:
        """Hand on the calls whose beginning may lead somewhere, and whose end is a name that may be known."""
        is_open, hand_on, resolver = self._leads.is_open, self._uses.call, self._resolver
        for call in scope.calls:
            if resolver.fuel < 0:
                return
            if is_open or (self._may_end(call, scope) and self._may_begin(call, scope)):
                hand_on(call, scope)
            elif call.last == SHELL_TAG:
                self._uses.shell_tag(call, scope)

    def _may_end(self, call: Call, scope: Scope) -> bool:
        """Say whether a call ends in a name that may be known; what a mere name is called stays to be seen."""
        _, function, root, last = call
        kind = self._codes[function.kind_id]
        if kind == g.IDENTIFIER:
            return not _is_own(root, scope)
        if kind != g.MEMBER or last in self._chosen.names or self._leads.is_key(last):
            return True
        if self._holds(function, self._chosen.references, self._referred):
            return True
        return root is not None and self._leads.is_local(root, scope)

    def _may_begin(self, call: Call, scope: Scope) -> bool:
        """Say whether a call begins with what may lead somewhere, or else ends in a name that tells enough."""
        leads, stores = self._leads, self._resolver.stores
        _, function, root, last = call
        if root is None:
            return leads.chain(function, scope) or last in self._chosen.methods or last in leads.stored()
        if not leads.name(root, scope):
            return last in self._chosen.methods or last == _CONSTRUCTOR or (last in stores and last in leads.stored())
        if (last in _EVERYDAY and not leads.is_named(root, scope)) or not self._handed.name(root, scope):
            return False
        if last == _CONSTRUCTOR:
            return True
        # In this order: what was found out before decides what else the budgets allow to be found out.
        return _acts(self._resolver.name(root, scope)) or last in self._chosen.methods or last in stores

    def reads(self, scope: Scope) -> None:
        """Hand on the reads whose beginning may lead somewhere."""
        leads, hand_on, codes, resolver = self._leads, self._uses.read, self._codes, self._resolver
        if leads.is_open:
            for node, _ in scope.loads:
                if resolver.fuel < 0:
                    return
                hand_on(node, scope)
            return
        cold: set[bytes] = set()
        quiet: set[int] = set()
        for node, root in scope.loads:
            if resolver.fuel < 0:
                return
            is_member = codes[node.kind_id] == g.MEMBER
            if is_member and not self._may_name(node, root):
                continue
            if root is None:
                if leads.chain(node, scope):
                    hand_on(node, scope)
            elif root not in cold and leads.is_named(root, scope) and self._handed.name(root, scope):
                if is_member and self._is_large and not self._may_mean(node, root, scope):
                    continue
                values = self._resolver.name(root, scope)
                if id(values) in quiet:
                    continue
                if _stands_for_name(values):
                    hand_on(node, scope)
                else:
                    quiet.add(id(values))
            else:
                cold.add(root)
                if is_member and self._is_stored(node):
                    hand_on(node, scope)

    def _may_name(self, node: Node, root: bytes | None) -> bool:
        """Say whether a chain that is read holds a name that matters; of the environment any name does."""
        return (root is not None and self._has_environment) or self._holds(node, self._chosen.reads, self._read)

    def _may_mean(self, node: Node, root: bytes, scope: Scope) -> bool:
        """Say whether a chain of something known may mean anything: by a name in it, or as any of the environment."""
        if self._holds(node, self._chosen.reads, self._read) or self._surroundings.is_named(root, scope):
            return True
        name = node.child_by_field_id(self._resolver.grammar.property)
        last = self._resolver.data[name.start_byte : name.end_byte] if name is not None else b""
        return last in _STAYING or self._leads.is_key(last) or self._is_stored(node)

    def _is_stored(self, node: Node) -> bool:
        """Say whether a chain holds a property that was given something that may matter."""
        stored = self._leads.stored()
        return len(stored) > 0 and not stored.isdisjoint(_words(self._resolver.data, node.start_byte, node.end_byte))

    def _holds(self, node: Node, wanted: frozenset[bytes], known: dict[bytes, bool]) -> bool:
        """Say whether a chain holds one of some names; those that are written alike are looked at once."""
        data, start, end = self._resolver.data, node.start_byte, node.end_byte
        if end - start > 2 * _MAX_END:
            self._resolver.spend(_LOOKS_PER_LONG)
            return not wanted.isdisjoint(_words(data, start, end))
        written = data[start:end]
        holds = known.get(written)
        if holds is None:
            holds = known[written] = not wanted.isdisjoint(_WORD.findall(written))
        return holds


def _words(data: bytes, start: int, end: int) -> list[bytes]:
    """Return the names in a chain; of a long one those at its ends, since its inner links are looked at themselves."""
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
    owner = owner_of(name, scope) if name is not None else None
    bindings = owner.bindings[name] if owner is not None and name is not None else []
    return len(bindings) == 1 and isinstance(bindings[0], Scope) and bindings[0].kind != CLASS and name not in GUARDED


def _passed_on(uses: Uses, value: object, node: object) -> None:
    """Report a name that the file passes on from another module."""
    from plugseal.lang.ecmascript.judging.judge import Site

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
