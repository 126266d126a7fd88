"""What the lingtai kernel would do with an Agent Plugins package: its own verdict, beside the specification's.

lingtai mounts a package only if `init.json` declares it (`lingtai_init.py`); this says what the package becomes then:
skills by their labels, servers with every path as it would be rewritten, registry records exactly as they would be
written, what is skipped and why, what it lets through that the specification refuses, and what it crashes on. Our own
faults never rest on it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sized
from functools import partial

from plugseal.model.verdict import HostVerdict
from plugseal.records import NamedTuple
from plugseal.systems.agent_plugins.paths import is_inside
from plugseal.systems.agent_plugins.rules import check_manifest, check_server, reported_fields
from plugseal.systems.lingtai.documents import read_loosely
from plugseal.systems.lingtai.package import LingtaiPackage, read_package
from plugseal.systems.lingtai.registry import build_line, build_record, is_one_line
from plugseal.systems.reading.reader import PluginReader, dotted

HOST = "lingtai"


class LingtaiReading(NamedTuple):
    """A package as lingtai reads it, and what it implies for the registry."""

    package: LingtaiPackage
    records: tuple[dict[str, object], ...]
    """By name of the server, keys in lingtai's order, the plugin's root as `<root>`."""
    skipped: tuple[tuple[str, str], ...]
    """(component, reason)."""
    lets_through: tuple[tuple[str, str], ...]
    """(component, what) that the specification refuses or that reaches outside, and lingtai takes."""

    @property
    def loads(self) -> bool:
        """Say whether lingtai takes the plugin at all."""
        return not self.package.rejected and not self.package.crashes


def read_as_lingtai(reader: PluginReader) -> LingtaiReading:
    """Return a package as lingtai reads it."""
    package = read_package(reader)
    records, skipped = [], list(package.problems)
    for name, spec in package.servers.items():
        record, why = build_record(package.name, name, spec)
        if record is None:
            skipped.append((f"mcp:{name}", f"not registrable: {why}"))
        else:
            records.append(record)
    package.crashes += [crash for record in records for crash in _unwritable(record)]
    through = [*package.leaks, *_let_through(reader, package), *_odd_records(records), *_odd_paths(package)]
    return LingtaiReading(package, tuple(records), tuple(skipped), tuple(through))


def build_verdict(reading: LingtaiReading, mounts: Iterable[Mapping[str, object]] = ()) -> HostVerdict:
    """Return lingtai's verdict as every host's is.

    Args:
        reading: the package.
        mounts: by whom and how it is mounted in this tree, see `lingtai_init.find_mounts`.
    """
    package = reading.package
    mounts = list(mounts)
    tiers = {mount["mount"] for mount in mounts}
    data = {
        "mount": next((tier for tier in ("registered", "discovered") if tier in tiers), "undeclared"),
        "mounts": mounts,
        "rejected": package.rejected or None,
        "crashes": package.crashes,
        "skills": package.skills,
        "mcp_servers": list(package.servers),
        "mcp_registered": [record["name"] for record in reading.records],
        "rewritten": [
            {"server": server, "field": name, "declared": value, "becomes": gated.becomes, "note": gated.why}
            for server, name, value, gated in package.gated
        ],
        "records": list(reading.records),
        "skipped": [{"component": component, "reason": reason} for component, reason in reading.skipped],
        "lets_through": [{"component": component, "what": what} for component, what in reading.lets_through],
    }
    return HostVerdict(HOST, reading.loads, _summary(reading), json.dumps(data), tuple(_notes(reading)))


def _notes(reading: LingtaiReading) -> Iterable[str]:
    """Yield what lingtai skips and lets through, and every crash but the one that the summary tells."""
    yield from (f"crashes: {crash}" for crash in reading.package.crashes[1:])
    yield from (f"skips {component}: {reason}" for component, reason in reading.skipped)
    yield from (f"lets through {component}: {what}" for component, what in reading.lets_through)


def _summary(reading: LingtaiReading) -> str:
    package = reading.package
    if package.crashes:
        return f"crashes: {package.crashes[0]}"
    if package.rejected:
        return f"rejects it: {package.rejected}"
    text = f"if declared: {_count(package.skills, 'skill')}, {_count(reading.records, 'server')} registered"
    return f"{text}, {len(reading.skipped)} skipped" if reading.skipped else text


def _count(things: Sized, word: str) -> str:
    return f"{len(things)} {word}" if len(things) == 1 else f"{len(things)} {word}s"


def _unwritable(record: Mapping[str, object]) -> Iterable[str]:
    """Yield the crash of a record that can't be appended: what has no place in UTF-8 fails in the midst of a boot."""
    if any("\ud800" <= character <= "\udfff" for character in build_line(record)):
        yield f"UnicodeEncodeError: the record of {record['name']!a} holds a lone surrogate"


def _let_through(reader: PluginReader, package: LingtaiPackage) -> Iterable[tuple[str, str]]:
    """Yield what the specification refuses in what lingtai takes."""
    if package.rejected:
        return
    manifest = read_loosely(reader, "plugin.json")
    if manifest is not None and isinstance(manifest.value, dict):
        for problem in check_manifest(manifest.value):
            yield "plugin.json", f"`{dotted(problem.path)}` {problem.why}"
        for field, _ in reported_fields(manifest.value):
            yield "plugin.json", f"`{field}` is no field of the specification and is ignored without a word"
    document = read_loosely(reader, "mcp.json") if package.servers else None
    table = document.value if document is not None and isinstance(document.value, dict) else {}
    inside = partial(is_inside, reader.listing, reader.root)
    for name in package.servers:
        for problem in check_server(table["mcpServers"][name], inside):
            yield f"mcp:{name}", f"`{dotted(problem.path)}` {problem.why}" if problem.path else problem.why


def _odd_records(records: Iterable[Mapping[str, object]]) -> Iterable[tuple[str, str]]:
    for record in records:
        if not is_one_line(build_line(record)):
            yield f"mcp:{record['name']}", "its record is read back as two lines: every boot appends it again"


def _odd_paths(package: LingtaiPackage) -> Iterable[tuple[str, str]]:
    for server, name, value, gated in package.gated:
        if gated.why and gated.becomes is not None:
            yield f"mcp:{server}", f"`{name}` {value!a}: {gated.why}"
