"""Which registered servers are activated: those for which the agent's configuration has a matching entry.

Registered is not running. An entry under `mcp` matches if its name is that of a record of a declared plugin, and what
it says is what was registered or, word by word, what was reviewed; one that says nothing of how to start says nothing
else. What is started is the reviewed launch data alone: an entry can keep a server from starting, and change nothing
about it. An entry that goes through the gate already (`plugseal wrap`) is the same for a kernel that starts it itself.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any, Final

from plugseal.errors import RefusedError
from plugseal.model.decision import Reason
from plugseal.model.registry_record import SOURCE_PREFIX
from plugseal.records import NamedTuple
from plugseal.runtime.agent_plugins.init import ACTIVATION, Init
from plugseal.runtime.agent_plugins.registry import Line, valid_records
from plugseal.runtime.approved import Approved
from plugseal.shown import shown

_FIELDS: Final = {
    "stdio": frozenset({"type", "transport", "command", "args", "env", "cwd"}),
    "http": frozenset({"type", "transport", "url", "headers"}),
}
_NAMES: Final = frozenset({"name", "summary", "source"})
"""Of a record that was copied into an entry as it is."""
_STARTS: Final = frozenset({"command", "args", "url"})
_GATED: Final = ("-I", "-m", "plugseal", "run")
_SPELLINGS: Final = {"streamable-http": "http", "sse": "http"}


class Candidate(NamedTuple):
    """One server that has a record, and what the agent's configuration says of it."""

    server: str
    plugin: str
    source: str
    """Real folder of the plugin as it was registered."""
    digest: str
    """Of the bytes that were registered."""
    record: Mapping[str, object]
    entry: object
    """Its entry under `mcp`; None where it has none."""
    why: str
    """Why it is not activated, empty where it is."""
    step: str
    """What would change that: `refresh`, or `activate`."""


def find_candidates(init: Init, snapshot: Mapping[str, Any], registry: Iterable[Line]) -> tuple[Candidate, ...]:
    """Return every server that the last registration gave a record, by name.

    Args:
        init: the agent's configuration as it is now.
        snapshot: of the last registration.
        registry: as it is now.
    """
    plugins = {one["name"]: one for one in snapshot["plugins"]}
    records = valid_records(registry)
    found = []
    for server, record in sorted(snapshot["records"].items()):
        plugin = plugins.get(str(record.get("source", "")).removeprefix(SOURCE_PREFIX))
        if plugin is None:
            continue
        entry = init.activations.get(server)
        if plugin["path"] not in init.declared:
            step, why = "refresh", "its plugin is not declared any more"
        elif records.get(server) != record:
            step, why = "refresh", "its record is not in the registry as it was registered"
        elif entry is None:
            step, why = "activate", f"`init.json` has no entry `{server}` under `{ACTIVATION}`"
        else:
            step, why = "", ""
        found.append(Candidate(server, plugin["name"], plugin["source"], plugin["digest"], record, entry, why, step))
    return tuple(found)


def verify_entry(candidate: Candidate, reviewed: Approved | None, *, plugin: str) -> None:
    """Refuse an entry that says anything but what was registered or reviewed.

    Args:
        candidate: the server.
        reviewed: its launch data as reviewed, None where nothing was.
        plugin: the ID of its plugin.

    Raises:
        RefusedError: it does not match.
    """
    entry = candidate.entry
    if not isinstance(entry, dict):
        raise _mismatch(candidate, "is no object")
    kind = entry.get("type", entry.get("transport", "stdio"))
    kind = _SPELLINGS.get(kind, kind) if isinstance(kind, str) else kind
    if kind != candidate.record["transport"]:
        raise _mismatch(candidate, f"is of another transport than its record: {shown(str(kind), limit=60)}")
    if _is_gated(entry, plugin, candidate.server):
        return
    needed = "command" if kind == "stdio" else "url"
    if needed not in entry and not _STARTS.isdisjoint(entry):
        raise _mismatch(candidate, f"has no `{needed}`")
    for key, value in entry.items():
        if key in ("type", "transport") or (key in _NAMES and value == candidate.record.get(key)):
            continue
        if key not in _FIELDS[str(kind)]:
            raise _mismatch(candidate, f"has a field that a server has not: `{shown(key, limit=60)}`")
        _verify_field(candidate, key, value, reviewed)
    if candidate.record.get("args") and "command" in entry and "args" not in entry:
        raise _mismatch(candidate, "has no `args`, and its record has")


def _is_gated(entry: Mapping[str, object], plugin: str, server: str) -> bool:
    """Say whether a kernel that starts it would start exactly this server, behind the gate of this interpreter."""
    command, words = entry.get("command"), entry.get("args")
    if command != sys.executable or not entry.keys() <= {"type", "command", "args"}:
        return False
    return words == [*_GATED, plugin, f"server:{server}"]


def _verify_field(candidate: Candidate, key: str, value: object, reviewed: Approved | None) -> None:
    """Compare one field; what differs is named and never shown, since a value may be a secret."""
    registered = candidate.record.get(key, [] if key == "args" else {} if key in ("env", "headers") else None)
    if value == registered or (reviewed is not None and value == _as_reviewed(reviewed, key)):
        return
    if key in ("env", "headers") and isinstance(value, dict) and isinstance(registered, dict):
        odd = sorted(name for name, text in value.items() if registered.get(name) != text)
        if not odd:
            return  # fewer than there are: all of the reviewed ones are set all the same
        named = ", ".join(f"`{shown(str(name), limit=60)}`" for name in odd[:5])
        raise _mismatch(candidate, f"sets {named} in `{key}` otherwise than what was reviewed")
    raise _mismatch(candidate, f"has another `{key}` than what was registered")


def _as_reviewed(reviewed: Approved, key: str) -> object:
    values: dict[str, object] = {
        "command": reviewed.command[0] if reviewed.command else None,
        "args": list(reviewed.command[1:]),
        "cwd": reviewed.cwd,
        "env": dict(reviewed.literals),
        "url": reviewed.endpoint,
        "headers": dict(reviewed.headers),
    }
    return values[key]


def _mismatch(candidate: Candidate, why: str) -> RefusedError:
    return RefusedError(
        Reason.NOT_RUNNABLE.value,
        f"the entry `{candidate.server}` under `{ACTIVATION}` {why}",
        hint="copy command and arguments from its record in `mcp_registry.jsonl`; nothing else is ever started",
    )
