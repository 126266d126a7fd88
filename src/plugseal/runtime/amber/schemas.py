"""Schemas of arguments: amber's short form and JSON Schema become one, and a line that says what a tool takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_TYPES: Final = frozenset("string number integer boolean object array null".split())


def json_schema(declared: object) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments.

    The document's short form names each argument with its table (`{"name": {"type": "string", "required": true}}`);
    plugins that amber ships write JSON Schema. What is neither says nothing about its arguments.

    Args:
        declared: as the manifest has it.
    """
    if not isinstance(declared, dict) or not declared:
        return {"type": "object", "properties": {}}
    if declared.get("type") == "object" or (isinstance(declared.get("properties"), dict) and _is_no_argument(declared)):
        return {**declared, "type": "object"}
    tables = {name: table for name, table in declared.items() if isinstance(table, dict)}
    if len(tables) != len(declared):
        return {"type": "object"}
    required = [name for name, table in tables.items() if table.get("required") is True]
    properties = {name: _property(table) for name, table in tables.items()}
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def summary(schema: Mapping[str, Any]) -> str:
    """Return what a tool takes in a few words: `name: string, times: integer (optional)`; empty for nothing."""
    properties = schema.get("properties")
    required = schema.get("required")
    needed = required if isinstance(required, list) else []
    parts = []
    for name, table in (properties if isinstance(properties, dict) else {}).items():
        kind = table.get("type") if isinstance(table, dict) else None
        known = f": {kind}" if isinstance(kind, str) and kind in _TYPES else ""
        parts.append(f"{name}{known}" + ("" if name in needed else " (optional)"))
    return ", ".join(parts)


def _is_no_argument(declared: Mapping[str, Any]) -> bool:
    """Say whether `properties` stands for the arguments, and is none that is called so."""
    return not isinstance(declared["properties"].get("type"), str)


def _property(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if not (key == "required" and isinstance(value, bool))}
