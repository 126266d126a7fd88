"""An inventory as bytes and back, for the cache: plain JSON, each field checked against the type that the model gives.

Law: `parse_inventory(render_inventory(inventory)) == inventory`.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from plugseal.errors import DataError
from plugseal.model.factlog import FactLog
from plugseal.model.inventory import Inventory
from plugseal.scan.checked import Json, as_each, as_fact_rows, as_row, as_text
from plugseal.scan.wire import parse_json, render_json


def render_inventory(inventory: Inventory) -> bytes:
    """Return an inventory as JSON bytes."""
    return render_json(_plain(inventory))


def parse_inventory(data: bytes) -> Inventory:
    """Return the inventory that `render_inventory` wrote.

    Raises:
        DataError: the bytes are anything else.
    """
    inventory: Inventory = _reader_of(Inventory)(parse_json(data))
    return inventory


def _plain(value: Any) -> Json:  # whatever the model is made of
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, FactLog):
        return [[file, value.rows(file)] for file in value.files()]
    if is_dataclass(value):
        return [_plain(getattr(value, each.name)) for each in fields(value)]
    raise TypeError(f"no plain form of {type(value).__name__}")


@lru_cache(maxsize=256)
def _reader_of(hint: Any) -> Callable[[Json], Any]:  # a type, as the model writes it
    """Return what makes a value of a type of plain data, or raises `DataError`."""
    if hint is str:
        return as_text
    if hint in (int, bool, types.NoneType):
        return lambda value: _exactly(value, hint)
    if hint is FactLog:
        return _facts
    if get_origin(hint) in (Union, types.UnionType):
        return _reader_of_optional(hint)
    if get_origin(hint) is tuple:
        return _reader_of_tuple(get_args(hint))
    if issubclass(hint, Enum):
        return lambda value: _member(value, hint)
    names = [each.name for each in fields(hint)] if is_dataclass(hint) else list(hint._fields)
    return _reader_of_row(hint, names)


def _reader_of_row(of: Any, names: list[str]) -> Callable[[Json], Any]:  # a class of the model
    hints = get_type_hints(of)
    readers = [_reader_of(hints[name]) for name in names]
    count = len(readers)

    def read(value: Json) -> Any:
        return of(*[reader(item) for reader, item in zip(readers, as_row(value, count), strict=True)])

    return read


def _reader_of_tuple(of: tuple[Any, ...]) -> Callable[[Json], Any]:
    if len(of) == 2 and of[1] is Ellipsis:
        each = _reader_of(of[0])
        return lambda value: as_each(value, each)
    readers = [_reader_of(hint) for hint in of]
    return lambda value: tuple(reader(item) for reader, item in zip(readers, as_row(value, len(readers)), strict=True))


def _reader_of_optional(hint: Any) -> Callable[[Json], Any]:  # `X | None`; the model has no other union
    (some,) = (arm for arm in get_args(hint) if arm is not types.NoneType)
    reader = _reader_of(some)
    return lambda value: None if value is None else reader(value)


def _exactly(value: Json, of: type) -> Json:
    if type(value) is not of:
        raise DataError("malformed entry: value")
    return value


def _member(value: Json, of: type[Enum]) -> Enum:
    try:
        return of(value)
    except ValueError as error:
        raise DataError("malformed entry: unknown word") from error


def _facts(value: Json) -> FactLog:
    log = FactLog()
    for row in as_each(value, lambda one: as_row(one, 2)):
        log.put_rows(as_text(row[0]), as_fact_rows(row[1]))
    return log
