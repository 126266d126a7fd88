"""Small questions to the syntax tree of a script: what it exports, the names and the texts in a part of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.parsing.literals import unescape

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.parsing.parse import Node

IDENTIFIERS: Final = frozenset({"identifier", "shorthand_property_identifier"})


def defaults(statement: Node) -> Iterator[Node]:
    """Yield what a statement exports as the default: a value, a declaration, a name, or itself for another file's."""
    if statement.type != "export_statement":
        return
    if any(child.type == "default" for child in statement.children):
        value = statement.child_by_field_name("value") or statement.child_by_field_name("declaration")
        if value is not None:
            yield value
        return
    is_elsewhere = statement.child_by_field_name("source") is not None
    for node in walk(statement):
        if node.type == "export_specifier" and _exported_name(node) == "default":
            yield statement if is_elsewhere else node.child_by_field_name("name") or statement


def _exported_name(specifier: Node) -> str:
    name = specifier.child_by_field_name("alias") or specifier.child_by_field_name("name")
    if name is None:
        return ""
    return (string_of(name) or "") if name.type == "string" else text_of(name)


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all below it, without recursion: sources nest as deep as they like."""
    cursor = node.walk()
    while True:
        if cursor.node is not None:
            yield cursor.node
        if cursor.goto_first_child() or cursor.goto_next_sibling():
            continue
        while cursor.goto_parent():
            if cursor.goto_next_sibling():
                break
        else:
            return


def plain_names(target: Node | None) -> Iterator[Node]:
    """Yield the plain names that an assignment gives a new value, those in patterns too."""
    if target is None or target.type in ("member_expression", "subscript_expression"):
        return
    for node in walk(target):
        if node.type in IDENTIFIERS or node.type == "shorthand_property_identifier_pattern":
            yield node


def strings_in(node: Node) -> Iterator[str]:
    """Yield the texts that stand in a node; empty ones and those with values put in say nothing."""
    for part in walk(node):
        if part.type in ("string", "template_string"):
            text = string_of(part)
            if text:
                yield text


def string_of(node: Node) -> str | None:
    """Return the text of a string, None of a template with values put in."""
    if any(child.type == "template_substitution" for child in node.children):
        return None
    return unescape(raw_of(node)[1:-1])


def text_of(node: Node) -> str:
    """Return a node's source with escapes resolved, as of an identifier."""
    return unescape(raw_of(node))


def raw_of(node: Node) -> str:
    """Return a node's source as it stands."""
    return (node.text or b"").decode("utf-8", "replace")
