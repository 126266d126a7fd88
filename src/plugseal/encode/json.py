"""Read JSON strictly: what two parsers could read differently is refused, with the place.

The standard parser makes the values; an own scanner, used for positions and when something is wrong, decides what the
fault is and where, so that messages are the same on every Python. The two accept the same documents (a property test).
Refused: duplicate keys (after escapes), NaN and infinities, numbers that overflow, lone surrogates, control characters
in strings, trailing commas and comments (unless asked for), anything after the value, and all that is over a limit.
"""

from __future__ import annotations

import json
import math
import re
from typing import TypeAlias, Union

from plugseal.encode.places import Node, Places
from plugseal.encode.text import decode_text, fault_at
from plugseal.errors import DataError
from plugseal.limits import MAX_DATA_BYTES, MAX_DATA_DEPTH, MAX_DATA_NODES, MAX_KEY_BYTES, MAX_NUMBER_DIGITS

Json: TypeAlias = Union[None, bool, int, float, str, "list[Json]", "dict[str, Json]"]

_STRING = r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"'
_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_TOKEN = re.compile(rf"({_STRING})|({_NUMBER})(?![0-9.eE+\-\w])|(true|false|null)(?!\w)|([\[\]{{}}:,])")
_SPACE = re.compile(r"[ \t\n\r]*")
_STRINGS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NOT_STRUCTURE = re.compile(r"[^\[\]{},]+")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_NOISE = re.compile(rf"({_STRING})|(//[^\n\r]*|/\*.*?\*/)", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"({_STRING})|,(?=[ \t\n\r]*[\]}}])")
_NOT_LINE_END = re.compile(r"[^\n\r]")


def parse_json(
    data: bytes,
    *,
    comments: bool = False,
    allow_mark: bool = True,
    max_bytes: int = MAX_DATA_BYTES,
    max_depth: int = MAX_DATA_DEPTH,
    max_nodes: int = MAX_DATA_NODES,
) -> Json:
    """Return the value of a JSON document.

    Args:
        data: the whole file.
        comments: whether comments and trailing commas are allowed, as in the settings of editors (JSONC).
        allow_mark: whether a byte order mark of UTF-8 may lead.
        max_bytes: limit of the file.
        max_depth: limit of nested arrays and objects.
        max_nodes: limit of values, keys not counted.

    Raises:
        DataError: the document is refused; it names line and column.
    """
    text = _text(data, comments, allow_mark, max_bytes)
    try:
        if _is_bounded(text, max_depth, max_nodes):
            value: Json = json.loads(
                text,
                object_pairs_hook=_unique,
                parse_constant=_refuse,
                parse_int=_integer,
                parse_float=_float,
            )
            if _SURROGATE.search(text) is None or not _has_surrogate(value):
                return value
    except (ValueError, RecursionError):
        pass
    _Scanner(text, max_depth, max_nodes).scan()
    raise DataError("not valid JSON")


def index_json(data: bytes, *, comments: bool = False) -> Places:
    """Return where the keys and values of a JSON document stand.

    Raises:
        DataError: as `parse_json`.
    """
    text = _text(data, comments, True, MAX_DATA_BYTES)
    return Places(text, _Scanner(text, MAX_DATA_DEPTH, MAX_DATA_NODES).scan())


def _text(data: bytes, comments: bool, allow_mark: bool, max_bytes: int) -> str:
    text = decode_text(data, max_bytes=max_bytes, allow_mark=allow_mark)
    return _without_comments(text) if comments else text


def _without_comments(text: str) -> str:
    """Blank out comments and trailing commas; every offset stays what it was."""
    text = _NOISE.sub(lambda m: m[1] or _NOT_LINE_END.sub(" ", m[2]), text)
    return _TRAILING_COMMA.sub(lambda m: m[1] or " ", text)


def _is_bounded(text: str, max_depth: int, max_nodes: int) -> bool:
    """Say whether nesting and number of values are within the limits, before the recursive parser sees the text."""
    structure = _NOT_STRUCTURE.sub("", _STRINGS.sub("", text))
    if structure.count(",") + structure.count("[") + structure.count("{") >= max_nodes:
        return False
    depth = 0
    for character in structure.replace(",", ""):
        depth += 1 if character in "[{" else -1
        if depth > max_depth:
            return False
    return True


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    result = dict(pairs)
    if len(result) != len(pairs) or any(len(key) > MAX_KEY_BYTES // 4 for key in result):
        raise ValueError
    return result
