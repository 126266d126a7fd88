"""Whether a name may lead to the environment, or to another file of the tree: the same questions, from fewer starts.

Of most things that tables know only some properties mean anything, and these are known by their names. Any property of
the environment is a variable, and any property of another file may be anything: what may lead to neither of them need
not be resolved to see that `.length` of it is no fact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.choosing.leads import Leads
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.parsing.literals import unescape
from plugseal.lang.ecmascript.resolving.names import GLOBAL_THIS, INTEROP

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.scope import Scope
    from plugseal.lang.ecmascript.parsing.parse import Node

_GLOBALS: Final = ("process", "globals.require", "globals.import", "globals.module", "globals.exports", "bun", "Bun")
_HOLDERS: Final = frozenset(("process", "bun", "shelljs"))
"""Modules of which the environment is a property."""
_LOADERS: Final = frozenset((b"require", b"import"))
_INTEROP: Final = frozenset(name.encode() for name in INTEROP)


class Surroundings(Leads):
    """The questions of `Leads` for the environment and for other files alone."""

    def _global(self, name: bytes) -> bool:
        values = self._resolver.unbound(name)
        return name in _INTEROP or any(
            isinstance(one, str) and (one == GLOBAL_THIS or one.startswith(_GLOBALS) or "Bun" in one) for one in values
        )

    def module(self, module: str) -> bool:
        """Say whether the environment, or another file, may be had from a module."""
        return module.startswith(".") or self._resolver.tables.module_named(module) in _HOLDERS

    def _call(self, call: Node, scope: Scope, results: bool) -> bool:
        function = call.child_by_field_id(self._grammar.function)
        given = call.child_by_field_id(self._grammar.arguments)
        if function is not None and given is not None and self._last(function) in _LOADERS and given.named_child_count:
            first = given.named_child(0)
            if first is not None and self._grammar.codes[first.kind_id] == g.STRING:
                return self.module(unescape(self._resolver.text_at(first)[1:-1]))
        return super()._call(call, scope, results)
