"""Functions that take text apart which stands for other text or values: escapes of addresses and pages, JSON, literals.

And those of `itertools` that are written where text is put together of pieces. All of it is bounded as everything is.
"""

from __future__ import annotations

import ast
import json
import urllib.parse
from collections.abc import Callable
from typing import Final, TypeAlias

from plugseal.lang.folded import MAX_ITEMS, MAX_TEXT, Text
from plugseal.lang.python.resolving.arguments import Given
from plugseal.lang.python.resolving.combine import items_of
from plugseal.lang.python.resolving.texts import plain
from plugseal.lang.python.resolving.values import AnyValue, Mapping, Sequence, Values

Function: TypeAlias = Callable[[Given], Values | None]
_MAX_LITERAL: Final = 4_096
_MAX_DEPTH: Final = 8


def _of_text(make: Callable[[str], str | bytes]) -> Function:
    def change(given: Given) -> Values | None:
        value = given.plain(0, "string", "s")
        if not isinstance(value, str) or len(value) > MAX_TEXT:
            return None
        try:
            result = make(value)
        except UnicodeError:
            return None  # half of a character, which has no bytes
        return (Text(result),) if len(result) <= MAX_TEXT else None

    return change


def _of_bytes(make: Callable[[bytes], bytes]) -> Function:
    def change(given: Given) -> Values | None:
        value = given.plain(0, "s")
        data = value.encode("utf-8", "replace") if isinstance(value, str) else value
        return (Text(make(data)),) if isinstance(data, bytes) and len(data) <= MAX_TEXT else None

    return change


def _unescape(text: str) -> str:
    import html  # few sources name a character of a page, and its list of them is long

    return html.unescape(text)


def _unquote(data: bytes) -> bytes:
    import quopri  # few sources hold a message

    return quopri.decodestring(data)


def _loads(given: Given) -> Values | None:
    """Return what a text of JSON holds, if it is short."""
    value = given.plain(0, "s")
    if not isinstance(value, (str, bytes)) or len(value) > _MAX_LITERAL:
        return None
    try:
        return _values(json.loads(value), 0)
    except (ValueError, RecursionError):
        return None


def _literal(given: Given) -> Values | None:
    """Return what the text of a literal stands for, if it is short."""
    value = given.plain(0)
    if not isinstance(value, str) or len(value) > _MAX_LITERAL:
        return None
    try:
        return _values(ast.literal_eval(value), 0)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None


def _values(value: object, depth: int) -> Values:
    if isinstance(value, (str, bytes, int, float)):
        return (Text(value),)
    if depth > _MAX_DEPTH:
        return ()
    if isinstance(value, (list, tuple)):
        return (Sequence(tuple(_values(one, depth + 1) for one in value)),)
    if isinstance(value, dict):
        return (Mapping(tuple((_values(key, depth + 1), _values(held, depth + 1)) for key, held in value.items())),)
    return ()


def translated(of: str, table: AnyValue) -> Text | None:
    """Return text with its characters changed by a table that is known: `str.maketrans`, or a dictionary of numbers."""
    if not isinstance(table, Mapping):
        return None
    known: dict[int, str | int | None] = {}
    for keys, values in table.pairs[:MAX_ITEMS]:
        key, is_given = plain(keys), bool(values)
        if isinstance(key, str) and len(key) == 1:
            key = ord(key)
        value = plain(values)
        if not isinstance(key, int) or (is_given and not isinstance(value, (str, int)) and value is not None):
            return None
        known[key] = value if isinstance(value, (str, int)) else None
    longest = max((len(value) for value in known.values() if isinstance(value, str)), default=1)
    if len(of) * longest > MAX_TEXT:
        return None  # before it is made
    try:
        return Text(of.translate(known))
    except (ValueError, OverflowError):
        return None  # a number that is no character


def _maketrans(given: Given) -> Values | None:
    """Return the table that `str.maketrans("ab", "xy", "dropped")` makes."""
    if not given.has(1):
        return given.values(0) or None
    left, right, dropped = given.plain(0), given.plain(1), given.plain(2) if given.has(2) else ""
    if not isinstance(left, str) or not isinstance(right, str) or not isinstance(dropped, str):
        return None
    if len(left) != len(right) or len(left) + len(dropped) > MAX_ITEMS:
        return None
    pairs: list[tuple[Values, Values]] = [
        ((Text(ord(one)),), (Text(other),)) for one, other in zip(left, right, strict=True)
    ]
    pairs.extend(((Text(ord(one)),), (Text(None),)) for one in dropped)
    return (Mapping(tuple(reversed(pairs))),)


def _cycle(given: Given) -> Values | None:
    """Return as many items as anything here can have."""
    for value in given.values(0):
        items = items_of(value)
        if items:
            given.resolver.fuel -= MAX_ITEMS // 16
            return (Sequence((items * (MAX_ITEMS // len(items) + 1))[:MAX_ITEMS]),)
    return None


def _chain(given: Given) -> Values | None:
    found: list[Values] = []
    for at in range(len(given.arguments.positional)):
        items = next((known for value in given.values(at) if (known := items_of(value)) is not None), None)
        if items is None or len(found) + len(items) > MAX_ITEMS:
            return None
        found.extend(items)
    return (Sequence(tuple(found)),)


def _chain_all(given: Given) -> Values | None:
    found: list[Values] = []
    for value in given.values(0)[:1]:
        for held in items_of(value) or ():
            items = next((known for one in held if (known := items_of(one)) is not None), None)
            if items is None or len(found) + len(items) > MAX_ITEMS:
                return None
            found.extend(items)
    return (Sequence(tuple(found)),) if found else None


UNESCAPING: Final[dict[str, Function]] = {
    "urllib.parse.unquote": _of_text(urllib.parse.unquote),
    "urllib.parse.unquote_plus": _of_text(urllib.parse.unquote_plus),
    "urllib.parse.unquote_to_bytes": _of_text(urllib.parse.unquote_to_bytes),
    "urllib.unquote": _of_text(urllib.parse.unquote),
    "html.unescape": _of_text(_unescape),
    "quopri.decodestring": _of_bytes(_unquote),
    "json.loads": _loads,
    "ast.literal_eval": _literal,
    "builtins.str.maketrans": _maketrans,
    "itertools.cycle": _cycle,
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": _chain_all,
}
"""By canonical name."""
