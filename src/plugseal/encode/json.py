"""Read JSON strictly: what two parsers could read differently is refused, with the place.

The standard parser makes the values; an own scanner, used for positions and when something is wrong, decides what the
fault is and where, so that messages are the same on every Python. The two accept the same documents (a property test).
Refused: duplicate keys (after escapes), NaN and infinities, numbers that overflow, lone surrogates, control characters
in strings, trailing commas and comments (unless asked for), anything after the value, and all that is over a limit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from plugseal.encode.json_scan import Scanner, has_surrogate, integer, is_long, real, without_escapes
from plugseal.encode.places import Places
from plugseal.encode.text import decode_text
from plugseal.encode.values import Json
from plugseal.errors import DataError
from plugseal.limits import MAX_DATA_BYTES, MAX_DATA_DEPTH, MAX_DATA_NODES
from plugseal.patterns import lazy

_STRINGS = lazy(r'"[^"]*"?')
"""A string once its escapes are gone. It ends with the text at the latest, so that no quote is tried twice: patterns
that know escapes take quadratic time or much memory on bombs."""
_NOT_STRUCTURE = lazy(r"[^\[\]{},]+")
_SURROGATE = lazy(r"\\u[dD][89a-fA-F]")
_NOISE = lazy(r'"[^"]*"?|(//[^\n\r]*)|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING_COMMA = lazy(r'"[^"]*"?|[\[{,][ \t\n\r]*,|(,)(?=[ \t\n\r]*[\]}])')
_NOT_LINE_END = lazy(r"[^\n\r]")


def parse_json(
    data: bytes,
    *,
    comments: bool = False,
    allow_mark: bool = True,
    max_bytes: int = MAX_DATA_BYTES,
    max_depth: int = MAX_DATA_DEPTH,
) -> Json:
    """Return the value of a JSON document.

    Args:
        data: the whole file.
        comments: whether comments and trailing commas are allowed, as in the settings of editors (JSONC).
        allow_mark: whether a byte order mark of UTF-8 may lead.
        max_bytes: limit of the file.
        max_depth: limit of nested arrays and objects.

    Raises:
        DataError: the document is refused; it names line and column.
    """
    text = _text(data, comments, allow_mark, max_bytes)
    try:
        if _is_bounded(text, max_depth):
            value: Json = json.loads(
                text,
                object_pairs_hook=_unique,
                parse_constant=_refuse,
                parse_int=integer,
                parse_float=real,
            )
            if _SURROGATE.search(text) is None or not _holds_surrogate(value):
                return value
    except (ValueError, RecursionError):
        pass
    Scanner(text, max_depth, MAX_DATA_NODES).scan()
    raise DataError("not valid JSON")


def index_json(data: bytes, *, comments: bool = False) -> Places:
    """Return where the keys and values of a JSON document stand.

    Raises:
        DataError: as `parse_json`.
    """
    text = _text(data, comments, True, MAX_DATA_BYTES)
    return Places(text, Scanner(text, MAX_DATA_DEPTH, MAX_DATA_NODES).scan())


def _text(data: bytes, comments: bool, allow_mark: bool, max_bytes: int) -> str:
    text = decode_text(data, max_bytes=max_bytes, allow_mark=allow_mark)
    return _without_comments(text) if comments else text


def _without_comments(text: str) -> str:
    """Blank out comments and trailing commas; every offset stays what it was."""
    text = _blanked(text, _NOISE.finditer(without_escapes(text)))
    return _blanked(text, _TRAILING_COMMA.finditer(without_escapes(text)))


def _blanked(text: str, matches: Iterator[re.Match[str]]) -> str:
    pieces = []
    last = 0
    for match in matches:
        noise = match[0]
        if match[1] or (len(noise) > 3 and noise.startswith("/*") and noise.endswith("*/")):
            pieces += [text[last : match.start()], _NOT_LINE_END.sub(" ", noise)]
            last = match.end()
    return "".join([*pieces, text[last:]])


def _is_bounded(text: str, max_depth: int) -> bool:
    """Say whether nesting and number of values are within the limits, before the recursive parser sees the text."""
    structure = _NOT_STRUCTURE.sub("", _STRINGS.sub("", without_escapes(text)))
    if structure.count(",") + structure.count("[") + structure.count("{") > MAX_DATA_NODES:
        return False
    depth = 0
    for character in structure.replace(",", ""):
        depth += 1 if character in "[{" else -1
        if depth > max_depth:
            return False
    return True


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    result = dict(pairs)
    if len(result) != len(pairs) or any(is_long(key) for key in result):
        raise ValueError
    return result


def _refuse(_: str) -> Json:
    raise ValueError


def _holds_surrogate(value: Json) -> bool:
    """Say whether any key or string of a value can't be written as UTF-8."""
    return has_surrogate(json.dumps(value, ensure_ascii=False))
