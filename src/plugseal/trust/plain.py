"""State as bytes and back: one JSON value, one way to write it.

What is written has ASCII keys and no floats, so that the standard encoder gives the bytes of RFC 8785 (a property
test); what is read must be those very bytes, so that no bit of a file is free.
"""

from __future__ import annotations

import json
from typing import Final, TypeAlias, Union

from plugseal.errors import StateError

Json: TypeAlias = Union[bool, int, str, "list[Json]", "dict[str, Json]", None]

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))


def render_plain(value: Json) -> bytes:
    """Return a value as canonical JSON.

    Raises:
        StateError: text in it is no Unicode (a path that is no UTF-8): what can't be written can't be trusted.
    """
    try:
        return _ENCODER.encode(value).encode("utf-8")
    except UnicodeEncodeError as error:
        raise StateError("a path or name that is not UTF-8 can't be recorded", hint="rename it") from error


def parse_plain(data: bytes) -> Json:
    """Return the value that `render_plain` wrote.

    Raises:
        StateError: the bytes are anything else, be it by a space.
    """
    try:
        value: Json = json.loads(data.decode("utf-8"), parse_float=_refuse, parse_constant=_refuse)
        if render_plain(value) == data:
            return value
    except (ValueError, RecursionError) as error:
        raise StateError("is not what plugseal writes") from error
    raise StateError("is not what plugseal writes")


def _refuse(text: str) -> Json:
    raise ValueError(text)
