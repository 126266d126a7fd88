"""A registry of servers as lines, and what one registration does to it: prune first, then append what is missing.

Of the lines whose `source` is a plugin, those go that no declared plugin implies any more; blank lines, broken ones and
those of anybody else stay, byte for byte. What is appended never takes a name that somebody else owns. Registering the
same twice changes nothing. Nothing here reads or writes a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from plugseal.encode.json import parse_json
from plugseal.errors import DataError
from plugseal.model.registry_record import SOURCE_PREFIX, check_record
from plugseal.records import NamedTuple
from plugseal.runtime.agent_plugins.records import MAX_RECORD_BYTES, build_line

REGISTRY_FILE: Final = "mcp_registry.jsonl"
MAX_REGISTRY_BYTES: Final = 4 * 1024 * 1024
MAX_RECORDS: Final = 4096
"""Lines of one registry."""
_MAX_DEPTH: Final = 16


class Line(NamedTuple):
    """One line of a registry."""

    raw: bytes
    """Without its end."""
    record: Mapping[str, object] | None
    """The object on it, None where it holds none."""
    fault: str
    """Why it is no valid record; empty for valid ones and for blank lines."""

    @property
    def source(self) -> str:
        """Return who owns it, empty where that can't be told."""
        source = None if self.record is None else self.record.get("source")
        return source if isinstance(source, str) else ""

    @property
    def name(self) -> str:
        """Return the server's name, empty where it has none."""
        name = None if self.record is None else self.record.get("name")
        return name if isinstance(name, str) else ""


class RegistryPlan(NamedTuple):
    """What one registration does."""

    lines: tuple[bytes, ...]
    """The registry afterwards."""
    pruned: tuple[str, ...]
    """Names of the records that go, in the registry's order."""
    appended: tuple[str, ...]
    taken: Mapping[str, str]
    """Name of a server to the owner of the record that has the name already."""


def parse_registry(data: bytes) -> tuple[Line, ...]:
    """Return the lines of a registry.

    Raises:
        DataError: it is over a limit.
    """
    if len(data) > MAX_REGISTRY_BYTES:
        raise DataError(f"the registry is larger than {MAX_REGISTRY_BYTES:,} bytes")
    rows = data.split(b"\n")
    if not rows[-1]:
        rows.pop()
    if len(rows) > MAX_RECORDS:
        raise DataError(f"the registry has more than {MAX_RECORDS:,} lines")
    return tuple(map(_parse_line, rows))


def valid_records(lines: Iterable[Line]) -> dict[str, Mapping[str, object]]:
    """Return the valid records by name, the first of a name."""
    found: dict[str, Mapping[str, object]] = {}
    for line in lines:
        if line.record is not None and not line.fault:
            found.setdefault(line.name, line.record)
    return found


def registry_faults(lines: Iterable[Line]) -> tuple[tuple[int, str], ...]:
    """Return (1-based line, what is wrong) of all lines that are no records or repeat a name."""
    faults, names = [], set()
    for number, line in enumerate(lines, 1):
        if line.fault:
            faults.append((number, line.fault))
        elif line.record is not None and line.name in names:
            faults.append((number, f"duplicate name {line.name!a}"))
        names.add(line.name)
    return tuple(faults)


def plan_registry(lines: Sequence[Line], desired: Mapping[str, Mapping[str, object]]) -> RegistryPlan:
    """Return what a registration does to a registry.

    Law: planning the result again prunes and appends nothing.

    Args:
        lines: the registry.
        desired: name of a server to the record that declared plugins imply.
    """
    kept: list[Line] = []
    pruned: list[str] = []
    ours: set[str] = set()
    for line in lines:
        if not line.source.startswith(SOURCE_PREFIX):
            kept.append(line)
        elif line.name in ours or line.record != desired.get(line.name):
            pruned.append(line.name)
        else:
            ours.add(line.name)
            kept.append(line)
    owners = {name: str(record["source"]) for name, record in valid_records(kept).items()}
    appended = [name for name in desired if name not in owners]
    taken = {
        name: owners[name] for name, record in desired.items() if owners.get(name, record["source"]) != record["source"]
    }
    rows = [*(line.raw for line in kept), *(build_line(desired[name]) for name in appended)]
    return RegistryPlan(tuple(rows), tuple(pruned), tuple(appended), taken)


def build_registry(rows: Iterable[bytes]) -> bytes:
    """Return the bytes of a registry: `parse_registry` gives its rows back."""
    return b"".join(row + b"\n" for row in rows)


def _parse_line(raw: bytes) -> Line:
    if not raw.strip():
        return Line(raw, None, "")
    try:
        value = parse_json(raw, allow_mark=False, max_bytes=MAX_RECORD_BYTES, max_depth=_MAX_DEPTH)
    except DataError as error:
        return Line(raw, None, f"invalid JSON: {error.message}")
    return Line(raw, value if isinstance(value, dict) else None, check_record(value))
