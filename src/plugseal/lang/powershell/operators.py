"""The operators of PowerShell on values. Nothing is run; a pattern that is more than plain text is not followed."""

from __future__ import annotations

import re
from typing import Final

from plugseal.lang.folded import HOLE
from plugseal.lang.powershell.tables import type_name
from plugseal.lang.powershell.values import (
    MADE,
    MAX_LIST,
    MAX_TEXT,
    UNKNOWN,
    Item,
    Made,
    Many,
    TypeName,
    cut,
    flags_of,
    host_of,
    items_of,
    number_of,
    text_of,
)
from plugseal.patterns import lazy

_PLACE: Final = lazy(r"\{\{|\}\}|\{(\d{1,4})(?:,-?\d{1,3})?(?::[^{}]{0,20})?\}")
_SIMPLE: Final = lazy(r"(?:\\[\\.*+?^$|()\[\]{}/ -]|\[(?:[^\]\\^\[-]|\\.){1,40}\]|[^\\.*+?^$|()\[\]{}]|\|)+")
"""A pattern without repetitions and groups."""


def binary(sign: str, left: Item, right: Item) -> Item:
    """Return what an operator makes of two values."""
    if sign == "+":
        return _plus(left, right)
    if sign in ("-join", "-cjoin", "-ijoin"):
        return join(left, text_of(right))
    if sign == "-f":
        return fill(text_of(left), items_of(right) or (right,), left)
    if sign == "..":
        return _range(left, right)
    if sign == "*":
        return _times(left, right)
    if sign in ("-split", "-csplit", "-isplit"):
        return _split(left, right)
    if sign in ("-replace", "-ireplace", "-creplace"):
        return _replace(sign, left, right)
    if sign in ("-", "-bxor", "-band", "-bor", "/", "%", "-shl", "-shr"):
        return _number(sign, left, right)
    if sign == "-as":
        return cast("type", left) if right.value == TypeName("type") else left
    if sign in ("??", "?"):
        return right if sign == "?" else left
    return Item(HOLE, flags_of(left, right), host_of(left, right))


def _plus(left: Item, right: Item) -> Item:
    if isinstance(left.value, Many):
        more = items_of(right) or (right,)
        both = left.value.items + more
        return Item(Many(both) if len(both) <= MAX_LIST else HOLE, flags_of(left, right), host_of(left, right))
    if isinstance(left.value, int) and isinstance(right.value, int):
        return Item(left.value + right.value)
    return cut(text_of(left) + text_of(right), left, right, flags=MADE)


def join(given: Item, glue: str) -> Item:
    """Return the elements of a list as one text."""
    if isinstance(given.value, Made):
        return Item(HOLE, given.flags, given.host)
    items = items_of(given)
    if items is None:
        return Item(HOLE, given.flags, given.host)
    return cut(glue.join(text_of(item) for item in items), given, flags=MADE)


def fill(form: str, items: tuple[Item, ...], form_item: Item) -> Item:
    """Return a text whose places `{0}` are filled."""

    def one(found: re.Match[str]) -> str:
        if found[1] is None:
            return found[0][0]
        at = int(found[1])
        return text_of(items[at]) if at < len(items) else HOLE

    if len(form) + sum(len(text_of(item)) for item in items[:64]) * 8 > MAX_TEXT * 4:
        return UNKNOWN
    return cut(_PLACE.sub(one, form), form_item, *items[:64], flags=MADE)


def _range(left: Item, right: Item) -> Item:
    first, last = number_of(left), number_of(right)
    if first is None or last is None or abs(last - first) >= MAX_LIST:
        return UNKNOWN
    step = 1 if last >= first else -1
    return Item(Many(tuple(Item(number) for number in range(first, last + step, step))))


def _times(left: Item, right: Item) -> Item:
    count = number_of(right)
    if isinstance(left.value, str) and count is not None and count >= 0 and len(left.value) * count <= MAX_TEXT:
        return cut(left.value * count, left, flags=MADE)
    return _number("*", left, right)


def _split(left: Item, right: Item) -> Item:
    options = items_of(right) or (right,)
    separator = text_of(options[0]) if options else ""
    text = text_of(left)
    if not _SIMPLE.fullmatch(separator) or separator in ("", HOLE):
        return Item(HOLE, left.flags, left.host)
    parts = re.split(separator, text, flags=re.IGNORECASE)[:MAX_LIST]
    return Item(Many(tuple(Item(part, left.flags, left.host) for part in parts)), left.flags, left.host)


def _replace(sign: str, left: Item, right: Item) -> Item:
    given = items_of(right) or (right,)
    pattern, by = text_of(given[0]), text_of(given[1]) if len(given) > 1 else ""
    if isinstance(left.value, Many):
        return Item(HOLE, left.flags, left.host)
    return replaced(text_of(left), pattern, by, left, is_case=sign == "-creplace")


def replaced(text: str, pattern: str, by: str, item: Item, *, is_case: bool = False) -> Item:
    """Return a text in which a simple pattern is replaced, unknown where it is not simple."""
    if not pattern or HOLE in pattern or not _SIMPLE.fullmatch(pattern) or "$" in by:
        return Item(HOLE, item.flags, item.host)
    if len(by) > 64 and len(text) > 1024:
        return Item(HOLE, item.flags, item.host)
    try:
        made = re.sub(pattern, by.replace("\\", r"\\"), text, flags=0 if is_case else re.IGNORECASE)
    except re.error:
        return Item(HOLE, item.flags, item.host)
    return cut(made, item, flags=MADE)


def _number(sign: str, left: Item, right: Item) -> Item:
    one, two = number_of(left), number_of(right)
    if one is None or two is None or abs(one) > 1 << 62 or abs(two) > 1 << 62:
        return Item(HOLE, flags_of(left, right), host_of(left, right))
    if sign == "-":
        return Item(one - two, MADE)
    if sign == "*":
        return Item(one * two, MADE)
    if sign == "-bxor":
        return Item(one ^ two, MADE | (left.flags & ~1))
    if sign == "-band":
        return Item(one & two, MADE)
    if sign == "-bor":
        return Item(one | two, MADE)
    if sign in ("/", "%"):
        return Item(one // two if sign == "/" else one % two, MADE) if two else UNKNOWN
    if not 0 <= two < 64:
        return UNKNOWN
    return Item(one << two if sign == "-shl" else one >> two, MADE)


def element(target: Item, index: Item) -> Item:
    """Return an element, or several, of a list or a text."""
    places = items_of(index)
    value = target.value
    if not isinstance(value, (str, Many)) or value == HOLE or places is None:
        return Item(HOLE, target.flags, target.host)
    elements = value.items if isinstance(value, Many) else value
    found = []
    for place in places:
        at = number_of(place)
        if at is None:
            return Item(HOLE, target.flags, target.host)
        if -len(elements) <= at < len(elements):
            one = elements[at]
            one = Item(one, 0, target.host) if isinstance(one, str) else one
            found.append(one.marked(target.flags | MADE))
    if isinstance(index.value, Many):
        return Item(Many(tuple(found)), target.flags | MADE, target.host)
    return found[0] if found else UNKNOWN


_MADE_BY_CASTS: Final = frozenset(
    """
    scriptblock xml uri io.memorystream io.fileinfo io.directoryinfo directoryservices.directoryentry
    management.managementobject management.managementclass management.managementobjectsearcher
    """.split()
)
"""Types whose objects a cast makes of a text."""


def cast(kind: str, item: Item) -> Item:
    """Return a value as one of another type."""
    value = item.value
    if kind == "char":
        number = number_of(item)
        if number is not None and 0 <= number < 0x110000:
            return Item(chr(number), item.flags | MADE, item.host)
        return item
    if kind in ("char[]", "byte[]"):
        if isinstance(value, Many):
            return Item(Many(tuple(cast(kind[:-2], one) for one in value.items)), item.flags | MADE, item.host)
        if isinstance(value, str) and kind == "char[]" and value != HOLE:
            return Item(Many(tuple(Item(mark) for mark in value)), item.flags, item.host)
        return item
    if kind == "string":
        return cut(text_of(item), item) if not isinstance(value, Made) or value.type == "uri" else item
    if kind in ("int", "byte", "int32", "int64", "long", "uint32"):
        number = number_of(item)
        return item if number is None else Item(number, item.flags, item.host)
    if kind == "type" and isinstance(value, str) and value and HOLE not in value:
        return Item(TypeName(type_name(value)), item.flags, item.host)
    if kind in _MADE_BY_CASTS:
        return item if kind == "uri" else Item(Made(kind, (item,)), item.flags, item.host)
    return item
