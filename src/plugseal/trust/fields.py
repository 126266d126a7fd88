"""Read the fields of stored JSON strictly: exact keys, exact types, nothing more and nothing less."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from plugseal.errors import StateError
from plugseal.patterns import lazy
from plugseal.trust.plain import Json

_DIGEST: Final = lazy(r"\A[0-9a-f]{64}\Z", re.ASCII)
_INCARNATION: Final = lazy(r"\A[0-9a-f]{32}\Z", re.ASCII)
_TIME: Final = lazy(r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z", re.ASCII)


def table(value: Json, keys: Iterable[str]) -> dict[str, Json]:
    """Return a table that has exactly these keys.

    Raises:
        StateError: it is anything else.
    """
    wanted = set(keys)
    if not isinstance(value, dict):
        raise StateError("is not what plugseal writes: no table where one belongs")
    if value.keys() != wanted:
        odd = sorted(value.keys() ^ wanted)[0][:40]
        raise StateError(f"is not what plugseal writes: `{odd}` is {'unknown' if odd in value else 'missing'}")
    return value


def rows(value: Json) -> list[Json]:
    """Return a list.

    Raises:
        StateError: it is anything else.
    """
    if not isinstance(value, list):
        raise _wrong("list")
    return value


def text(value: Json) -> str:
    """Return text.

    Raises:
        StateError: it is anything else.
    """
    if not isinstance(value, str):
        raise _wrong("text")
    return value


def optional_text(value: Json) -> str | None:
    """Return text or None.

    Raises:
        StateError: it is anything else.
    """
    return None if value is None else text(value)


def number(value: Json) -> int:
    """Return a whole number from 0 on.

    Raises:
        StateError: it is anything else.
    """
    if type(value) is not int or value < 0:
        raise _wrong("number")
    return value


def truth(value: Json) -> bool:
    """Return true or false.

    Raises:
        StateError: it is anything else.
    """
    if type(value) is not bool:
        raise _wrong("true or false")
    return value


def digest(value: Json) -> str:
    """Return a SHA-256 in hex.

    Raises:
        StateError: it is anything else.
    """
    if _DIGEST.match(text(value)) is None:
        raise _wrong("digest")
    return text(value)


def incarnation(value: Json) -> str:
    """Return 32 hex digits.

    Raises:
        StateError: it is anything else.
    """
    if _INCARNATION.match(text(value)) is None:
        raise _wrong("incarnation")
    return text(value)


def moment(value: Json) -> str:
    """Return a time as `YYYY-MM-DDThh:mm:ssZ`.

    Raises:
        StateError: it is anything else.
    """
    if _TIME.match(text(value)) is None:
        raise _wrong("time")
    return text(value)


def _wrong(what: str) -> StateError:
    return StateError(f"is not what plugseal writes: no {what} where one belongs")
