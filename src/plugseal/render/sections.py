"""The sections of a scan between findings and count: plugins, what is broken, what prevents a receipt, not read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from plugseal.model.capability import Capability
from plugseal.model.inventory import BROKEN_MANIFEST, Capable, Inventory, Loose, PluginReport, Unread
from plugseal.model.plugin import Fault, Plugin
from plugseal.render.text import GAP, Line, Piece, count, line, render_table
from plugseal.shown import shown, shown_path

MAX_UNGROUPED: Final = 12
"""Unread files that are listed one by one; more are grouped by reason."""
MAX_IN_GROUP: Final = 3
"""Paths shown of each group."""
MAX_LOOSE: Final = 20
"""Rows of code that no plugin covers."""
MAX_BROKEN: Final = 12
"""Broken plugins shown with their faults."""
MAX_MANIFEST_FAULTS: Final = 8
"""Faults shown of one broken plugin."""
MAX_NAME_COLUMNS: Final = 36
"""A plugin with a longer name (or name and place) has its capabilities on the next line."""

_ALL: Final = "all of them: `--verbose`, or `--format json`"
_REPEATED: Final = 60
"""Columns of capabilities that are said again for another client of the same folder; longer ones are referred to."""
_UNWRAPPED: Final = 1_000_000
_ORDER: Final = {capability.value: number for number, capability in enumerate(Capability)}


def count_units(reports: Sequence[PluginReport]) -> str:
    """Say how many plugins there are, and apart from them how many configurations, which nobody installs."""
    plugins = sum(1 for report in reports if report.plugin.covers is None)
    configurations = len(reports) - plugins
    words = [count(plugins, "plugin")] if plugins or not configurations else []
    words += [count(configurations, "configuration")] if configurations else []
    return " and ".join(words) if reports else "no plugins"


def render_plugins(reports: Sequence[PluginReport], *, width: int) -> Iterator[Line]:
    """Yield what each plugin can do, capabilities in the order of their list."""
    if not reports:
        return
    has_configuration = any(report.plugin.covers is not None for report in reports)
    yield line(Piece("Plugins", "title"), " and configurations of clients and tools" if has_configuration else "")
    names = Counter((report.plugin.name, report.plugin.system) for report in reports)
    said: dict[tuple[str, str, str], str] = {}
    rows = []
    for report in reports:
        plugin = report.plugin
        name = shown(plugin.name, limit=60) or "(no name)"
        if names[plugin.name, plugin.system] > 1:
            name += f" ({shown_path(plugin.root) or '.'})"
        can = capability_names(report)
        first = said.setdefault((plugin.name, plugin.root, can), plugin.system)
        if first != plugin.system and len(can) > _REPEATED:
            can = f"as for {shown(first)}"
        rows.append((Piece(name, "literal"), Piece(shown(plugin.system)), Piece(can or "none found")))
    yield from render_table(rows, width=width, first=MAX_NAME_COLUMNS)


def capability_names(report: PluginReport) -> str:
    """Return the names of what a plugin can do, each once."""
    return names_of_rows((*report.capabilities, *report.beside))


def names_of_rows(rows: Iterable[Capable]) -> str:
    """Return the names of capabilities, each once, in the order of their list."""
    names = {capable.capability for capable in rows}
    return ", ".join(sorted(map(shown, names), key=lambda name: (_ORDER.get(name, len(_ORDER)), name)))


def render_loose(loose: Sequence[Loose], *, width: int, everything: bool) -> Iterator[Line]:
    """Yield what code can do that no plugin covers."""
    if not loose:
        return
    kept = loose if everything or len(loose) <= MAX_LOOSE else loose[:MAX_LOOSE]
    cut = f"; {_ALL}" if len(kept) < len(loose) else ""
    yield line(Piece("Code of no plugin", "title"), f" (no manifest here says who runs it{cut})")
    yield from render_table([_loose_row(one) for one in kept], width=width, first=MAX_NAME_COLUMNS)
    if cut:
        yield line(GAP, Piece(f"and {count(len(loose) - len(kept), 'path')} more", "dim"))


def _loose_row(one: Loose) -> tuple[Piece, Piece, Piece]:
    files = count(one.files, "file")
    return Piece(shown_path(one.path), "path"), Piece(files), Piece(names_of_rows(one.capabilities))


def render_broken(plugins: Sequence[PluginReport], *, everything: bool) -> Iterator[Line]:
    """Yield for each plugin what in its manifests could not be understood; the rest of it was scanned."""
    broken = [report.plugin for report in plugins if report.plugin.faults]
    if not broken:
        return
    kept = broken if everything else broken[:MAX_BROKEN]
    cut = "; " + _ALL if len(kept) < len(broken) else ""
    yield line(Piece("Broken", "title"), f" (nothing is assumed about what could not be understood{cut})")
    for plugin in kept:
        name = shown(plugin.name, limit=60) or "(no name)"
        yield line(GAP, Piece(name, "literal"), f"{GAP}{shown(plugin.system)}")
        faults = plugin.faults if everything else plugin.faults[:MAX_MANIFEST_FAULTS]
        yield from (_manifest_fault(plugin, fault) for fault in faults)
        if len(faults) < len(plugin.faults):
            yield _more(len(plugin.faults) - len(faults), " (all of them: `--verbose`)")
    if len(kept) < len(broken):
        yield line(GAP, Piece(f"and {count(len(broken) - len(kept), 'plugin')} more", "dim"))


def _manifest_fault(plugin: Plugin, fault: Fault) -> Line:
    place = shown_path(plugin.path_of(fault.file)) + (f":{fault.line}" if fault.line else "")
    field = f"`{shown(fault.field)}`: " if fault.field else ""
    return line(f"{GAP}{GAP}", Piece(place, "path"), f"{GAP}{field}{shown(fault.message)}")


def render_refused(inventory: Inventory, *, everything: bool) -> Iterator[Line]:
    """Yield what keeps the tree, or a plugin in it, from having a receipt, grouped by code where there is much."""
    faults = [fault for fault in inventory.faults if fault.code != BROKEN_MANIFEST]
    if not faults:
        return
    cut = not everything and len(faults) > MAX_UNGROUPED
    notes = [] if inventory.hides_something else ["scanned all the same"]
    notes += [_ALL] if cut else []
    yield line(Piece("Prevents a receipt", "title"), f" ({'; '.join(notes)})" if notes else "")
    groups: dict[str, list[tuple[str, str]]] = {}
    for path, code, message in faults:
        groups.setdefault(code, []).append((path, message))
    if everything or len(faults) <= MAX_UNGROUPED:
        yield from render_table(
            [_refusal(code, *row) for code, rows in groups.items() for row in rows], width=_UNWRAPPED
        )
        return
    for code, rows in groups.items():
        yield line(GAP, Piece(shown(code), "medium"), f": {count(len(rows), 'path')}")
        for path, message in rows[:MAX_IN_GROUP]:
            yield line(f"{GAP}{GAP}", Piece(shown_path(path) or ".", "path"), f"{GAP}{shown(message)}")
        if len(rows) > MAX_IN_GROUP:
            yield _more(len(rows) - MAX_IN_GROUP)


def _refusal(code: str, path: str, message: str) -> tuple[Piece, Piece, Piece]:
    return Piece(shown(code), "medium"), Piece(shown_path(path) or ".", "path"), Piece(shown(message))


def render_unread(unread: Sequence[Unread], *, everything: bool) -> Iterator[Line]:
    """Yield what no reader understood: one by one, or grouped by reason where there is much of it."""
    if not unread:
        return
    cut = not everything and len(unread) > MAX_UNGROUPED
    yield line(Piece("Not read", "title"), f" ({_ALL})" if cut else "")
    if not cut:
        rows = [(Piece(shown_path(file), "path"), Piece(shown(reason))) for file, reason in unread]
        yield from render_table(rows, width=_UNWRAPPED)
        return
    groups: dict[str, list[str]] = {}
    for file, reason in unread:
        groups.setdefault(reason, []).append(file)
    for reason, files in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])):
        yield line(GAP, Piece(shown(reason), "medium"), f": {count(len(files), 'file')}")
        for file in files[:MAX_IN_GROUP]:
            yield line(f"{GAP}{GAP}", Piece(shown_path(file), "path"))
        if len(files) > MAX_IN_GROUP:
            yield _more(len(files) - MAX_IN_GROUP)


def _more(number: int, where: str = "") -> Line:
    return line(f"{GAP}{GAP}", Piece(f"and {number:,} more{where}", "dim"))


def render_left_out(names: Sequence[str]) -> Iterator[Line]:
    """Yield what is neither hashed nor staged by rule, so that no reader takes a receipt to cover it."""
    if names:
        yield line(Piece("Left out", "title"), " (no receipt covers it; its hooks and settings are looked at)")
        yield from (line(GAP, Piece(shown_path(name), "path")) for name in names)
