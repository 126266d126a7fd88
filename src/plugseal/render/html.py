"""A scan as one HTML page: a single file without script that loads nothing, for people who would rather look.

Its content security policy allows one style sheet by its hash and nothing else, so that even markup that slipped in
could neither run nor load. Nothing in it is a link. A plugin's words come through `shown()` and are escaped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import plugseal
from plugseal.model.capability import Fact
from plugseal.model.finding import Finding, Severity
from plugseal.model.fingerprint import Owners
from plugseal.model.inventory import Inventory, PluginReport
from plugseal.model.reach import Paths
from plugseal.render.finding import place_of
from plugseal.render.html_build import Node, Part, Text, element, join, more, raw_style, scroll, worded
from plugseal.render.html_pictures import matrix, plugin_name, timeline
from plugseal.render.html_style import STYLE, policy
from plugseal.render.html_ways import draw_ways, ways_of
from plugseal.render.sections import names_of_rows
from plugseal.render.snippet import render_snippet
from plugseal.render.terminal import count_line
from plugseal.render.text import count, plain
from plugseal.shown import shown, shown_path

MAX_FINDINGS: Final = 500
"""Findings that are shown in full; all are counted."""
MAX_ROWS: Final = 1_000
MAX_GRAPHS: Final = 40


def render_html(inventory: Inventory) -> Iterator[str]:
    """Yield the page in pieces of text in ASCII."""
    yield from page("plugseal scan", _sections(inventory))


def page(title: str, sections: Iterator[Node]) -> Iterator[str]:
    """Yield a whole page.

    Args:
        title: of ours.
        sections: what stands in it, one after the other.
    """
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n'
    yield element("meta", {"charset": "utf-8"}) + "\n"
    yield element("meta", {"http-equiv": "Content-Security-Policy", "content": policy()}) + "\n"
    yield element("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}) + "\n"
    yield element("meta", {"name": "referrer", "content": "no-referrer"}) + "\n"
    yield element("title", None, Text(title)) + "\n"
    yield raw_style(STYLE) + "\n</head>\n<body>\n<main>\n"
    for section in sections:
        yield section + "\n"
    yield "</main>\n</body>\n</html>\n"


def _sections(inventory: Inventory) -> Iterator[Node]:
    yield element("h1", None, Text("What these plugins can do"))
    yield from scan_sections(inventory)


def scan_sections(inventory: Inventory) -> Iterator[Node]:
    """Yield the parts of a scan's page, without its title."""
    where = f"{shown_path(inventory.root) or '.'}, read and not run; plugseal {plugseal.__version__}, "
    yield element("p", {"class": "soft"}, Text(f"{where}{count(inventory.rules, 'rule')}"))
    yield element("p", {"class": "count"}, Text(plain(count_line(inventory))))
    yield _tiles(inventory)
    yield from _findings(inventory.findings)
    if inventory.plugins:
        yield heading("Plugins by capabilities", "How many different objects (hosts, files, programs) each can reach.")
        yield matrix(inventory.plugins)
    yield from _loose(inventory)
    when = timeline(inventory.plugins)
    if when is not None:
        yield heading("What runs when", "What a host starts, in the order of its life, and what it asks for before.")
        yield when
    yield from _graphs(inventory)
    yield from _not_read(inventory)
    yield from _receipts(inventory.plugins)


def _tiles(inventory: Inventory) -> Node:
    found = Counter(finding.severity for finding in inventory.findings)
    configurations = sum(1 for report in inventory.plugins if report.plugin.covers is not None)
    tiles = [(severity.value, found[severity], severity.value) for severity in reversed(Severity)]
    plugins = len(inventory.plugins) - configurations
    tiles.append(("plugin" if plugins == 1 else "plugins", plugins, ""))
    if configurations:
        tiles.append(("configuration" if configurations == 1 else "configurations", configurations, ""))
    for number, kind, style in ((inventory.files_read, "read", ""), (len(inventory.unread), "not read", "medium")):
        tiles.append((f"{'file' if number == 1 else 'files'} {kind}", number, style))
    items = []
    for name, number, style in tiles:
        big = element("b", {"class": style if number else ""}, Text(f"{number:,}"))
        items.append(element("li", None, big, Text(name)))
    return element("ul", {"class": "tiles"}, *items)


def heading(title: str, about: str = "") -> Node:
    """Return the heading of a section, with a line that says what it is about."""
    return join([element("h2", None, Text(title)), element("p", {"class": "soft"}, Text(about)) if about else Node("")])


def _findings(findings: Sequence[Finding]) -> Iterator[Node]:
    if not findings:
        return
    yield heading("Findings")
    ordered = sorted(findings, key=lambda finding: -finding.severity.rank)
    yield from map(finding_article, ordered[:MAX_FINDINGS])
    yield more(len(ordered) - MAX_FINDINGS, "finding")


def finding_article(finding: Finding) -> Node:
    """Return one finding: headline, place, source, facts, remedy."""
    severity = finding.severity.value
    tag = element("span", {"class": "tag"}, Text(f"{severity}[{shown(finding.rule)}]"))
    parts: list[Part] = [element("h3", None, tag, Text(f" {shown(finding.title)}"))]
    parts.append(element("div", {"class": "path"}, Text(place_of(finding.file, finding.span))))
    snippet = list(render_snippet(finding))
    if snippet:
        parts.append(_scrolling_code("\n".join(map(plain, snippet[1:-1]))))
    elif finding.note:
        parts.append(element("p", None, *worded(shown(finding.note))))
    facts = f"confidence {finding.confidence.value}"
    if finding.capability:
        facts = f"{shown(finding.capability)} {shown(finding.object or '')}".rstrip() + f"; {facts}"
    parts.append(element("p", {"class": "soft"}, Text(facts)))
    if finding.remedy:
        parts.append(element("p", None, *worded(f"Remedy: {shown(finding.remedy, limit=1_000)}")))
    return element("article", {"class": severity}, *parts)


def _scrolling_code(text: str) -> Node:
    return element("pre", {"tabindex": 0}, Text(text))


def _graphs(inventory: Inventory) -> Iterator[Node]:
    """Yield for each plugin the ways from what enters it to what it can do."""
    owners, paths = Owners(inventory.plugins), Paths(inventory.reach)
    by_plugin: dict[str, list[tuple[str, Fact]]] = {}
    for file, fact in inventory.facts:
        report = owners.report(file)
        if report is not None:
            by_plugin.setdefault(report.id, []).append((file, fact))
    drawn = [(report, by_plugin.pop(report.id)) for report in inventory.plugins if report.id in by_plugin]
    figures = []
    for report, facts in drawn[:MAX_GRAPHS]:
        plugin = report.plugin
        ways = ways_of(facts, paths, root="" if plugin.single_file else plugin.root)
        if ways:
            graph = draw_ways(ways, f"from what enters {shown(report.id)} to what it can do")
            figures.append(element("figure", None, element("figcaption", None, *plugin_name(report)), graph))
    if figures:
        about = "From what enters a plugin, over its functions, to what it can do there. The shortest way is drawn."
        yield heading("Ways to capabilities", about)
        yield from figures
        yield more(len(drawn) - MAX_GRAPHS, "plugin")


def _loose(inventory: Inventory) -> Iterator[Node]:
    rows = [(shown_path(one.path), f"{one.files:,}", names_of_rows(one.capabilities)) for one in inventory.loose]
    if rows:
        yield heading("Code of no plugin", "No manifest here says who runs it.")
        yield table(("Path", "Files", "Can do"), rows[:MAX_ROWS])
        yield more(len(rows) - MAX_ROWS, "path")


def _not_read(inventory: Inventory) -> Iterator[Node]:
    rows = [(shown_path(row.file), shown(row.reason)) for row in inventory.unread]
    rows += [(shown_path(file) or ".", f"{shown(code)}: {shown(message)}") for file, code, message in inventory.faults]
    if rows:
        yield heading("Not read, broken or refused", "Not the same as harmless: nothing is assumed about it.")
        yield table(("File", "Why"), rows[:MAX_ROWS])
        yield more(len(rows) - MAX_ROWS, "file")


def _receipts(reports: Sequence[PluginReport]) -> Iterator[Node]:
    rows = [
        (
            shown(report.plugin.name, limit=60) or "(no name)",
            shown_path(report.plugin.root) or ".",
            report.content_receipt or "none: it can't be represented",
            report.capability_receipt,
        )
        for report in reports
    ]
    if rows:
        yield heading("Receipts", "The SHA-256 of what each plugin is, and of what it can do.")
        yield table(("Plugin", "Where", "Content", "Capability"), rows[:MAX_ROWS])


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Node:
    """Return a table of texts that are ready to be shown; the first cell of a row names it."""
    heads = element("tr", None, *(element("th", {"scope": "col"}, Text(name)) for name in head))
    body = [
        element(
            "tr",
            None,
            element("th", {"scope": "row", "class": "path"}, Text(row[0])),
            *(element("td", {"class": "path"}, Text(cell)) for cell in row[1:]),
        )
        for row in rows
    ]
    whole = element("table", {"class": "rows"}, element("thead", None, heads), element("tbody", None, *body))
    return scroll(whole, ", ".join(head))
