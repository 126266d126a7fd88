"""Erase the types of classes and of parameters: modifiers, overloads, abstract and declared members."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.erasing.erasing import Edit, Notes, end_with_comma

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.parsing.parse import Node

_MODIFIERS: Final = frozenset("accessibility_modifier override_modifier readonly abstract declare".split())
_JOINS: Final = frozenset("[ * in instanceof".split())
"""Words that a class member may begin with and that go on with the field before it."""
_ACCESSORS: Final = frozenset("get set static accessor".split())
_PROPERTY: Final = frozenset("accessibility_modifier override_modifier readonly".split())


def erase_member(notes: Notes, node: Node) -> bool:
    """Note what a class member loses, and return whether the rest of it stays."""
    words = {child.type for child in node.children}
    if "accessor" in words:
        notes.fault(node, "`accessor` makes code")
        return False
    for child in node.children:
        if child.type in _MODIFIERS:
            notes.verify_same_line(child)
    if not words.isdisjoint(("declare", "abstract")):
        remove_member(notes, node)
        return False
    _erase_modifiers(notes, node)
    _erase_marks(notes, node)
    return True


def remove_member(notes: Notes, node: Node) -> None:
    """Note that a class member goes as a whole: it has no body."""
    if node.parent is None or node.parent.type != "class_body":
        notes.fault(node, "is no class member")
        return
    notes.remove(node)


def erase_parameter(notes: Notes, node: Node) -> bool:
    """Note what a parameter loses, and return whether the rest of it stays."""
    pattern = node.child_by_field_name("pattern")
    if pattern is not None and pattern.type == "this":
        notes.edits.append(Edit(node.start_byte, end_with_comma(node)))
        return False
    if any(child.type in _PROPERTY for child in node.children):
        notes.fault(node, "a parameter property makes code")
        return False
    for child in node.children:
        if child.type == "?":
            notes.blank(child)
    return True


def erase_abstract(notes: Notes, node: Node) -> None:
    """Note what an abstract class loses beside its members."""
    word = next(child for child in node.children if child.type == "abstract")
    notes.verify_same_line(word)
    notes.blank(word)


def _erase_modifiers(notes: Notes, node: Node) -> None:
    modifiers = [child for child in node.children if child.type in _MODIFIERS]
    if not modifiers:
        return
    begins = notes.text(next(child for child in node.children if child not in modifiers))
    joins = (begins[:1] in _JOINS or begins in _JOINS) and notes.stands_after_code(node)
    for number, modifier in enumerate(modifiers):
        notes.blank(modifier, first=";" if joins and number == 0 else "")


def _erase_marks(notes: Notes, node: Node) -> None:
    name, kind, ending = node.child_by_field_name("name"), node.child_by_field_name("type"), node.next_sibling
    marks = [child for child in node.children if child.type in ("?", "!")]
    is_bare_field = node.type == "public_field_definition" and node.child_by_field_name("value") is None
    if is_bare_field and name is not None and (ending is None or ending.type != ";"):
        erased = [*marks, *([] if kind is None else [kind])]
        if notes.text(name) in _ACCESSORS and erased:
            # `get` above `a() {}` would be an accessor.
            notes.blank(erased[0], first=";")
    for mark in marks:
        notes.blank(mark)
