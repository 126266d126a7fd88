"""The modules of a bundle, by the numbers or names that they have in it.

Packers put each module into a function that is given itself, what it exports, and what gives it other modules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from plugseal.lang.ecmascript.collecting.scope import Parameter, Scope, node_of
from plugseal.lang.ecmascript.parsing.literals import unescape

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.noting import Collected
    from plugseal.lang.ecmascript.parsing.parse import Node

_MAX_MODULES: Final = 20_000
GIVER: Final = 2
"""The place of the parameter that gives a module others."""
Modules: TypeAlias = "dict[str, list[tuple[Node, Scope]]]"


def bundled_modules(collected: Collected) -> Modules:
    """Return what each module of a bundle gives as a whole, by its number or name; empty for other files."""
    found: Modules = {}
    for store in collected.stores.get(b"exports", ())[:_MAX_MODULES]:
        node, function = node_of(store.value), store.scope
        if node is None or not 0 < function.parameters <= GIVER + 1:
            continue
        key = _key_of(collected, function)
        base = store.target.child_by_field_id(collected.grammar.object)
        if key and base is not None and _is_first(collected, base, function):
            found.setdefault(key, []).append((node, function))
    return found


def _key_of(collected: Collected, function: Scope) -> str:
    """Return the name of the property that a function is; empty where it is none."""
    node = function.node
    if node.type == "method_definition":
        key = node.child_by_field_id(collected.grammar.name)
    else:
        holder = node.parent
        while holder is not None and holder.type == "parenthesized_expression":
            holder = holder.parent
        if holder is None or holder.type != "pair":
            return ""
        key = holder.child_by_field_id(collected.grammar.key)
    return text_of_key(collected.data, key) if key is not None else ""


def text_of_key(data: bytes, node: Node) -> str:
    """Return the number or name that a key is."""
    text = data[node.start_byte : node.end_byte].decode("utf-8", "replace")
    return unescape(text[1:-1]) if node.type == "string" else text


def _is_first(collected: Collected, base: Node, function: Scope) -> bool:
    bindings = function.bindings.get(collected.data[base.start_byte : base.end_byte], ())
    return any(isinstance(one, Parameter) and one.position == 0 for one in bindings)
