"""The pictures of an HTML report: plugins by capabilities, and what runs when.

Each is a table or an SVG with a text beside it that says the same, so that nobody needs to see it. What is cut is
counted. Pure: from plugins and facts to nodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from plugseal.model.capability import Capability
from plugseal.model.inventory import PluginReport
from plugseal.render.html_build import Node, Text, element, join, more, scroll
from plugseal.render.runs import rows_of
from plugseal.shown import shown

MAX_PLUGINS: Final = 200
"""Rows of a picture."""
_PHASES: Final = (
    ("at install", ("install", "build")),
    ("when the folder opens", ("open", "import")),
    ("at start", ("start", "hook:SessionStart", "hook:Setup")),
    ("on events", ("hook:",)),
    ("when asked", ("tool", "command", "prompt", "prose")),
    ("elsewhere", ("elsewhere",)),
    ("not known", ("",)),
)
"""Columns of the timeline, with how the triggers in them begin; the first that fits takes it."""
_ORDER: Final = [capability.value for capability in Capability]


def matrix(reports: Sequence[PluginReport]) -> Node:
    """Return plugins by capabilities; a cell holds how many objects there are."""
    used = {row.capability for report in reports for row in (*report.capabilities, *report.beside)}
    columns = [name for name in _ORDER if name in used]
    head = element(
        "tr",
        None,
        element("th", {"scope": "col"}, Text("Plugin")),
        *(element("th", {"scope": "col"}, element("div", {"class": "turned"}, Text(name))) for name in columns),
    )
    rows = [_matrix_row(report, columns) for report in reports[:MAX_PLUGINS]]
    table = element("table", {"class": "matrix"}, element("thead", None, head), element("tbody", None, *rows))
    return join([scroll(table, "plugins by capabilities"), more(len(reports) - MAX_PLUGINS, "plugin")])


def _matrix_row(report: PluginReport, columns: Sequence[str]) -> Node:
    objects: Counter[str] = Counter()
    for capability, _ in {(row.capability, row.object) for row in (*report.capabilities, *report.beside)}:
        objects[capability] += 1
    cells = []
    for name in columns:
        number = objects[name]
        attributes: dict[str, str | int] = {"class": "on"} if number else {}
        cells.append(element("td", attributes, Text(f"{number:,}" if number else "\u00b7")))
    return element("tr", None, element("th", {"scope": "row"}, *plugin_name(report)), *cells)


def plugin_name(report: PluginReport) -> tuple[Node | Text, ...]:
    """Return a plugin's name with its system."""
    name = shown(report.plugin.name, limit=60) or "(no name)"
    return Text(name), Text(" "), element("span", {"class": "soft"}, Text(shown(report.plugin.system)))


def timeline(reports: Sequence[PluginReport]) -> Node | None:
    """Return what runs in which phase of a host's life, plugin by plugin; None where nothing runs."""
    running = [(report, cells) for report in reports if any(cells := _phases(report))]
    if not running:
        return None
    used = [at for at in range(len(_PHASES)) if any(cells[at] for _, cells in running)]
    names = ("Plugin", *(_PHASES[at][0] for at in used))
    heads = [element("th", {"scope": "col"}, Text(name)) for name in names]
    rows = [
        element(
            "tr",
            None,
            element("th", {"scope": "row"}, *plugin_name(report)),
            *(element("td", None, *cells[at]) for at in used),
        )
        for report, cells in running[:MAX_PLUGINS]
    ]
    body = element("tbody", None, *rows)
    table = element("table", {"class": "line"}, element("thead", None, element("tr", None, *heads)), body)
    return join([scroll(table, "what runs when"), more(len(running) - MAX_PLUGINS, "plugin")])


def _phases(report: PluginReport) -> list[list[Node]]:
    cells: list[list[Node]] = [[] for _ in _PHASES]
    for row, triggers in rows_of(report.plugin, limit=120):
        for number in sorted({_phase(trigger) for trigger in triggers}):
            what = " ".join(row.what)
            when = ", ".join(shown(trigger) for trigger in triggers if _phase(trigger) == number)
            said = f"{row.how} {what}".strip()
            gate = f"{when}; gate: {row.gate or 'not known'}"
            small = element("small", None, Text(gate))
            cells[number].append(
                element("div", {"class": "chip"}, element("code", None, Text(_short(said, 240))), small)
            )
    return cells


def _phase(trigger: str) -> int:
    for number, (_, beginnings) in enumerate(_PHASES):
        if any(trigger == word or (word.endswith(":") and trigger.startswith(word)) for word in beginnings):
            return number
    return len(_PHASES) - 1


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}\u2026 (+{len(text) - limit:,})"
