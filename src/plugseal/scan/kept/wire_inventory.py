"""An inventory as lines and back, for the cache: plain JSON, each field checked against the type that the model gives.

The first line holds all but what grows with the files: their facts and the ways to functions follow, some at a time,
so that neither side ever holds the whole as text.

Law: `parse_inventory(render_inventory(inventory)) == inventory`.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from functools import lru_cache
from itertools import islice
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

from plugseal.errors import DataError
from plugseal.model.factlog import FactLog
from plugseal.model.inventory import Inventory
from plugseal.model.reach import Reached
from plugseal.scan.kept.checked import Json, as_each, as_fact_rows, as_place, as_row, as_text
from plugseal.scan.workers.wire import parse_json, render_json

_FILES_IN_LINE: Final = 50
_WAYS_IN_LINE: Final = 500
T = TypeVar("T")


def render_inventory(inventory: Inventory) -> Iterator[bytes]:
    """Yield an inventory as lines of JSON without their ends."""
    files, ways = inventory.facts.files(), inventory.reach
    bare = inventory._replace(facts=FactLog(), reach=())
    parts = -(-len(files) // _FILES_IN_LINE), -(-len(ways) // _WAYS_IN_LINE)
    yield render_json([*parts, _plain(bare)])
    for some in _parts(files, _FILES_IN_LINE):
        yield render_json([[file, inventory.facts.rows(file)] for file in some])
    for few in _parts(ways, _WAYS_IN_LINE):
        yield render_json([_plain(way) for way in few])


def parse_inventory(lines: Iterable[bytes]) -> Inventory:
    """Return the inventory that `render_inventory` wrote.

    Raises:
        DataError: the lines are anything else.
    """
    waiting = iter(lines)
    fact_lines, way_lines, bare = as_row(parse_json(next(waiting, b"")), 3)
    inventory: Inventory = _reader_of(Inventory)(bare)
    facts, ways = FactLog(), list[Reached]()
    for line in _taken(waiting, as_place(fact_lines)):
        _take_facts(facts, parse_json(line))
    for line in _taken(waiting, as_place(way_lines)):
        ways += as_each(parse_json(line), _reader_of(Reached))
    if next(waiting, None) is not None:
        raise DataError("malformed entry: more lines than were said")
    return inventory._replace(facts=facts, reach=tuple(ways))


def _taken(lines: Iterator[bytes], count: int) -> Iterator[bytes]:
    """Yield so many lines.

    Raises:
        DataError: there are fewer.
    """
    taken = 0
    for taken, line in enumerate(islice(lines, count), start=1):  # noqa: B007  # counts them
        yield line
    if taken != count:
        raise DataError("malformed entry: fewer lines than were said")


def _parts(items: Sequence[T], count: int) -> Iterator[Sequence[T]]:
    return (items[start : start + count] for start in range(0, len(items), count))


def _plain(value: Any) -> Json:  # whatever the model is made of
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, FactLog):
        return [[file, value.rows(file)] for file in value.files()]
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
    return _reader_of_row(hint)


def _reader_of_row(of: Any) -> Callable[[Json], Any]:  # a named tuple of the model
    hints = get_type_hints(of)
    readers = [_reader_of(hints[name]) for name in of._fields]
    count = len(readers)

    def read(value: Json) -> Any:
        items = as_row(value, count)
        return of(*[reader(item) for reader, item in zip(readers, items)])  # noqa: B905  # as long as was just seen

    return read


def _reader_of_tuple(of: tuple[Any, ...]) -> Callable[[Json], Any]:
    if len(of) == 2 and of[1] is Ellipsis:
        each = _reader_of(of[0])
        return lambda value: as_each(value, each)
    readers = [_reader_of(hint) for hint in of]
    count = len(readers)
    if {*readers} == {as_text}:
        return lambda value: _texts(value, count)
    return lambda value: tuple([reader(item) for reader, item in zip(readers, as_row(value, count), strict=True)])


def _texts(value: Json, count: int) -> tuple[str, ...]:
    row = as_row(value, count)
    for item in row:
        as_text(item)
    return tuple(row)  # type: ignore[arg-type]  # just seen


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
    _take_facts(log, value)
    return log


def _take_facts(log: FactLog, value: Json) -> None:
    for row in as_each(value, lambda one: as_row(one, 2)):
        log.put_rows(as_text(row[0]), as_fact_rows(row[1]))
