"""What amber itself would do with a plugin: often more than it documents, so shown beside our own verdict.

Follows the order of checks in amber's code. The executable is looked for inside the scanned tree alone: where `main`
leads out of it, that depends on the machine and is said so.
See: https://github.com/jtrefon/amber
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Final

from plugseal.model.plugin import Plugin
from plugseal.model.tree import EntryKind
from plugseal.model.verdict import HostVerdict
from plugseal.records import NamedTuple
from plugseal.systems.amber.rules import ID, MANIFEST, PROTOCOL_VERSION
from plugseal.systems.components.tools import MAX_RIVALS, shared_tools
from plugseal.systems.reading.reader import Document, PluginReader, compact

HOST: Final = "amber"
_MAX_INT: Final = 2**31
_MAX_BRACKETS: Final = 300
"""In a manifest that is parsed a second time: how deep that parser may go differs between versions of Python."""


class _Judged(NamedTuple):
    """How far amber gets."""

    state: str
    """`disabled` (as every plugin before it is switched on), `incompatible`, `aborts`, or `unknown`."""
    error: str = ""


def host_verdict(reader: PluginReader, document: Document | None, folder: str | None) -> HostVerdict:
    """Return what amber would do.

    Args:
        reader: with all faults of the manifest.
        document: the manifest, None where it could not be read.
        folder: the directory's name where amber looks for plugins, None elsewhere.
    """
    table = reader.table(document)
    plugin = folder if folder is not None else _text(table, "id")
    judged = _judge(reader, document, table)
    loads: bool | None = None if judged.state == "unknown" else judged.state == "disabled"
    if folder is not None and folder.startswith("."):
        judged, loads = _Judged("ignored", "its directory's name begins with a dot"), False
    accepts = loads is True and bool(reader.faults)
    data = {
        "id": plugin,
        "state": judged.state,
        "error": judged.error,
        "tools": [f"plugin_{plugin}_{name}" for name in _tool_names(table)] if loads else [],
        "accepts_faults": accepts,
    }
    return HostVerdict(HOST, loads=loads, summary=_summary(judged, accepts=accepts), data=compact(data))


def with_rivals(plugins: Iterable[Plugin]) -> Iterable[Plugin]:
    """Return the plugins with what their tools have to do with each other's, once amber has them all.

    Two plugins can register one name, as id `a_b` with `c` and id `a` with `b_c` do; switching off `a` takes away all
    tools whose names begin with `plugin_a_`, those of `a_b` too.
    """
    plugins = list(plugins)
    names = sorted({plugin.name for plugin in plugins})
    return [_beside(plugin, names, tools) for plugin, tools in zip(plugins, shared_tools(plugins), strict=True)]


def _beside(plugin: Plugin, names: Sequence[str], tools: Mapping[str, Sequence[str]]) -> Plugin:
    """Return a plugin with its rivals; another copy of itself is none, since amber takes the first."""
    others = {tool: [name for name in claimed if name != plugin.name] for tool, claimed in tools.items()}
    shared = {tool: claimed for tool, claimed in others.items() if claimed}
    first = bisect_left(names, f"{plugin.name}_")
    takes = list(takewhile(lambda name: name.startswith(f"{plugin.name}_"), names[first : first + MAX_RIVALS]))
    if not shared and not takes:
        return plugin
    verdict = plugin.hosts[0]
    data = {**json.loads(verdict.data), "shared_tools": shared, "switches_off": takes}
    notes = [f"`{tool}` is a tool of `{claimed[0]}` too" for tool, claimed in shared.items()]
    notes += [f"switching it off takes away the tools of `{name}` too" for name in takes]
    summary = "; ".join([verdict.summary, *notes[:1]])
    return plugin._replace(hosts=(verdict._replace(summary=summary, data=compact(data), notes=tuple(notes[1:])),))


def _judge(reader: PluginReader, document: Document | None, table: dict[str, object]) -> _Judged:
    if document is None:
        return _judge_unread(reader)
    value = table.get("protocol_version", 0)
    if not isinstance(value, (bool, int, float)):
        return _Judged("aborts", "protocol_version is no number, which ends amber itself")
    if isinstance(value, float) and not -_MAX_INT < value < _MAX_INT:
        return _Judged("unknown", "protocol_version does not fit an integer of amber's")
    protocol = int(value)
    if not ID.fullmatch(_text(table, "id")):
        return _Judged("incompatible", f"invalid id '{_text(table, 'id')}' (expected [a-z0-9_]+)")
    if not _text(table, "version"):
        return _Judged("incompatible", "missing version")
    if protocol != PROTOCOL_VERSION:
        return _Judged("incompatible", f"protocol version {protocol} unsupported (harness speaks {PROTOCOL_VERSION})")
    return _judge_main(reader, _text(table, "main"))


def _judge_unread(reader: PluginReader) -> _Judged:
    """Say what becomes of a manifest that was not read: ours is the stricter parser, what both refuse is told."""
    if not reader.exists(MANIFEST):
        return _Judged("incompatible", "manifest.json missing or unreadable")
    data = reader.listing.kept.get(reader.real(MANIFEST) or "", b"[" * (_MAX_BRACKETS + 1))
    if data.count(b"[") + data.count(b"{") <= _MAX_BRACKETS:
        try:
            json.loads(data.removeprefix(b"\xef\xbb\xbf").decode("utf-8"), parse_int=str, parse_constant=_refuse)
        except ValueError:
            return _Judged("incompatible", "manifest.json is not valid JSON")
    return _Judged("unknown", "plugseal does not read its manifest, amber may")


def _refuse(name: str) -> None:
    raise ValueError(name)


def _judge_main(reader: PluginReader, declared: str) -> _Judged:
    """Look for the executable as amber does: any path after the directory's own, links followed wherever they lead."""
    main = declared.partition("\0")[0]  # The name ends there for the system call.
    missing = _Judged("incompatible", f"main executable '{main}' missing or not executable")
    if not main:
        return missing
    below = reader.path(main)
    real = reader.listing.resolve(below)
    if real is not None:
        entry = reader.listing.entries.get(real)
        found = entry is not None and entry.kind is EntryKind.FILE and entry.executable
        return _Judged("disabled") if found else missing
    climbs = ".." in main.split("/") or _passes_link(reader, below)
    return _Judged("unknown", "main leads out of what was read") if climbs else missing


def _passes_link(reader: PluginReader, path: str) -> bool:
    parts = path.split("/")
    entries = (reader.listing.entries.get("/".join(parts[:end])) for end in range(1, len(parts) + 1))
    return any(entry is not None and entry.kind is EntryKind.SYMLINK for entry in entries)


def _tool_names(table: dict[str, object]) -> list[str]:
    """Return the names of the tools that amber registers: of a list, or of the values of a table."""
    tools = table.get("tools")
    items = tools.values() if isinstance(tools, dict) else tools if isinstance(tools, list) else ()
    names = (item.get("name") for item in items if isinstance(item, dict))
    return [name for name in names if isinstance(name, str)]


def _summary(judged: _Judged, *, accepts: bool) -> str:
    if judged.state == "disabled":
        return "accepts it all the same; off until switched on" if accepts else "off until switched on"
    return f"{judged.state}: {judged.error}"


def _text(table: dict[str, object], field: str) -> str:
    value = table.get(field)
    return value if isinstance(value, str) else ""
