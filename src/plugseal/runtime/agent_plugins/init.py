"""What an agent's `init.json` says of plugins: which are declared, where others may be come across, what is activated.

`manifest.plugins` is the canonical key and `manifest.capabilities.plugin.paths` its alias; both register, canonical
entries first, each path once. `manifest.capabilities.skills.paths` only discovers, and so does the folder `plugin`
beside the file: nothing is registered that nobody declared. The top-level `mcp` holds what is activated.
Read strictly: a document that two parsers could read differently declares nothing, it is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from plugseal.encode.json import parse_json
from plugseal.records import NamedTuple

INIT_FILE: Final = "init.json"
CANONICAL: Final = "manifest.plugins"
ALIAS: Final = "manifest.capabilities.plugin.paths"
INHERITED: Final = "manifest.capabilities.skills.paths"
AUTOMATIC: Final = "plugin"
"""The folder of the agent that some kernels register without a declaration; here it is only discovered."""
ACTIVATION: Final = "mcp"
MAX_INIT_BYTES: Final = 4 * 1024 * 1024
MAX_PATHS: Final = 256
"""Declared or inherited paths of one agent; more are a problem each and not looked at."""


class Init(NamedTuple):
    """What matters here of one agent's configuration."""

    is_said: bool
    """Whether it has a `manifest` at all: one that says nothing of plugins takes none away."""
    declared: tuple[str, ...]
    inherited: tuple[str, ...]
    has_skills: bool
    """Whether the agent has the capability that skills belong to."""
    activations: Mapping[str, object]
    problems: tuple[tuple[str, str], ...]
    """(key, what is wrong): entries that name no path."""


def parse_init(data: bytes) -> Init:
    """Return what an `init.json` says.

    Raises:
        DataError: it is no JSON, or can be read in two ways.
    """
    value = parse_json(data, max_bytes=MAX_INIT_BYTES)
    table = value if isinstance(value, dict) else {}
    problems: list[tuple[str, str]] = []
    if not isinstance(value, dict):
        problems.append((INIT_FILE, "is no object: it declares nothing"))
    activations = table.get(ACTIVATION, {})
    if not isinstance(activations, dict):
        problems.append((ACTIVATION, "is no object: it activates nothing"))
        activations = {}
    declared = dict.fromkeys([*_paths(table, CANONICAL, problems), *_paths(table, ALIAS, problems)])
    return Init(
        is_said=isinstance(table.get("manifest"), dict),
        declared=tuple(declared),
        inherited=tuple(dict.fromkeys(_paths(table, INHERITED, problems))),
        has_skills=_has_skills(table),
        activations=activations,
        problems=tuple(problems),
    )


def _paths(table: Mapping[str, object], key: str, problems: list[tuple[str, str]]) -> list[str]:
    value = _at(table, key)
    if value is None:
        return []
    if not isinstance(value, list):
        problems.append((key, "is no list: it names nothing"))
        return []
    found: list[str] = []
    for number, item in enumerate(value):
        why = _path_fault(item, len(found))
        if why:
            problems.append((f"{key}[{number}]", why))
        else:
            found.append(str(item))
    return found


def _path_fault(item: object, before: int) -> str:
    if not isinstance(item, str):
        return "is no text: it names nothing"
    if not item or "\0" in item:
        return "is no path"
    return f"is behind {MAX_PATHS} others: it is not looked at" if before >= MAX_PATHS else ""


def _has_skills(table: Mapping[str, object]) -> bool:
    """Say whether the capability is on: it is by default, until it is set to null or listed under `disable`."""
    capabilities = _at(table, "manifest.capabilities")
    if isinstance(capabilities, dict) and "skills" in capabilities and capabilities["skills"] is None:
        return False
    disabled = _at(table, "manifest.disable")
    return not (isinstance(disabled, list) and "skills" in disabled)


def _at(table: Mapping[str, object], key: str) -> object:
    value: object = table
    for part in key.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value
