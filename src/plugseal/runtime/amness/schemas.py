"""Whether a value fits a tool's schema: the words of JSON Schema that tools use, and no others.

A word that is not known here is passed over, as JSON Schema says; a schema that is malformed fits nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "null": (type(None),),
    "number": (int, float),
    "integer": (int, float),
}
_MAX_DEPTH: Final = 40


def check_value(value: object, schema: Mapping[str, Any]) -> str:
    """Return the first reason why a value does not fit a schema, empty where it fits."""
    return next(_faults(value, schema, "", 0), "")


def _faults(value: object, schema: object, place: str, depth: int) -> Iterator[str]:
    where = place or "the value"
    if schema is True or schema == {}:
        return
    if not isinstance(schema, dict) or depth > _MAX_DEPTH:
        yield f"{where} has no schema that can be kept"
        return
    kinds = schema.get("type")
    wanted = kinds if isinstance(kinds, list) else [] if kinds is None else [kinds]
    if wanted and not any(_is_of(value, kind) for kind in wanted):
        yield f"{where} is no {' or '.join(map(str, wanted))}"
        return
    if "enum" in schema and value not in _list(schema["enum"]):
        yield f"{where} is none of the values that are allowed"
    if "const" in schema and value != schema["const"]:
        yield f"{where} is not the one value that is allowed"
    if isinstance(value, dict):
        yield from _of_object(value, schema, place, depth)
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            yield from _faults(item, schema["items"], f"{place}[{number}]", depth + 1)


def _of_object(value: Mapping[str, Any], schema: Mapping[str, Any], place: str, depth: int) -> Iterator[str]:
    properties = schema.get("properties")
    known = properties if isinstance(properties, dict) else {}
    for name in _list(schema.get("required", [])):
        if name not in value:
            yield f"`{place}.{name}` is missing".replace("`.", "`")
    others = schema.get("additionalProperties", True)
    for name, item in value.items():
        inner = f"{place}.{name}" if place else f"`{name}`"
        if name in known:
            yield from _faults(item, known[name], inner, depth + 1)
        elif others is False:
            yield f"{inner} is not known"
        elif isinstance(others, dict):
            yield from _faults(item, others, inner, depth + 1)


def _is_of(value: object, kind: object) -> bool:
    types = _TYPES.get(str(kind))
    if types is None:
        return False
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer":
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return isinstance(value, types)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
