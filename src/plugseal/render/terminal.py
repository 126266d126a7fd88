"""A scan as text: findings, what runs, what plugins can do, what is broken, refused or not read, the count.

Pure: from an `Inventory` to lines. The order of sections is fixed. Long lists are cut, never silently: each cut says
how many more there are and which command shows them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from plugseal.model.finding import Finding, Severity
from plugseal.model.inventory import BROKEN_MANIFEST, Inventory
from plugseal.model.reach import Paths
from plugseal.render.finding import render_finding
from plugseal.render.next import next_command
from plugseal.render.runs import render_runs
from plugseal.render.sections import (
    count_units,
    render_broken,
    render_left_out,
    render_loose,
    render_plugins,
    render_refused,
    render_unread,
)
from plugseal.render.text import BLANK, Line, Piece, count, line
from plugseal.shown import shown

if TYPE_CHECKING:
    from plugseal.model.explanation import Explanation

MAX_PER_RULE: Final = {Severity.HIGH: 20, Severity.MEDIUM: 10, Severity.LOW: 5, Severity.INFO: 3}
"""Findings of one rule that are shown in full: many small ones must not push the rest off the screen."""


def render_scan(
    inventory: Inventory,
    rules: Sequence[Explanation] = (),
    *,
    is_directory: bool = True,
    everything: bool = False,
    width: int = 100,
) -> Iterator[Line]:
    """Yield the whole text of a scan.

    Args:
        inventory: what the scan knows.
        rules: rules to explain after the findings.
        is_directory: whether the scanned path is a directory.
        everything: leave nothing out.
        width: columns that tables may use.
    """
    yield from _render_findings(inventory, everything=everything)
    yield from _render_pages(rules)
    sections = (
        render_runs(inventory.plugins, width=width, everything=everything),
        render_plugins(inventory.plugins, width=width),
        render_loose(inventory.loose, width=width, everything=everything),
        render_broken(inventory.plugins, everything=everything),
        render_refused(inventory, everything=everything),
        render_unread(inventory.unread, everything=everything),
        render_left_out(inventory.left_out),
        _render_opinions(inventory, everything=everything),
    )
    for section in sections:
        lines = list(section)
        if lines:
            yield from lines
            yield BLANK
    yield count_line(inventory)
    command = next_command(inventory, is_directory=is_directory)
    if command:
        yield line("next: ", Piece(f"`{command}`", "command"))


def _render_opinions(inventory: Inventory, *, everything: bool) -> Iterator[Line]:
    if inventory.opinions is None:
        return
    from plugseal.render.opinions import render_opinions

    yield from render_opinions(inventory.opinions, everything=everything)


def _render_pages(rules: Sequence[Explanation]) -> Iterator[Line]:
    if not rules:
        return
    from plugseal.render.explain import render_explanation

    for rule in rules:
        yield from render_explanation(rule)
        yield BLANK


def _render_findings(inventory: Inventory, *, everything: bool) -> Iterator[Line]:
    """Yield the worst first; within a severity by place, so that one file's findings stay together."""
    ordered = sorted(inventory.findings, key=lambda f: -f.severity.rank)
    paths = Paths(inventory.reach)
    seen: Counter[str] = Counter()
    for finding in ordered:
        seen[finding.rule] += 1
        if everything or seen[finding.rule] <= MAX_PER_RULE[finding.severity]:
            yield from render_finding(finding, paths)
            yield BLANK
    left_out = [f for f in ordered if seen[f.rule] > MAX_PER_RULE[f.severity]]
    if left_out and not everything:
        yield from _render_more_of_the_same(left_out, seen)
        yield BLANK


def _render_more_of_the_same(findings: Iterable[Finding], seen: Counter[str]) -> Iterator[Line]:
    yield line(Piece("More of the same", "title"), " (all of them: `--verbose`, or `--format json`)")
    files: dict[str, set[str]] = {}
    severities: dict[str, Severity] = {}
    for finding in findings:
        files.setdefault(finding.rule, set()).add(finding.file)
        severities[finding.rule] = finding.severity
    for rule, severity in severities.items():
        more = seen[rule] - MAX_PER_RULE[severity]
        where = count(len(files[rule]), "file")
        yield line("  ", Piece(f"{severity.value}[{shown(rule)}]", severity.value), f": {more:,} more; {where} in all")


def count_line(inventory: Inventory) -> Line:
    """Return the last result line: what was found, or on what a clean result rests."""
    tail = _incomplete(inventory)
    plugins = count_units(inventory.plugins)
    if not inventory.findings:
        rests = f"{count(inventory.files_read, 'file')} read, {len(inventory.unread):,} not read"
        style = "good" if inventory.plugins and not inventory.unread and not tail else ""
        text = f"{plugins}, no findings; {rests}, {count(inventory.rules, 'rule')}"
        return line(Piece(text, style), *(f"; {words}" for words in tail))
    counts = Counter(finding.severity for finding in inventory.findings)
    parts: list[str | Piece] = [f"{plugins}, {count(len(inventory.findings), 'finding')}: "]
    for severity in Severity:
        number = counts[severity]
        words = f"{number:,} {severity.value}"
        parts += [Piece(words, severity.value) if number else words, ", "]
    unread = f"; {count(len(inventory.unread), 'file')} not read"
    return line(*parts[:-1], unread, *(f"; {words}" for words in tail))


def _incomplete(inventory: Inventory) -> list[str]:
    broken = sum(1 for report in inventory.plugins if report.plugin.faults)
    refused = len({fault.path for fault in inventory.faults if fault.code != BROKEN_MANIFEST})
    words = [count(broken, "plugin") + " broken"] if broken else []
    prevents = f"{count(refused, 'path')} {'prevents' if refused == 1 else 'prevent'} a receipt"
    return [*words, prevents] if refused else words
