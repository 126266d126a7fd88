"""What runs, when, behind which gate: the components that start something, plugin by plugin.

Equal rows are one row: the same command for several triggers, the same rows of several plugins; what has trigger and
gate in common stands together. A command is shown as
the words that are executed, each as a JSON string, or as one string where a shell reads it; it breaks between words
alone, so that every word can be copied, and what is cut says by how much.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from plugseal.model.inventory import PluginReport
from plugseal.model.plugin import PINNING_WORDS, Component, ComponentKind, Plugin
from plugseal.records import NamedTuple
from plugseal.render.masked import masked_words
from plugseal.render.text import GAP, Line, Piece, count, line
from plugseal.shown import display_width, shown, shown_argv, shown_path

MAX_UNITS: Final = 24
"""Plugins whose rows are shown; of more the rest are counted."""
MAX_ROWS: Final = 16
"""Rows shown of one plugin."""
MAX_NAMES: Final = 6
"""Names of plugins with equal rows that are shown."""
MAX_WORD: Final = 400
"""Characters shown of one word of a command."""
_ALL: Final = "all of them: `--verbose`, or `--format json`"
_UNLIMITED: Final = 1_000_000
_RUN: Final = frozenset(
    {
        ComponentKind.HOOK,
        ComponentKind.SERVER,
        ComponentKind.EXECUTABLE,
        ComponentKind.MODULE,
        ComponentKind.MONITOR,
        ComponentKind.LANGUAGE_SERVER,
    }
)
"""Kinds that run or connect whatever else is known of them; others do if they have a command."""


_AWAY: Final = frozenset({"github-actions", "tooling"})
"""Systems of which nothing is known of the moment only because another machine runs it: steps of a build server."""
_ELSEWHERE: Final = ("elsewhere",)
"""The triggers of what runs on another machine."""
_NOT_KNOWN: Final = "when is not known"


class Row(NamedTuple):
    """One thing that runs."""

    what: tuple[str, ...]
    """Words as shown: a command, an address, a file."""
    how: str
    """A few words in front of it: `shell`, `http`, `in-process`; empty for an argument vector."""
    gate: str
    pinning: str
    """How what it fetches is pinned, in words; empty where it fetches nothing."""


_Rows: TypeAlias = "tuple[tuple[Row, tuple[str, ...]], ...]"


def render_runs(reports: Sequence[PluginReport], *, width: int, everything: bool = False) -> Iterator[Line]:
    """Yield the table, nothing where nothing runs.

    Args:
        reports: all plugins, in their order.
        width: columns to stay within where breaking between words can do it.
        everything: cut nothing.
    """
    groups: dict[_Rows, list[Plugin]] = {}
    limit = _UNLIMITED if everything else MAX_WORD
    for report in reports:
        rows = rows_of(report.plugin, limit=limit)
        if rows:
            groups.setdefault(rows, []).append(report.plugin)
    if not groups:
        return
    names = Counter((report.plugin.name, report.plugin.system) for report in reports)
    kept = list(groups.items()) if everything else list(groups.items())[:MAX_UNITS]
    cut = f" ({_ALL})" if len(kept) < len(groups) else ""
    yield line(Piece("What runs, when, behind which gate", "title"), cut)
    for rows, plugins in kept:
        yield _heading(plugins, names, everything=everything)
        shown_rows = rows if everything else _shortened(rows)
        before: object = None
        for row, triggers in shown_rows if everything else shown_rows[:MAX_ROWS]:
            if (row.gate, row.pinning, triggers) != before:
                yield _when(row, triggers)
            before = (row.gate, row.pinning, triggers)
            yield from _command(row, width=width)
        if not everything and len(shown_rows) > MAX_ROWS:
            yield line(GAP * 2, Piece(f"and {len(shown_rows) - MAX_ROWS:,} more", "dim"))
    rest = sum(len(plugins) for _, plugins in list(groups.items())[len(kept) :])
    if rest:
        yield line(GAP, Piece(f"and {count(rest, 'plugin')} more", "dim"))


def rows_of(plugin: Plugin, *, limit: int = MAX_WORD) -> _Rows:
    """Return what a plugin runs, each once with all of its triggers, in the order of its components.

    Args:
        plugin: the plugin.
        limit: characters shown of one word.
    """
    found: dict[Row, dict[str, None]] = {}
    fetched: dict[tuple[str, str, str], Counter[str]] = {}
    for component in plugin.components:
        if component.kind is ComponentKind.SOURCE and not component.command:
            key = (_moment(plugin, component.trigger), component.gate, "")
            fetched.setdefault(key, Counter()).update(package.pinning for package in component.packages)
        elif component.command or component.entry or component.kind in _RUN:
            found.setdefault(_what(component, limit), {})[_moment(plugin, component.trigger)] = None
    rows = [(row, tuple(triggers)) for row, triggers in found.items()]
    for (trigger, gate, _), pinnings in fetched.items():
        if pinnings:
            rows.append((Row((_sources(pinnings),), "fetches", gate, ""), (trigger,)))
    order = {key: at for at, key in enumerate(dict.fromkeys((r.gate, r.pinning, t) for r, t in rows))}
    return tuple(sorted(rows, key=lambda one: order[one[0].gate, one[0].pinning, one[1]]))


def _moment(plugin: Plugin, trigger: str) -> str:
    if trigger != "unknown":
        return trigger
    return _ELSEWHERE[0] if plugin.system in _AWAY else _NOT_KNOWN


def _sources(pinnings: Counter[str]) -> str:
    """Say how many sources are fetched, and how many of them are pinned in which way."""
    total = count(sum(pinnings.values()), "source")
    if len(pinnings) == 1:
        return f"{total}, {PINNING_WORDS[next(iter(pinnings))]}"
    return f"{total}: " + ", ".join(f"{number:,} {PINNING_WORDS[how]}" for how, number in sorted(pinnings.items()))


def _what(component: Component, limit: int) -> Row:
    pinning = ", ".join(dict.fromkeys(PINNING_WORDS[package.pinning] for package in component.packages))
    gate = shown(component.gate)
    if component.command:
        words = masked_words(component.command)
        return Row(tuple(shown_argv([word], limit=limit) for word in words), "shell" * component.shell, gate, pinning)
    if component.endpoint:
        address = shown_argv([masked_words([component.endpoint])[0]], limit=limit)
        return Row((address,), component.transport or "http", gate, pinning)
    extra = dict(component.extra)
    module = extra.get("module", "").strip('"')
    file = component.entry or module or (component.file if component.transport == "in-process" else "")
    if file:
        return Row((shown_path(file),), component.transport or "file", gate, pinning)
    kind = extra.get("type", "").strip('"') or component.kind.value
    return Row((shown(component.name),), shown(kind), gate, pinning)


def _heading(plugins: Sequence[Plugin], names: Counter[tuple[str, str]], *, everything: bool) -> Line:
    titles = []
    for plugin in plugins:
        title = shown(plugin.name, limit=60) or "(no name)"
        if names[plugin.name, plugin.system] > 1:
            title += f" ({shown_path(plugin.root) or '.'})"
        titles.append(title)
    kept = titles if everything else titles[:MAX_NAMES]
    more = f" and {len(titles) - len(kept):,} more" if len(kept) < len(titles) else ""
    systems = ", ".join(dict.fromkeys(shown(plugin.system) for plugin in plugins))
    return line(GAP, Piece(", ".join(kept), "literal"), more, f"{GAP}{systems}")


def _shortened(rows: _Rows) -> _Rows:
    """Return rows of which those that run on another machine, as the steps of a build server do, are counted."""
    here = tuple(row for row in rows if row[1] != _ELSEWHERE)
    away = len(rows) - len(here)
    if not away:
        return rows
    text = f"{count(away, 'command')} on another machine (all of them: `--verbose`)"
    return (*here, (Row((text,), "", "not the user's", ""), _ELSEWHERE))


def _when(row: Row, triggers: Sequence[str]) -> Line:
    when = ", ".join(shown(trigger) for trigger in triggers)
    parts: list[str | Piece] = [GAP * 2, when, f"{GAP}gate: ", row.gate or "not known"]
    if row.pinning:
        parts += [GAP, Piece(row.pinning, "" if row.pinning == PINNING_WORDS["exact"] else "medium")]
    return line(*parts)


def _command(row: Row, *, width: int) -> Iterator[Line]:
    """Yield the words of a command, broken between words where they don't fit."""
    indent = GAP * 3
    current = f"{row.how} " if row.how else ""
    for number, word in enumerate(row.what):
        longer = f"{current}{word} "
        if number and display_width(indent + longer.rstrip()) > width:
            yield line(indent, Piece(current.rstrip()))
            longer = f"{GAP}{word} "
        current = longer
    yield line(indent, Piece(current.rstrip()))
