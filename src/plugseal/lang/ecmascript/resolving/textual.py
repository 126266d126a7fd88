"""Whether an expression is surely a text, by the way it is written: what a timer is given runs as code where it is one.

A text whose content is not known is no `Text`; the last method that makes it, or the name that it is read from, tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.collecting.scope import node_of
from plugseal.lang.ecmascript.parsing import grammar as g
from plugseal.lang.ecmascript.resolving.values import Made
from plugseal.lang.folded import Text

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.scope import Binding, Scope
    from plugseal.lang.ecmascript.resolving.resolver import Resolver

_MAKING: Final = frozenset(
    b"join replace replaceAll substring substr toString toLowerCase toUpperCase trim charAt repeat fromCharCode"
    b" fromCodePoint padStart padEnd".split()
)
"""Methods that give a text and nothing else."""
_TURNING: Final = frozenset((b"String", b"atob", b"unescape", b"decodeURIComponent", b"decodeURI"))
"""Functions that do."""
_TEXTS: Final = frozenset(("fs.readFileSync()", "process.env[]", "process.argv[]"))
"""What gives a text, or is one."""
_ADDRESSES: Final = ("globals.location.", "globals.document.location.")
_PARTS: Final = frozenset("hash search href pathname".split())
"""Of an address: what is written in it."""


def is_textual(resolver: Resolver, given: tuple[Binding, Scope]) -> bool:
    """Say whether an argument is a text, known or not."""
    for value in resolver.bound(*given):
        written = value.name if isinstance(value, Made) else value
        if isinstance(value, Text) or (
            isinstance(written, str) and (written in _TEXTS or written.endswith(".text()") or _is_address(written))
        ):
            return True
    node = node_of(given[0])
    if node is None or resolver.grammar.codes[node.kind_id] != g.CALL:
        return False
    function = node.child_by_field_id(resolver.grammar.function)
    is_member = function is not None and resolver.grammar.codes[function.kind_id] == g.MEMBER
    name = function.child_by_field_id(resolver.grammar.property) if function is not None and is_member else function
    return name is not None and resolver.data[name.start_byte : name.end_byte] in (_MAKING if is_member else _TURNING)


def _is_address(name: str) -> bool:
    return name.startswith(_ADDRESSES) and name.rpartition(".")[2] in _PARTS
