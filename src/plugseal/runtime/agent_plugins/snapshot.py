"""The snapshot of the last registration, kept in the state folder: one file for each agent, strict on the way in.

It grants nothing: what is started is decided by the agent's configuration, its registry, and the gate.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from plugseal.encode.json import parse_json
from plugseal.errors import DataError, StateError
from plugseal.trust.files import open_below

FOLDER: Final = "agent_plugins"
_FORMAT: Final = "plugseal.lingtai/1"
_SHAPE: Final[dict[str, type]] = {
    "format": str,
    "agent": str,
    "declared": list,
    "plugins": list,
    "records": dict,
    "mcp_appended": list,
    "mcp_pruned": list,
}
_PLUGIN: Final[dict[str, type]] = {
    "name": str,
    "version": str,
    "summary": str,
    "source": str,
    "skills": list,
    "skill_count": int,
    "skills_mounted": bool,
    "mcp_servers": list,
    "mcp_server_count": int,
    "mcp_registered": list,
    "skipped": list,
    "digest": str,
    "path": str,
}


def write_snapshot(home: Path, agent: str, snapshot: Mapping[str, Any]) -> None:
    """Keep the snapshot of a registration.

    Args:
        home: the state folder.
        agent: real path of the agent's folder.
        snapshot: as `mount.build_snapshot` made it.

    Raises:
        StateError: it can't be kept.
    """
    data = json.dumps({"format": _FORMAT, "agent": agent, **snapshot}, ensure_ascii=True, indent=1)
    folder = open_below(home, FOLDER, create=True)
    if folder is None:
        raise StateError("the state folder went away", place=str(home))
    with folder:
        folder.write(_name(agent), data.encode("ascii") + b"\n")


def read_snapshot(home: Path, agent: str) -> dict[str, Any] | None:
    """Return the snapshot of the last registration of an agent, None where there was none.

    Raises:
        StateError: it can't be believed.
    """
    folder = open_below(home, FOLDER)
    if folder is None:
        return None
    with folder:
        data = folder.read(_name(agent))
        place = folder.place(_name(agent))
    if data is None:
        return None
    hint = "make it anew with `plugseal lingtai refresh`"
    try:
        value: Any = parse_json(data, max_bytes=len(data))
    except DataError as error:
        raise StateError(f"the snapshot of the last registration: {error.message}", place=place, hint=hint) from error
    if not _is_snapshot(value) or value["format"] != _FORMAT or value["agent"] != agent:
        raise StateError("the snapshot of the last registration is none", place=place, hint=hint)
    return {key: item for key, item in value.items() if key not in ("format", "agent")}


def _is_snapshot(value: Any) -> bool:  # Any: JSON, judged here
    if not _fits(value, _SHAPE):
        return False
    texts = (*value["declared"], *value["mcp_appended"], *value["mcp_pruned"])
    return (
        all(isinstance(text, str) for text in texts)
        and all(isinstance(record, dict) for record in value["records"].values())
        and all(_fits(plugin, _PLUGIN, "homepage") and _holds_texts(plugin) for plugin in value["plugins"])
    )


def _fits(value: Any, shape: Mapping[str, type], *optional: str) -> bool:  # Any: JSON
    if not isinstance(value, dict) or not shape.keys() <= value.keys() <= shape.keys() | set(optional):
        return False
    return all(type(value[key]) is kind for key, kind in shape.items())


def _holds_texts(plugin: Mapping[str, Any]) -> bool:
    lists = (*plugin["skills"], *plugin["mcp_servers"], *plugin["mcp_registered"])
    rows = plugin["skipped"]
    return all(isinstance(text, str) for text in (*lists, plugin.get("homepage", ""))) and all(
        isinstance(row, dict)
        and row.keys() == {"component", "reason"}
        and all(isinstance(t, str) for t in row.values())
        for row in rows
    )


def _name(agent: str) -> str:
    return f"{sha256(agent.encode('utf-8', 'surrogateescape')).hexdigest()}.json"
