"""JSON that is signed: strict on the way in, one way to write it, without a library from outside.

Values have ASCII keys and no floats, so that the standard encoder gives the bytes of RFC 8785 (a property test). What
two parsers could read differently is refused: doubled keys, NaN, floats, lone surrogates, integers past 2**53 - 1.
"""

from __future__ import annotations

import json
from typing import Final, TypeAlias, Union

from plugseal.errors import DataError
from plugseal.limits import MAX_DATA_DEPTH

_MARK: Final = b"\xef\xbb\xbf"
_MAX_INTEGER: Final = 2**53 - 1
"""As in `encode.canonical`, which is not loaded for its sake."""
PlainJson: TypeAlias = Union[bool, int, str, "list[PlainJson]", "dict[str, PlainJson]", None]


def render_signed_json(value: PlainJson) -> bytes:
    """Return the canonical bytes of a value.

    Raises:
        DataError: it has none.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
        return text.encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise DataError("holds text that is no Unicode") from error


def parse_signed_json(data: bytes, *, max_bytes: int) -> PlainJson:
    """Return the value of JSON in any layout, with or without a byte order mark.

    Raises:
        DataError: it is no JSON, or two parsers could read it differently.
    """
    if len(data) > max_bytes:
        raise DataError(f"is larger than {max_bytes:,} bytes")
    try:
        value: PlainJson = json.loads(
            data.removeprefix(_MARK).decode("utf-8"),
            object_pairs_hook=_unique,
            parse_float=_refuse,
            parse_constant=_refuse,
            parse_int=_integer,
        )
        if data.count(b"[") + data.count(b"{") > MAX_DATA_DEPTH and _is_deep(value):
            raise ValueError("too deep")
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise DataError("is not the JSON that is expected") from error
    return value


def parse_canonical(data: bytes, *, max_bytes: int) -> PlainJson:
    """Return the value of JSON that must be exactly its canonical bytes.

    Raises:
        DataError: it is anything else, be it by a space.
    """
    value = parse_signed_json(data, max_bytes=max_bytes)
    if render_signed_json(value) != data:
        raise DataError("is not in canonical form")
    return value


def _is_deep(value: PlainJson) -> bool:
    """Say whether a value nests deeper than any document of ours; how deep parsers go differs among Pythons."""
    level: list[PlainJson] = [value]
    for _ in range(MAX_DATA_DEPTH):
        lists = [item for item in level if isinstance(item, list)]
        objects = [item for item in level if isinstance(item, dict)]
        level = [below for item in lists for below in item] + [below for item in objects for below in item.values()]
        if not level:
            return False
    return True


def _unique(pairs: list[tuple[str, PlainJson]]) -> dict[str, PlainJson]:
    result = dict(pairs)
    if len(result) != len(pairs) or not all(key.isascii() for key in result):
        raise ValueError
    return result


def _integer(text: str) -> int:
    # Digits are counted first: a long number takes quadratic time. `-0` is another spelling of 0.
    value = int(text) if len(text) <= 17 else _MAX_INTEGER + 1
    if not -_MAX_INTEGER <= value <= _MAX_INTEGER or text == "-0":
        raise ValueError(text)
    return value


def _refuse(text: str) -> PlainJson:
    raise ValueError(text)
