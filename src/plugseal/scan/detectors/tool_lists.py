"""Tools as servers tell them: answers to `tools/list` and lists of the same form, kept in a JSON file of any name.

What is a tool is told by its form: a `name` beside a schema of its arguments, in the spelling of MCP or of an API of a
model. A file that holds none costs one search for the word that every such schema has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from plugseal.encode.json import index_json, parse_json
from plugseal.errors import DataError
from plugseal.limits import MAX_DECLARED
from plugseal.model.location import WHOLE_FILE, Span

_Path: TypeAlias = "tuple[str | int, ...]"
_Named: TypeAlias = "tuple[str, _Path]"

_SCHEMAS: Final = ("inputSchema", "input_schema", "parameters", "inputJsonSchema")
_MARKS: Final = (b"nputSchema", b"nput_schema", b'"parameters"', b"nputJsonSchema")


class RecordedTool(NamedTuple):
    """One tool of a list."""

    name: str
    span: Span
    """Of the name."""


def recorded_lists(data: bytes) -> list[list[RecordedTool]]:
    """Return the lists of tools in a JSON document, each with its tools.

    Args:
        data: the whole file; what is no JSON holds none.
    """
    if not any(mark in data for mark in _MARKS):
        return []
    try:
        lists = list(_lists(parse_json(data, comments=True)))
        places = index_json(data, comments=True) if lists else None
    except DataError:
        return []
    if places is None:
        return []
    return [[RecordedTool(name, places.value(path) or WHOLE_FILE) for name, path in tools] for tools in lists]


def _lists(document: object) -> Iterator[list[_Named]]:
    waiting: list[tuple[_Path, object]] = [((), document)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(((*path, key), item) for key, item in reversed(value.items()))
        elif isinstance(value, list):
            tools = [tool for number, item in enumerate(value) if (tool := _tool((*path, number), item)) is not None]
            if tools:
                yield tools[:MAX_DECLARED]
            else:
                waiting.extend(((*path, number), item) for number, item in reversed(list(enumerate(value))))


def _tool(path: _Path, value: object) -> _Named | None:
    """Return a tool, in either of the two shapes in which lists hold them, or None."""
    if not isinstance(value, dict):
        return None
    inner = value.get("function")
    if value.get("type") == "function" and isinstance(inner, dict):
        path, value = (*path, "function"), inner
    name = value.get("name")
    return (name, (*path, "name")) if isinstance(name, str) and _has_schema(value) else None


def _has_schema(value: Mapping[str, object]) -> bool:
    return any(isinstance(value.get(key), dict) for key in _SCHEMAS)
