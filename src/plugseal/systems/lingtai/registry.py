"""lingtai's `mcp_registry.jsonl`: the records that a plugin's servers become, and what a boot does to a registry.

A boot prunes first: of the lines whose `source` is a plugin, those that no declared plugin implies any more go; blank,
broken and foreign lines stay. Then it appends what is missing, unless the name belongs to somebody else. Keys keep
lingtai's order, since the lines are compared and shown as lingtai writes them. Nothing here reads or writes a file.

See: https://github.com/Lingtai-AI/lingtai-kernel/blob/main/src/lingtai/services/mcp_registry.py
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from plugseal.model import registry_record
from plugseal.model.registry_record import SOURCE_PREFIX
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_NAME = lazy(r"^[a-z][a-z0-9_-]{0,30}$")  # `$`, not `\Z`: as lingtai has it, so a final newline passes


class RegistryPlan(NamedTuple):
    """What one boot does to a registry."""

    pruned: tuple[str, ...]
    """Names of the records that go, in the registry's order."""
    kept: tuple[str, ...]
    """Lines that stay, as they are."""
    appended: tuple[str, ...]
    """Lines that come behind them, exactly as they are written."""
    skipped: tuple[tuple[str, str], ...]
    """(component, reason) of servers whose name belongs to a record of somebody else."""

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the registry after the boot; planning it again changes nothing."""
        return (*self.kept, *self.appended)


def build_record(plugin: str, server: str, spec: Mapping[str, object]) -> tuple[dict[str, object] | None, str]:
    """Return the record of one server whose paths went through the gate, or None and why it can't be registered.

    Args:
        plugin: the plugin's name.
        server: the server's name in `mcp.json`.
        spec: the server, its paths rewritten.
    """
    record = registry_record.build_record(plugin, server, spec)
    why = check_record(record)
    return (None, why) if why else (record, "")


def check_record(record: object) -> str:
    """Return what lingtai's validator says against a record, nothing where it is valid."""
    return registry_record.check_record(record, name=_NAME)


def plan_registry(records: Sequence[Mapping[str, object]], registry_lines: Sequence[str]) -> RegistryPlan:
    """Return what a boot does to a registry.

    Law: `plan_registry(records, plan_registry(records, lines).lines)` prunes and appends nothing.

    Args:
        records: what the declared plugins imply, in their order; the first of a name wins.
        registry_lines: the registry's lines without their ends.
    """
    desired: dict[object, Mapping[str, object]] = {}
    for record in records:
        desired.setdefault(record["name"], record)
    kept, pruned = [], []
    for line in registry_lines:
        gone = _pruned_name(line, desired)
        if gone is None:
            kept.append(line)
        elif gone:
            pruned.append(gone)
    owners = _owners(kept)
    appended, skipped = [], []
    for name, record in desired.items():
        if name not in owners:
            appended.append(build_line(record))
        elif owners[name] != record["source"]:
            why = f"name already registered by {owners[name]!a} — rename the server in mcp.json or remove the conflict"
            skipped.append((f"mcp:{name}", why))
    return RegistryPlan(tuple(pruned), tuple(kept), tuple(appended), tuple(skipped))


def build_line(record: Mapping[str, object]) -> str:
    """Return a record as lingtai writes it, without the line's end."""
    return json.dumps(record, ensure_ascii=False)


def is_one_line(line: str) -> bool:
    """Say whether lingtai, which splits a registry at every line end of Unicode, reads back what it wrote."""
    return len(line.splitlines()) == 1


def _pruned_name(line: str, desired: Mapping[object, Mapping[str, object]]) -> str | None:
    """Return the name of a record that goes (nothing where it has none), or None where the line stays."""
    record = _parsed(line)
    source = record.get("source") if isinstance(record, dict) else None
    if not isinstance(record, dict) or not isinstance(source, str) or not source.startswith(SOURCE_PREFIX):
        return None
    name = record.get("name")
    if not isinstance(name, str):
        return ""
    return None if record == desired.get(name) else name


def _owners(lines: Sequence[str]) -> dict[object, object]:
    """Return name to source of the valid records, the first of a name."""
    found: dict[object, object] = {}
    for line in lines:
        record = _parsed(line.strip())
        if isinstance(record, dict) and not check_record(record):
            found.setdefault(record["name"], record["source"])
    return found


def _parsed(line: str) -> object:
    try:
        return json.loads(line) if line.strip() else None
    except (ValueError, RecursionError):
        return None
