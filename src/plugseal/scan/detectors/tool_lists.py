"""Tools as servers tell them: answers to `tools/list` and lists of the same form, kept in a JSON file of any name.

What is a tool is told by its form: a `name` beside a schema of its arguments, in the spelling of MCP or of an API of a
model. A file that holds none costs one search for the word that every such schema has. In a file of JSON lines every
line is a document.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, TypeAlias

from plugseal.encode.json import index_json, parse_json
from plugseal.encode.places import Places
from plugseal.errors import DataError
from plugseal.limits import MAX_DATA_BYTES, MAX_DECLARED
from plugseal.model.location import WHOLE_FILE, Span
from plugseal.records import NamedTuple

_Path: TypeAlias = "tuple[str | int, ...]"
_SCHEMAS: Final = ("inputSchema", "input_schema", "parameters", "inputJsonSchema")
_MARKS: Final = (b"nputSchema", b"nput_schema", b'"parameters"', b"nputJsonSchema")
RECORDED_IN: Final = ("json", "JSON lines")
"""Languages of files that may hold recorded tools."""
_DESCRIBED: Final = "coding-plugin.json"
"""A manifest with tools of the same form, of which its own system speaks."""
_MAX_TEXTS: Final = 20_000
"""Of one document."""


class RecordedText(NamedTuple):
    """A text of a tool, which a model reads."""

    text: str
    span: Span


class RecordedTool(NamedTuple):
    """One tool of a list."""

    name: str
    span: Span
    """Of the name."""
    texts: tuple[RecordedText, ...] = ()
    """All else that stands in it: its description, those of its arguments, their names."""


def recorded_lists(file: str, data: bytes, language: str) -> tuple[tuple[RecordedTool, ...], ...]:
    """Return the lists of tools in a file, each with its tools.

    Args:
        file: its path.
        data: the whole file; what is no JSON holds none.
        language: as it was classified.
    """
    if language not in RECORDED_IN or len(data) > MAX_DATA_BYTES or not any(mark in data for mark in _MARKS):
        return ()
    return () if file.rpartition("/")[2] == _DESCRIBED else _recorded(data, language)


@lru_cache(maxsize=1)
def _recorded(data: bytes, language: str) -> tuple[tuple[RecordedTool, ...], ...]:
    """Return the lists; kept for the next question, since several rules ask for the same file."""
    if language == "json":
        return tuple(_of_document(data, 0))
    lines = enumerate(data.split(b"\n"))
    marked = ((number, line) for number, line in lines if any(mark in line for mark in _MARKS))
    return tuple(found for number, line in marked for found in _of_document(line, number))


def _of_document(data: bytes, lines_before: int) -> Iterator[tuple[RecordedTool, ...]]:
    try:
        lists = list(_lists(parse_json(data, comments=True)))
        places = index_json(data, comments=True) if lists else None
    except DataError:
        return
    if places is None:
        return
    for tools in lists:
        yield tuple(_build_tool(places, path, tool, lines_before) for path, tool in tools)


def _build_tool(places: Places, path: _Path, tool: Mapping[str, object], lines_before: int) -> RecordedTool:
    def span(at: _Path) -> Span:
        found = places.value(at) or WHOLE_FILE
        return Span(found.line + lines_before, found.column, found.end_line + lines_before, found.end_column)

    texts = tuple(RecordedText(text, span(at)) for at, text in _texts(path, tool))
    return RecordedTool(str(tool["name"]), span((*path, "name")), texts)


def _lists(document: object) -> Iterator[list[tuple[_Path, Mapping[str, object]]]]:
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


def _tool(path: _Path, value: object) -> tuple[_Path, Mapping[str, object]] | None:
    """Return a tool with its place, in either of the two shapes in which lists hold them, or None."""
    if not isinstance(value, dict):
        return None
    inner = value.get("function")
    if value.get("type") == "function" and isinstance(inner, dict):
        path, value = (*path, "function"), inner
    return (path, value) if isinstance(value.get("name"), str) and _has_schema(value) else None


def _has_schema(value: Mapping[str, object]) -> bool:
    return any(isinstance(value.get(key), dict) for key in _SCHEMAS)


def _texts(path: _Path, tool: Mapping[str, object]) -> Iterator[tuple[_Path, str]]:
    """Yield every text of a tool but its name, those of keys too, with places."""
    waiting: list[tuple[_Path, object]] = [((*path, key), value) for key, value in tool.items() if key != "name"]
    found = 0
    while waiting and found < _MAX_TEXTS:
        at, value = waiting.pop()
        if isinstance(value, str):
            found += 1
            yield at, value
        elif isinstance(value, dict):
            yield from ((((*at, key)), key) for key in value)
            waiting += [((*at, key), item) for key, item in value.items()]
        elif isinstance(value, list):
            waiting += [((*at, number), item) for number, item in enumerate(value)]
