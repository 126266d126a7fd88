"""Checked readings of plain JSON: a row, a text, one of some words, a place, a fact; anything else is refused.

What comes from a worker's pipe or a cache may be anything: every field is checked before it is believed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias, TypeVar

from plugseal.errors import DataError
from plugseal.model.capability import Capability, Channel, Fact, Resolution
from plugseal.model.location import Span

Json: TypeAlias = object
"""What the JSON decoder yields; each use narrows it."""
T = TypeVar("T")

_MAX_PLACE: Final = 2**31
_FACT_COLUMNS: Final = 9
RESOLUTIONS: Final = frozenset(r.value for r in Resolution)
_CAPABILITIES: Final = frozenset(c.value for c in Capability)
_CHANNELS: Final = frozenset(c.value for c in Channel)


def as_fact(value: Json) -> Fact:
    """Return a fact.

    Raises:
        DataError: it is anything else.
    """
    span, capability, thing, resolution, channel, trigger = as_row(value, 6)
    return Fact(
        as_span(span),
        as_one_of(capability, _CAPABILITIES),
        None if thing is None else as_text(thing),
        as_one_of(resolution, RESOLUTIONS),
        as_one_of(channel, _CHANNELS),
        as_text(trigger),
    )


def as_span(value: Json) -> Span:
    """Return a stretch of a file.

    Raises:
        DataError: it is anything else.
    """
    line, column, end_line, end_column = as_row(value, 4)
    return Span(as_place(line), as_place(column), as_place(end_line), as_place(end_column))


def as_row(value: Json, length: int) -> list[Json]:
    """Return a list of exactly so many values.

    Raises:
        DataError: it is anything else.
    """
    if not isinstance(value, list) or len(value) != length:
        raise DataError(f"malformed frame: no row of {length}")
    return value


def as_each(value: Json, parse: Callable[[Json], T]) -> tuple[T, ...]:
    """Return a list, each of its values checked.

    Raises:
        DataError: it is anything else.
    """
    if not isinstance(value, list):
        raise DataError("malformed frame: no list")
    return tuple([parse(item) for item in value])


def as_text(value: Json) -> str:
    """Return a text.

    Raises:
        DataError: it is anything else.
    """
    if not isinstance(value, str):
        raise DataError("malformed frame: no text")
    return value


def as_one_of(value: Json, known: frozenset[str]) -> str:
    """Return a text that is one of some words.

    Raises:
        DataError: it is anything else.
    """
    if not isinstance(value, str) or value not in known:
        raise DataError("malformed frame: unknown word")
    return value


def as_place(value: Json) -> int:
    """Return a number of lines, columns or characters.

    Raises:
        DataError: it is anything else.
    """
    if type(value) is not int or not 0 <= value < _MAX_PLACE:
        raise DataError("malformed frame: no place")
    return value


def as_fact_rows(value: Json) -> list[tuple[object, ...]]:
    """Return facts as `FactLog.rows` gives them, checked column by column: there may be hundreds of thousands.

    Raises:
        DataError: it is anything else.
    """
    if not isinstance(value, list) or {*map(type, value)} - {list} or {*map(len, value)} - {_FACT_COLUMNS}:
        raise DataError("malformed frame: no facts")
    if not value:
        return []
    *places, capabilities, objects, resolutions, channels, triggers = zip(*value, strict=True)
    is_sound = (
        all({*map(type, column)} == {int} and min(column) >= 0 and max(column) < _MAX_PLACE for column in places)
        and {*map(type, objects)} <= {str, type(None)}
        and {*map(type, triggers)} == {str}
        and all(
            {*map(type, column)} == {str} and known.issuperset(column)
            for column, known in ((capabilities, _CAPABILITIES), (resolutions, RESOLUTIONS), (channels, _CHANNELS))
        )
    )
    if not is_sound:
        raise DataError("malformed entry: facts")
    return list(map(tuple, value))
