"""Documents of plugins as data: a parsed manifest with the places of its values, and small questions about values."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from plugseal.model.location import Span

if TYPE_CHECKING:
    from plugseal.encode.places import Places

Step: TypeAlias = "str | int"
Path: TypeAlias = "tuple[Step, ...]"


class Document:
    """One parsed manifest: its data, and where each value stands (worked out at the first question)."""

    __slots__ = ("_data", "_index", "_places", "file", "value")

    def __init__(self, file: str, value: object, data: bytes, index: Callable[[bytes], Places]) -> None:
        self.file = file
        """Relative to the plugin's root, as declared (a link keeps its own path)."""
        self.value = value
        """Plain dictionaries, lists, texts, numbers, booleans and None."""
        self._data = data
        self._index = index
        self._places: Places | None = None

    def locate(self, path: Path) -> Span:
        """Return the place of a value's key, or of the value, or of the nearest parent that is there."""
        if self._places is None:
            self._places = self._index(self._data)
        return self._places.nearest(path)

    def locate_value(self, path: Path) -> Span:
        """Return the place of a value, or of the nearest parent that is there."""
        nearest = self.locate(path)
        return (self._places and self._places.value(path)) or nearest


def lookup(value: object, path: Sequence[Step]) -> object:
    """Return the value at a path of keys and indices, or None."""
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def dotted(path: Sequence[Step]) -> str:
    """Return a path as people write it, e.g. `mcpServers.docs.args.0`."""
    return ".".join(str(step) for step in path)


def kind_of(value: object) -> str:
    """Name the kind of a parsed value in a few words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, str):
        return "text"
    return "a list" if isinstance(value, list) else "a table" if isinstance(value, dict) else "something else"


def compact(value: object) -> str:
    """Return data as one deterministic line of JSON with sorted keys."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)


def extras(table: Mapping[str, object], known: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """Return everything in a table that has no field of its own, sorted, so that a receipt covers it."""
    return tuple(sorted((str(key), compact(value)) for key, value in table.items() if key not in known))
