"""What a function takes of its first parameter: the object by which a host lets it do things.

More is said rather than less: a parameter that is handed on, renamed or looked into by a computed key may be used for
everything. Another variable of the same name counts as the parameter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.export_nodes import string_of, text_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugseal.lang.ecmascript.parse import Node

EVERYTHING: Final = ("*", None)
_NAMES: Final = frozenset({"identifier", "shorthand_property_identifier"})
_TYPES: Final = frozenset({"type_annotation", "type_arguments", "type_parameters"})


def asks_of(function: Node) -> tuple[tuple[str, str | None], ...]:
    """Return each member of the first parameter that a function uses, with the text that it is called with.

    Args:
        function: its node.
    """
    body = function.child_by_field_name("body")
    pattern = _first(function)
    if body is None:
        return ()
    found: set[tuple[str, str | None]] = set()
    if function.type != "arrow_function" and any(
        node.type == "identifier" and _is(node, "arguments") for node in walk(body)
    ):
        found.add(EVERYTHING)
    if pattern is not None:
        found.update(_of_pattern(pattern, body))
    return tuple(sorted(found, key=lambda one: (one[0], one[1] is not None, one[1] or "")))


def _first(function: Node) -> Node | None:
    single = function.child_by_field_name("parameter")
    if single is not None:
        return single
    parameters = function.child_by_field_name("parameters")
    named = [] if parameters is None else [child for child in parameters.named_children if child.type != "comment"]
    named = [child for child in named if (child.child_by_field_name("pattern") or child).type != "this"]
    if not named:
        return None
    return named[0].child_by_field_name("pattern") or named[0]


def _of_pattern(pattern: Node, body: Node) -> Iterator[tuple[str, str | None]]:
    if pattern.type == "assignment_pattern":
        left = pattern.child_by_field_name("left")
        pattern = pattern if left is None else left
    if pattern.type == "identifier":
        yield from (_member(node) for node in _uses(body, text_of(pattern)))
    elif pattern.type == "object_pattern":
        for part in pattern.named_children:
            yield from _of_part(part, body)
    else:
        yield EVERYTHING


def _of_part(part: Node, body: Node) -> Iterator[tuple[str, str | None]]:
    if part.type == "shorthand_property_identifier_pattern":
        name = text_of(part)
        yield from ((name, _called_with(node)) for node in _uses(body, name))
    elif part.type == "pair_pattern":
        key = part.child_by_field_name("key")
        is_plain = key is not None and key.type == "property_identifier"
        yield (text_of(key), None) if key is not None and is_plain else EVERYTHING
    elif part.type != "comment":
        yield EVERYTHING


def _uses(body: Node, name: str) -> Iterator[Node]:
    return (node for node in walk(body) if node.type in _NAMES and _is(node, name) and not _is_type(node))


def _is(node: Node, name: str) -> bool:
    return text_of(node) == name


def _is_type(node: Node) -> bool:
    return node.parent is not None and node.parent.type in _TYPES


def _member(node: Node) -> tuple[str, str | None]:
    """Return the member that a use of the parameter takes, and the text that it is called with."""
    parent = node.parent
    while parent is not None and parent.type in ("non_null_expression", "parenthesized_expression"):
        node, parent = parent, parent.parent
    if parent is None or parent.type != "member_expression" or parent.child_by_field_name("object") != node:
        return EVERYTHING
    name = parent.child_by_field_name("property")
    return EVERYTHING if name is None else (text_of(name), _called_with(parent))


def _called_with(function: Node) -> str | None:
    call = function.parent
    if call is None or call.type != "call_expression" or call.child_by_field_name("function") != function:
        return None
    arguments = call.child_by_field_name("arguments")
    first = None if arguments is None or not arguments.named_children else arguments.named_children[0]
    return string_of(first) if first is not None and first.type in ("string", "template_string") else None
