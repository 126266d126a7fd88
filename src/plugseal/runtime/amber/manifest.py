"""What a reviewed amber plugin declares: read from the stored capability document, never from its manifest again.

A manifest that breaks a documented rule makes its plugin incompatible, whatever amber's own code lets through; so does
another protocol. A tool whose name no approval rule could name, or that stands twice, is left out with the reason.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from plugseal.errors import RefusedError
from plugseal.model.decision import Reason
from plugseal.patterns import lazy
from plugseal.runtime.amber.schemas import json_schema

SYSTEM: Final = "amber"
PROTOCOL_VERSION: Final = 1
Setting: TypeAlias = "str | int | float | bool"
_ID: Final = lazy(r"\A[a-z0-9_]+\Z", re.ASCII)
_TOOL: Final = lazy(r"\A[A-Za-z0-9_.-]{1,200}\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of a plugin."""

    name: str
    """As registered: `plugin_<id>_<name>`."""
    called: str
    """As the plugin itself calls it."""
    description: str
    schema: Mapping[str, Any]
    """JSON Schema of its arguments."""


@dataclass(frozen=True, slots=True)
class Declared:
    """What a plugin declares."""

    id: str
    title: str
    version: str
    description: str
    author: str
    url: str
    license: str
    settings: Mapping[str, Setting]
    """Defaults."""
    tools: tuple[Tool, ...]
    left_out: tuple[tuple[str, str], ...]
    """(registered name, why) of the tools that are not registered."""
    problem: str
    """Why it is incompatible, empty where it is not."""


def parse_declared(document: bytes) -> Declared:
    """Return what a plugin declares by its stored document, the digest of which was checked already.

    Raises:
        RefusedError: the document is none of an amber plugin.
    """
    try:
        found = json.loads(document)
        if found["system"] != SYSTEM:
            raise _damaged("its document is of another system")
        extra = {str(key): json.loads(value) for key, value in found["extra"]}
        return _declared(found, extra)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged("its document can't be read") from error


def _declared(found: Mapping[str, Any], extra: Mapping[str, Any]) -> Declared:
    plugin = _text(found["name"])
    tools, left_out = _tools(plugin, found["components"])
    settings = extra.get("settings")
    return Declared(
        id=plugin,
        title=_text(extra.get("name")) or plugin,
        version=_text(found["version"]),
        description=_text(found["description"]),
        author=_text(extra.get("author")),
        url=_text(extra.get("url")),
        license=_text(extra.get("license")),
        settings=dict(_settings(settings if isinstance(settings, dict) else {})),
        tools=tools,
        left_out=left_out,
        problem=_problem(plugin, extra.get("protocol_version"), found["faults"]),
    )


def _problem(plugin: str, protocol: object, faults: list[list[Any]]) -> str:
    if isinstance(protocol, bool) or not isinstance(protocol, int):
        return "its protocol version is no whole number"
    if protocol != PROTOCOL_VERSION:
        return f"it speaks protocol version {protocol}, this host speaks {PROTOCOL_VERSION}"
    if _ID.match(plugin) is None:
        return "its ID is none: small letters, digits and `_`"
    fields = sorted({_text(field) or _text(file) for file, field in faults})
    return (
        f"its manifest breaks the documented rules at {', '.join(f'`{field}`' for field in fields)}" if fields else ""
    )


def _tools(plugin: str, components: list[dict[str, Any]]) -> tuple[tuple[Tool, ...], tuple[tuple[str, str], ...]]:
    rows = [item for item in components if item["kind"] == "tool"]
    names = Counter(_text(item["name"]) for item in rows)
    tools, left_out = [], []
    for item in rows:
        name = _text(item["name"])
        if names[name] > 1:
            left_out.append((name, "declared more than once"))
        elif _TOOL.match(name) is None:
            left_out.append((name, "its name holds more than letters, digits, `_`, `.` and `-`"))
        else:
            tools.append(_tool(name, name.removeprefix(f"plugin_{plugin}_"), dict(item["extra"])))
    return tuple(tools), tuple(dict.fromkeys(left_out))


def _tool(name: str, called: str, extra: Mapping[str, str]) -> Tool:
    description = json.loads(extra.get("description", '""'))
    return Tool(name, called, _text(description), json_schema(json.loads(extra.get("schema", "null"))))


def _settings(table: Mapping[str, Any]) -> Iterator[tuple[str, Setting]]:
    for key, value in table.items():
        if isinstance(value, (str, int, float)):
            yield key, value


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _damaged(message: str) -> RefusedError:
    return RefusedError(Reason.DOCUMENT_DAMAGED.value, message, hint=Reason.DOCUMENT_DAMAGED.hint)
