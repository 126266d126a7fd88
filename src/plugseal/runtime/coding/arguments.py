"""Whether a call's arguments fit a tool's schema: the contract sends a plugin nothing else.

The keywords of JSON Schema in `_KEYWORDS` are asked, and `$ref` into the schema itself. `pattern` and `format` are not,
since a plugin's expression must not run in this process; these and all other keywords are left to the plugin. A schema
of which an asked part can't be understood, or that takes too long, fits nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

_MAX_STEPS: Final = 100_000
_MAX_DEPTH: Final = 64
"""Of references and schemas inside schemas."""


class _UnjudgedError(Exception):
    """Say that nobody can tell whether a value fits; the message is ours."""


def check_arguments(schema: Mapping[str, Any], arguments: object) -> str:
    """Return why arguments don't fit a schema, empty if they do.

    Args:
        schema: of the tool; hostile, JSON.
        arguments: JSON.
    """
    try:
        return _Judge(schema).fault(arguments, schema, "arguments")
    except _UnjudgedError as error:
        return str(error)


class _Judge:
    """Judge values by schemas inside one schema, within bounds."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root
        self._left = _MAX_STEPS

    def fault(self, value: object, schema: object, where: str, depth: int = 0) -> str:
        """Return the first fault of a value, empty if it fits."""
        self.spend(1)
        if depth > _MAX_DEPTH:
            raise _UnjudgedError(f"`{where}` can't be judged: its schema nests deeper than {_MAX_DEPTH}")
        if isinstance(schema, bool):
            return "" if schema else f"`{where}` may not be there"
        if not isinstance(schema, dict):
            raise _UnjudgedError(f"`{where}` can't be judged: its schema is none")
        for key, check in _KEYWORDS.items():
            if schema.get(key) is None:
                continue
            try:
                fault = check(self, value, schema, where, depth)
            except (TypeError, ValueError, KeyError, AttributeError, ArithmeticError) as error:
                raise _UnjudgedError(f"`{where}` can't be judged: `{key}` of its schema has no meaning") from error
            if fault:
                return fault
        return ""

    def spend(self, steps: int) -> None:
        """Count work, of which there is an end."""
        self._left -= steps
        if self._left < 0:
            raise _UnjudgedError("`arguments` can't be judged: their schema takes too long")


_Check = Callable[[_Judge, Any, Mapping[str, Any], str, int], str]  # Any: JSON


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return _is_number(value) and (isinstance(value, int) or (isinstance(value, float) and value.is_integer()))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _is_table(value: object) -> bool:
    return isinstance(value, dict)


_TYPES: Final[Mapping[str, Callable[[object], bool]]] = {
    "object": _is_table,
    "array": _is_list,
    "string": _is_text,
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": _is_number,
    "integer": _is_whole,
}


def _rows(value: object) -> list[Any]:  # Any: JSON
    if not isinstance(value, list):
        raise TypeError
    return value


def _type(judge: _Judge, value: object, schema: Mapping[str, Any], where: str, depth: int) -> str:
    del judge, depth
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return "" if any(_TYPES[kind](value) for kind in kinds) else f"`{where}` must be {' or '.join(kinds)}"


def _enum(judge: _Judge, value: object, schema: Mapping[str, Any], where: str, depth: int) -> str:
    del depth
    values = _rows(schema["enum"])
    judge.spend(len(values))
    return "" if any(is_same(value, one) for one in values) else f"`{where}` is none of the values allowed"


def _const(judge: _Judge, value: object, schema: Mapping[str, Any], where: str, depth: int) -> str:
    del judge, depth
    return "" if is_same(value, schema["const"]) else f"`{where}` is not the value allowed"


def is_same(one: object, other: object) -> bool:
    """Compare as JSON does: true is not 1, and 1.0 is."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    return one == other


def _bound(
    key: str,
    kind: Callable[[object], bool],
    size: Callable[[Any], float],
    fits: Callable[[float, float], bool],
) -> _Check:
    """Return the check of one keyword that bounds a size."""

    def check(judge: _Judge, value: object, schema: Mapping[str, Any], where: str, depth: int) -> str:
        del judge, depth
        if not _is_number(schema[key]):
            raise TypeError
        return f"`{where}` breaks `{key}`" if kind(value) and not fits(size(value), schema[key]) else ""

    return check


def _least(size: float, bound: float) -> bool:
    return size >= bound


def _most(size: float, bound: float) -> bool:
    return size <= bound


def _itself(value: Any) -> float:  # Any: a number
    found: float = value
    return found


def _required(judge: _Judge, value: object, schema: Mapping[str, Any], where: str, depth: int) -> str:
    del judge, depth
    names = _rows(schema["required"])
    missing = [name for name in names if name not in value] if isinstance(value, dict) else []
    return f"`{where}` lacks `{missing[0]}`" if missing else ""


def _members(judge: _Judge, value: object, schema: Mapping[str, Any], where: str, depth: int) -> str:
    """Judge the members that the schema names, and those that it does not."""
    named = schema.get("properties") or {}
    if not isinstance(named, dict):
        raise TypeError
    # Whether a name fits an expression of `patternProperties` is not asked here.
    others = True if schema.get("patternProperties") else schema.get("additionalProperties", True)
    for name, item in value.items() if isinstance(value, dict) else ():
        if name not in named and others is False:
            return f"`{where}.{name}` is nothing that this tool takes"
        fault = judge.fault(item, named.get(name, others), f"{where}.{name}", depth + 1)
        if fault:
            return fault
    return ""


def _items(judge: _Judge, value: object, schema: Mapping[str, Any], where: str, depth: int) -> str:
    first, others = schema.get("prefixItems") or [], schema.get("items", True)
    if isinstance(others, list):  # as older drafts wrote it
        first, others = others, schema.get("additionalItems", True)
    for number, item in enumerate(value if isinstance(value, list) else ()):
        one = _rows(first)[number] if number < len(first) else others
        fault = judge.fault(item, one, f"{where}.{number}", depth + 1)
        if fault:
            return fault
    return ""


def _unless(key: str, check: _Check) -> _Check:
    """Return a check that is left to another keyword where that one stands too: nothing is judged twice."""

    def alone(judge: _Judge, value: object, schema: Mapping[str, Any], where: str, depth: int) -> str:
        return check(judge, value, schema, where, depth) if schema.get(key) is None else ""

    return alone


def _unique(judge: _Judge, value: object, schema: Mapping[str, Any], where: str, depth: int) -> str:
    del depth
    if schema["uniqueItems"] is not True or not isinstance(value, list):
        return ""
    judge.spend(len(value) * len(value))
    is_twice = any(is_same(item, other) for number, item in enumerate(value) for other in value[:number])
    return f"`{where}` holds something twice" if is_twice else ""


def _ways(key: str, fits: Callable[[int, int], bool]) -> _Check:
    """Return the check of one keyword that combines schemas."""

    def check(judge: _Judge, value: object, schema: Mapping[str, Any], where: str, depth: int) -> str:
        ways = [schema[key]] if key == "not" else _rows(schema[key])
        fitting = sum(not judge.fault(value, way, where, depth + 1) for way in ways)
        return "" if fits(fitting, len(ways)) else f"`{where}` does not fit `{key}`"

    return check


def _reference(judge: _Judge, value: object, schema: Mapping[str, Any], where: str, depth: int) -> str:
    head, *parts = schema["$ref"].split("/")
    if head != "#":
        raise ValueError
    target: Any = judge.root
    for part in parts:
        target = target[part.replace("~1", "/").replace("~0", "~")]
    return judge.fault(value, target, where, depth + 1)


_KEYWORDS: Final[Mapping[str, _Check]] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "required": _required,
    "properties": _members,
    "additionalProperties": _unless("properties", _members),
    "items": _items,
    "prefixItems": _unless("items", _items),
    "minimum": _bound("minimum", _is_number, _itself, _least),
    "maximum": _bound("maximum", _is_number, _itself, _most),
    "exclusiveMinimum": _bound("exclusiveMinimum", _is_number, _itself, lambda size, bound: size > bound),
    "exclusiveMaximum": _bound("exclusiveMaximum", _is_number, _itself, lambda size, bound: size < bound),
    "minLength": _bound("minLength", _is_text, len, _least),
    "maxLength": _bound("maxLength", _is_text, len, _most),
    "minItems": _bound("minItems", _is_list, len, _least),
    "maxItems": _bound("maxItems", _is_list, len, _most),
    "minProperties": _bound("minProperties", _is_table, len, _least),
    "maxProperties": _bound("maxProperties", _is_table, len, _most),
    "uniqueItems": _unique,
    "anyOf": _ways("anyOf", lambda fitting, _: fitting > 0),
    "oneOf": _ways("oneOf", lambda fitting, _: fitting == 1),
    "allOf": _ways("allOf", lambda fitting, all_: fitting == all_),
    "not": _ways("not", lambda fitting, _: not fitting),
    "$ref": _reference,
}
