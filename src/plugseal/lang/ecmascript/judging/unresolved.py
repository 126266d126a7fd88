"""What a file that is too large to be resolved says in so many words: calls and reads that begin with a known name.

Bundles have tens of thousands of calls, most of which lead into the bundle again. Where the budget ran out over those,
what begins with a global, an import, the process or a variable that holds what `require` gave is looked at all the
same. Each use has its own small budget: none can take what the others need.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.owners import owner_of
from plugseal.lang.ecmascript.collecting.scope import Imported, Rest, Scope, Taken, Within, node_of
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugseal.lang.ecmascript.choosing.chosen import Chosen
    from plugseal.lang.ecmascript.choosing.leads import Leads
    from plugseal.lang.ecmascript.collecting.scope import Binding
    from plugseal.lang.ecmascript.judging.uses import Uses
    from plugseal.lang.ecmascript.parsing.parse import Node
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_FUEL_PER_USE: Final = 200
_MAX_BINDINGS: Final = 4
_MAX_PARTS: Final = 4
_KNOWN: Final = lazy(rb"(?:await\s+)?(?:[\w$]{1,40}\(\s*)?(?:require|import)\s*\(|(?:globalThis\.)?process\b")
_DETACHED: Final = lazy(rb"\(0,\s*([\w$]{1,80})\b")
_EVERYDAY: Final = frozenset(
    b"Object Array String Number Boolean Math JSON Symbol Promise Date Map Set WeakMap WeakSet RegExp Error TypeError"
    b" Uint8Array parseInt parseFloat isNaN undefined console arguments NaN Infinity RangeError".split()
)
"""Globals that every file uses and that do nothing by themselves."""


def examine_unresolved(resolver: Resolver, uses: Uses, leads: Leads, chosen: Chosen) -> None:
    """Look at each call and read that begins with a known name.

    Args:
        resolver: of the file, with the fuel that there is for it.
        uses: who reports.
        leads: which names may lead anywhere.
        chosen: the last names that are looked for.
    """
    plain = _Plain(resolver, leads)
    for scope in resolver.collected.scopes:
        resolver.spend(len(scope.calls) + len(scope.loads) >> 2)
        for call in scope.calls:
            begins = call.root if call.root is not None else _first_name(resolver, call.function)
            if begins is not None and (call.last in chosen.names or call.last == begins) and plain.name(begins, scope):
                _within_budget(resolver, partial(uses.call, call, scope))
        for node, root in scope.loads:
            if root is not None and plain.name(root, scope):
                _within_budget(resolver, partial(uses.read, node, scope))
        if resolver.fuel < 0:
            return


def _first_name(resolver: Resolver, function: Node) -> bytes | None:
    """Return the name that `(0, name.member)` begins with, by which bundlers call what they imported."""
    found = _DETACHED.match(resolver.data, function.start_byte, function.end_byte)
    return found[1] if found is not None else None


def _within_budget(resolver: Resolver, use: Callable[[], None]) -> None:
    """Let one use be looked at with no more fuel than one may take."""
    before = resolver.fuel
    if before < 0:
        return
    resolver.fuel = min(before, _FUEL_PER_USE)
    allowed = resolver.fuel
    use()
    resolver.fuel = before - (allowed - resolver.fuel) - 1


class _Plain:
    """Which names stand for a known thing by the way they are bound; with the answers so far."""

    def __init__(self, resolver: Resolver, leads: Leads) -> None:
        self._resolver = resolver
        self._leads = leads
        self._known: dict[tuple[bytes, Scope | None], bool] = {}

    def name(self, name: bytes, scope: Scope) -> bool:
        """Say whether a name, read in a scope, is a global, an import, what `require` gave, or of `process`."""
        owner = owner_of(name, scope)
        key = (name, owner)
        known = self._known.get(key)
        if known is None:
            if owner is None:
                known = name not in _EVERYDAY and self._leads.name(name, scope)
            else:
                known = any(self._binding(one) for one in owner.bindings[name][:_MAX_BINDINGS])
            self._known[key] = known
        return known

    def _binding(self, binding: Binding) -> bool:
        for _ in range(_MAX_PARTS):
            if isinstance(binding, Within):
                binding = binding.binding
            elif isinstance(binding, (Taken, Rest)):
                binding = binding.source
            else:
                break
        if isinstance(binding, Imported):
            return not binding.module.startswith(".")
        node = node_of(binding)
        return node is not None and _KNOWN.match(self._resolver.data, node.start_byte, node.end_byte) is not None
