"""Functions that are handed on and not called, and other names for them: `gsub(x, os.execute)`, `alias run system`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugseal.lang.scripts.parse import Node
    from plugseal.lang.scripts.values import Values
    from plugseal.lang.shell.parsing.source import Source

MEMBERS: Final = frozenset(("dot_index_expression", "bracket_index_expression"))
_TABLES: Final = frozenset("os io debug package".split())
"""Tables of Lua that hold what reaches outside: one that is handed on as a whole may be used for anything."""
_HOLDING: Final = frozenset(("arguments", "field"))
_NAMING: Final = frozenset(("alias_method", "define_method", "define_singleton_method"))
_SAME: Final = (".to_proc()", ".unbind()", ".bind()", ".curry()", ".bind_call")
"""What gives the same function again."""


def is_handed_on(node: Node) -> bool:
    """Say whether a member, or a table as a whole, is an argument, held in a table, or put into a field of one."""
    parent = node.parent
    if parent is None:
        return False
    if parent.type == "expression_list" and node.type in MEMBERS:
        statement = parent.parent
        targets = statement.children[0] if statement is not None and statement.child_count else None
        return targets is not None and any(one.type in MEMBERS for one in targets.named_children)
    return parent.type in _HOLDING and parent.child_by_field_name("name") != node


def is_table(node: Node, source: Source, values: Values) -> bool:
    """Say whether a name of Lua is one of the tables that reach outside."""
    text = source.of(node)
    return text in _TABLES and text not in values.assigned


def names_of(node: Node, source: Source) -> Iterator[tuple[str, str]]:
    """Yield (new name, old name) of Ruby's `alias new old` and of what makes a method of another one."""
    if node.type == "alias":
        new, old = (node.child_by_field_name(field) for field in ("name", "alias"))
        if new is not None and old is not None:
            yield source.of(new).lstrip(":"), source.of(old).lstrip(":")
        return
    method, given = node.child_by_field_name("method"), node.child_by_field_name("arguments")
    if method is not None and given is not None and given.named_child_count > 1 and source.of(method) in _NAMING:
        new, old = given.named_children[:2]
        if old.type == "simple_symbol":
            yield source.of(new).lstrip(":"), source.of(old).lstrip(":")
        elif old.type in ("call", "block_argument"):
            calls = (one for one in _inner_calls(old) if source.of(one).startswith(_OBJECTS))
            inner = next((given for one in calls if (given := one.child_by_field_name("arguments"))), None)
            if inner is not None and inner.named_child_count == 1:
                yield source.of(new).lstrip(":"), source.of(inner.named_children[0]).lstrip(":")


_OBJECTS: Final = ("method(", "Kernel.method(", "Kernel.instance_method(", "instance_method(")


def _inner_calls(node: Node) -> Iterator[Node]:
    inner: Node | None = node
    for _ in range(4):
        if inner is None:
            return
        if inner.type == "call":
            yield inner
        inner = inner.child_by_field_name("receiver") or (
            inner.named_children[0] if inner.type == "block_argument" and inner.named_child_count else None
        )


def without_detours(name: str) -> str:
    """Return the name of a function without what gives the same one again: `system.to_proc`."""
    for _ in range(4):
        found = next((suffix for suffix in _SAME if name.endswith(suffix) and len(name) > len(suffix)), None)
        if found is None:
            return name
        name = name.removesuffix(found)
    return name
