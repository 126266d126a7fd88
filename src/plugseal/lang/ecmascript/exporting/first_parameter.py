"""What a function takes of its first parameter: the object by which a host lets it do things.

More is said rather than less: a parameter that is handed on, renamed or looked into by a computed key may be used for
everything. Another variable of the same name counts as the parameter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.exporting.export_nodes import string_of, text_of
from plugseal.lang.ecmascript.parsing.literals import unescape
from plugseal.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugseal.lang.ecmascript.parsing.parse import Node

EVERYTHING: Final = ("*", None)
_NAMES: Final = frozenset({"identifier", "shorthand_property_identifier"})
_TYPES: Final = frozenset({"type_annotation", "type_arguments", "type_parameters"})
_WRAPPERS: Final = frozenset({"non_null_expression", "parenthesized_expression"})


class _Use(NamedTuple):
    """A node with its name and what is around it: the tree would go from its root, or copy the file, for each."""

    node: Node
    name: str
    """Of a name; empty for all else."""
    around: _Use | None


def asks_of(function: Node, data: bytes) -> tuple[tuple[str, str | None], ...]:
    """Return each member of the first parameter that a function uses, with the text that it is called with.

    Args:
        function: its node.
        data: the file that the tree is of.
    """
    body = function.child_by_field_name("body")
    if body is None:
        return ()
    uses = list(_uses(body, data))
    found: set[tuple[str, str | None]] = set()
    if function.type != "arrow_function" and any(use.name == "arguments" for use in uses):
        found.add(EVERYTHING)
    pattern = _first(function)
    if pattern is not None:
        found.update(_of_pattern(pattern, uses))
    return tuple(sorted(found, key=lambda one: (one[0], one[1] is not None, one[1] or "")))


def _uses(body: Node, data: bytes) -> Iterator[_Use]:
    """Yield every name in a body that is no name of a property and of no type."""
    waiting = [_Use(body, "", None)]
    while waiting:
        use = waiting.pop()
        node = use.node
        if node.type in _NAMES:
            yield use._replace(name=unescape(data[node.start_byte : node.end_byte].decode("utf-8", "replace")))
        elif node.type not in _TYPES:
            waiting += [_Use(child, "", use) for child in node.children]


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


def _of_pattern(pattern: Node, uses: list[_Use]) -> Iterator[tuple[str, str | None]]:
    if pattern.type == "assignment_pattern":
        left = pattern.child_by_field_name("left")
        pattern = pattern if left is None else left
    if pattern.type == "identifier":
        name = text_of(pattern)
        yield from (_member(use) for use in uses if use.name == name)
    elif pattern.type == "object_pattern":
        parts = [part for part in pattern.named_children if part.type != "comment"]
        plain = {text_of(part) for part in parts if part.type == "shorthand_property_identifier_pattern"}
        yield from ((use.name, _called_with(use)) for use in uses if use.name in plain)
        yield from (_of_part(part) for part in parts if part.type != "shorthand_property_identifier_pattern")
    else:
        yield EVERYTHING


def _of_part(part: Node) -> tuple[str, str | None]:
    """Return what a part of a pattern takes under another name."""
    key = part.child_by_field_name("key") if part.type == "pair_pattern" else None
    return (text_of(key), None) if key is not None and key.type == "property_identifier" else EVERYTHING


def _member(use: _Use) -> tuple[str, str | None]:
    """Return the member that a use of the parameter takes, and the text that it is called with."""
    around = use.around
    while around is not None and around.node.type in _WRAPPERS:
        use, around = around, around.around
    if around is None or around.node.type != "member_expression":
        return EVERYTHING
    if around.node.child_by_field_name("object") != use.node:
        return EVERYTHING
    name = around.node.child_by_field_name("property")
    return EVERYTHING if name is None else (text_of(name), _called_with(around))


def _called_with(use: _Use) -> str | None:
    """Return the text that something is called with, None where it is not called, or with something else."""
    call = None if use.around is None else use.around.node
    if call is None or call.type != "call_expression" or call.child_by_field_name("function") != use.node:
        return None
    arguments = call.child_by_field_name("arguments")
    first = None if arguments is None or not arguments.named_children else arguments.named_children[0]
    return string_of(first) if first is not None and first.type in ("string", "template_string") else None
