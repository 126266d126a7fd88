"""What a loaded plugin says that it contributes, checked: the rules by which Amness loads or skips it and its parts.

A plugin that breaks a rule of loading is not loaded; a part of it that breaks one is skipped. Both are told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from plugseal.patterns import lazy

EVENTS: Final = (
    "SessionStart",
    "UserPromptSubmit",
    "PreModel",
    "PostModel",
    "PreToolUse",
    "PostToolUse",
    "PreCompact",
    "Stop",
)
MAX_REJECTIONS: Final = 2
_NAME: Final = lazy(r"\A[A-Za-z0-9._-]{1,40}\Z", re.ASCII)
_FUNCTIONS: Final = ("system", "policy", "context", "route", "status")
_LISTS: Final = {"tools": "run", "commands": "run", "gates": "check", "cases": "check"}
_MAX_PARTS: Final = 1000


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a list: a tool, a command, a gate or a case."""

    index: int
    """Where it stands in the plugin's own list."""
    name: str
    data: Mapping[str, Any]
    """What else it says of itself; hostile."""

    def text(self, key: str) -> str:
        """Return a text of it, empty where there is none."""
        value = self.data.get(key)
        return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class Description:
    """A plugin as it was loaded."""

    name: str
    description: str
    fail_closed: bool
    functions: frozenset[str]
    """Of `system policy context route status memory`, and those of `hooks.EVENT`, `metrics.NAME`, `graders.NAME`."""
    tools: tuple[Item, ...]
    commands: tuple[Item, ...]
    gates: tuple[Item, ...]
    cases: tuple[Item, ...]
    variants: Mapping[str, Any]

    def names(self, field: str) -> list[str]:
        """Return the names in a map of functions, e.g. the events of `hooks`."""
        return [one.partition(".")[2] for one in sorted(self.functions) if one.startswith(f"{field}.")]


@dataclass(frozen=True, slots=True)
class Described:
    """What became of a description."""

    description: Description | None
    """None where the plugin is not loaded."""
    stops: str = ""
    """Why it is not loaded."""
    warnings: tuple[str, ...] = ()
    """Parts that are skipped, and why."""


def parse_description(value: object) -> Described:
    """Return what a host script said of a plugin, checked."""
    if not isinstance(value, dict):
        return Described(None, "its description is no object")
    stops = _find_stop(value)
    if stops:
        return Described(None, stops)
    warnings: list[str] = []
    lists = {field: tuple(_items(value, field, warnings)) for field in _LISTS}
    variants = value.get("variants")
    description = value.get("description")
    return Described(
        Description(
            name=str(value["name"]),
            description=description if isinstance(description, str) else "",
            fail_closed=value.get("failClosed") is True,
            functions=frozenset(_functions(value, warnings)),
            tools=lists["tools"],
            commands=lists["commands"],
            gates=lists["gates"],
            cases=lists["cases"],
            variants=variants if isinstance(variants, dict) else {},
        ),
        warnings=tuple(warnings),
    )


def _find_stop(value: Mapping[str, Any]) -> str:
    """Return why Amness does not load a plugin, empty where it does."""
    if value.get("export") != "object":
        return f"its default export is {_shown_kind(value.get('export'))}, not an object"
    name = value.get("name")
    if name is None:
        return "it has no `name`"
    if not isinstance(name, str) or not _NAME.match(name):
        return "its `name` may hold letters, digits, `.`, `_` and `-` alone, 1 to 40 of them"
    if _kind(value, "hooks") not in ("nothing", "object") or any(
        kind != "function" for kind in _table(value, "hooks").values()
    ):
        return "its `hooks` are no map of functions"
    return ""


def _functions(value: Mapping[str, Any], warnings: list[str]) -> Iterator[str]:
    for field in _FUNCTIONS:
        kind = _kind(value, field)
        if kind == "function":
            yield field
        elif kind != "nothing":
            warnings.append(f"`{field}` is {_shown_kind(kind)}, not a function: skipped")
    for field in ("hooks", "metrics", "graders"):
        for name, kind in _table(value, field).items():
            if field == "hooks" and name not in EVENTS:
                warnings.append(f"`hooks.{name}` is no event of Amness: skipped")
            elif kind != "function":
                warnings.append(f"`{field}.{name}` is {_shown_kind(kind)}, not a function: skipped")
            else:
                yield f"{field}.{name}"
    memory = value.get("memory")
    if memory == "memory":
        yield "memory"
    elif memory not in (None, "nothing"):
        warnings.append("`memory` lacks one of its seven methods: skipped")


def _items(value: Mapping[str, Any], field: str, warnings: list[str]) -> Iterator[Item]:
    kind = _kind(value, field)
    if kind not in ("nothing", "list"):
        warnings.append(f"`{field}` is {_shown_kind(kind)}, not a list: skipped")
    found = value.get(field)
    seen: set[str] = set()
    for index, item in enumerate(found[:_MAX_PARTS] if isinstance(found, list) else []):
        name = item.get("name") if isinstance(item, dict) else None
        acts = item.get(_LISTS[field]) if isinstance(item, dict) else None
        is_line = field == "cases" and acts == "string"
        if not isinstance(name, str) or not name:
            warnings.append(f"`{field}.{index}` has no name: skipped")
        elif acts != "function" and not is_line:
            warnings.append(f"`{field}.{index}` has no `{_LISTS[field]}`: skipped")
        elif name in seen:
            warnings.append(f"`{field}.{index}` has the name of another: skipped")
        else:
            seen.add(name)
            yield Item(index, name, item)


def _kind(value: Mapping[str, Any], field: str) -> str:
    return str(_table(value, "kinds").get(field, "nothing"))


def _table(value: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    found = value.get(field)
    return found if isinstance(found, dict) else {}


def _shown_kind(kind: object) -> str:
    return {"object": "an object", "list": "a list", "string": "text"}.get(str(kind), str(kind)[:20])
