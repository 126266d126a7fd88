"""A scan as Markdown, for a comment on a pull request or a job summary: the count, what alarms, what plugins can do.

Pure: from an `Inventory` to lines. A plugin's words come through `markdown_text`. A comment on GitHub holds 65,536
characters, so what is beyond is counted instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from plugseal.model.finding import Finding
from plugseal.model.inventory import Inventory
from plugseal.render.finding import place_of
from plugseal.render.markdown_text import code, code_path, code_shown, fenced, words
from plugseal.render.sections import capability_names, names_of_rows
from plugseal.render.snippet import render_snippet
from plugseal.render.terminal import count_line
from plugseal.render.text import count, plain

MAX_CHARACTERS: Final = 60_000
"""Of the whole: GitHub refuses a comment of more than 65,536."""
_FINDINGS_CHARACTERS: Final = 40_000
_ROWS_CHARACTERS: Final = 16_000


def render_markdown(inventory: Inventory) -> Iterator[str]:
    """Yield the lines of the whole text, each ended by a newline."""
    yield "### plugseal scan\n"
    yield "\n"
    yield f"**{words(plain(count_line(inventory)))}**\n"
    ordered = sorted(inventory.findings, key=lambda finding: -finding.severity.rank)
    yield from cut(map(_finding, ordered), _FINDINGS_CHARACTERS, "finding")
    yield from _plugins(inventory)
    yield from _loose(inventory)
    yield from _unread(inventory)


def cut(blocks: Iterable[str], characters: int, what: str) -> Iterator[str]:
    """Yield blocks as long as they fit, then how many do not.

    Args:
        blocks: texts.
        characters: for all of them.
        what: the word for one of them.
    """
    left = 0
    for block in blocks:
        if left or len(block) > characters:
            left += 1
            continue
        characters -= len(block)
        yield block
    if left:
        yield f"\nand {count(left, what)} more: see `plugseal scan --format json`\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], what: str) -> Iterator[str]:
    """Yield a table whose cells are safe; nothing where there are no rows."""
    lines = [f"| {' | '.join(row)} |\n" for row in rows]
    if lines:
        yield f"\n| {' | '.join(head)} |\n|{' --- |' * len(head)}\n"
        yield from cut(lines, _ROWS_CHARACTERS, what)


def finding_block(finding: Finding) -> str:
    """Return one finding: headline, place, source, remedy."""
    return _finding(finding)


def _finding(finding: Finding) -> str:
    lines = [f"\n#### {finding.severity.value}: {words(finding.title)} ({code(finding.rule)})\n"]
    lines.append(f"\n{code_shown(place_of(finding.file, finding.span))}\n")
    snippet = list(render_snippet(finding))
    if snippet:
        lines.append("\n" + "".join(f"{row}\n" for row in fenced(snippet[1:-1])))
    elif finding.note:
        lines.append(f"\n{code(finding.note)}\n")
    if finding.remedy:
        lines.append(f"\nRemedy: {words(finding.remedy)}\n")
    return "".join(lines)


def _plugins(inventory: Inventory) -> Iterator[str]:
    rows = (
        (
            code(report.plugin.name, limit=60),
            code(report.plugin.system),
            code_path(report.plugin.root),
            code_shown(capability_names(report)) if report.capabilities or report.beside else "none found",
        )
        for report in inventory.plugins
    )
    yield from table(("Plugin", "System", "Where", "Can do"), rows, "plugin")


def _loose(inventory: Inventory) -> Iterator[str]:
    rows = (
        (code_path(one.path), f"{one.files:,}", code_shown(names_of_rows(one.capabilities))) for one in inventory.loose
    )
    yield from table(("Code of no plugin", "Files", "Can do"), rows, "path")


def _unread(inventory: Inventory) -> Iterator[str]:
    rows = ((code_path(row.file), code(row.reason)) for row in inventory.unread)
    yield from table(("Not read", "Why"), rows, "file")
