"""The words of a list: an array, a table, `qw`, what a variable was given, and lists spread into another one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE

if TYPE_CHECKING:
    from plugseal.lang.scripts.parse import Node
    from plugseal.lang.scripts.value import Evaluation

_LISTS: Final = frozenset(
    "array string_array symbol_array array_creation_expression anonymous_array_expression list_expression "
    "quoted_word_list table_constructor parenthesized_expression".split()
)
_VARIABLES: Final = frozenset(("identifier", "constant", "variable_name", "scalar", "array", "instance_variable"))
_TARGETS: Final = frozenset(("list_literal", "left_assignment_list"))
_AROUND: Final = frozenset(
    ("list_expression", "parenthesized_expression", "array_creation_expression", "array", "right_assignment_list")
)
_SPREADS: Final = frozenset(("splat_argument", "variadic_unpacking", "array_deref_expression"))
_MAX_DEPTH: Final = 8
_MAX_WORDS: Final = 200


def words_of(node: Node, values: Evaluation, depth: int = 0) -> list[str] | None:
    """Return the words of a list, with holes; None for what is none, or none that is known."""
    if depth > _MAX_DEPTH:
        return None
    if node.type in _SPREADS and node.named_child_count:
        return words_of(node.named_children[-1], values, depth + 1)
    if node.type in _VARIABLES and not _is_literal(node):
        given = values.last_given(node)
        return words_of(given, values, depth + 1) if given is not None else None
    if node.type not in _LISTS:
        return None
    if node.type == "quoted_word_list":
        content = node.child_by_field_name("content")
        return (content.text or b"").decode("utf-8", "replace").split()[:_MAX_WORDS] if content is not None else []
    if node.type == "parenthesized_expression" and node.named_child_count == 1:
        inner = node.named_children[0]
        return words_of(inner, values, depth + 1) if inner.type in _LISTS or inner.type == "array" else None
    return [word for child in node.named_children[:_MAX_WORDS] for word in _item(child, values, depth)]


def assigned_by(left: Node, right: Node) -> list[tuple[Node, Node]]:
    """Return the variables of an assignment, each with what it is given: those of `[$f, $c] = ['a', 'b']` by place."""
    names, given = _inside(left), _inside(right)
    is_listed = left.type == "variable_declaration" and any(child.type == "(" for child in left.children)
    if left.type not in _TARGETS and not is_listed:
        return [(left, right)]
    if len(given) != len(names) or right.type not in _AROUND:
        return []
    return [
        (name, one.named_children[-1] if one.type == "array_element_initializer" else one)
        for name, one in zip(names, given, strict=True)
    ]


def _inside(node: Node) -> list[Node]:
    """Return what stands in a list, behind brackets."""
    for _ in range(_MAX_DEPTH):
        inner = node.named_children
        if len(inner) != 1 or inner[0].type not in _AROUND:
            break
        node = inner[0]
    return node.named_children[:_MAX_WORDS]


def is_spread(node: Node) -> bool:
    """Say whether an argument is a list whose words become arguments."""
    return node.type in _SPREADS or (node.type == "array" and not _is_literal(node))


def _is_literal(node: Node) -> bool:
    """Say whether Ruby's `[…]` is meant, which has the name of Perl's `@a`."""
    return node.type == "array" and node.child_count > 0 and node.children[0].type == "["


def _item(child: Node, values: Evaluation, depth: int) -> Iterator[str]:
    if child.type == "array_element_initializer" and child.named_child_count:
        child = child.named_children[-1]
    elif child.type == "field":
        name, value = child.child_by_field_name("name"), child.child_by_field_name("value")
        if value is None or (name is not None and (name.text or b"") != b"args"):
            return
        if name is not None:
            yield from words_of(value, values, depth + 1) or ()
            return
        child = value
    if child.type == "list_expression" or is_spread(child):
        inner = words_of(child, values, depth + 1)
        yield from inner if inner is not None else (HOLE,)
        return
    text = values.value(child, depth + 1).text
    yield HOLE if text is None else text
