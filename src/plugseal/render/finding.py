"""One finding as a reader meets it: headline, place, source, facts, remedy, where to read more."""

from __future__ import annotations

from collections.abc import Iterator

from plugseal.model.finding import Finding
from plugseal.model.location import Span
from plugseal.model.reach import Paths
from plugseal.render.snippet import digits_of, render_snippet
from plugseal.render.text import Line, Piece, backticked, line
from plugseal.render.way import way_to
from plugseal.shown import shown, shown_path


def render_finding(finding: Finding, paths: Paths | None = None) -> Iterator[Line]:
    """Yield the block of one finding, without a blank line after it.

    Args:
        finding: what was found.
        paths: the ways to the functions of the tree.
    """
    indent = " " * digits_of(finding)
    yield headline(finding)
    yield line(Piece(f"{indent}--> ", "dim"), Piece(place_of(finding.file, finding.span), "path"))
    yield from render_snippet(finding)
    for name, words in _details(finding, paths):
        yield line(Piece(f"{indent} = ", "dim"), f"{name}: ", *backticked(words))
    command = Piece(f"`plugseal explain {shown(finding.rule)}`", "command")
    yield line(Piece(f"{indent} = ", "dim"), "explain: ", command)


def headline(finding: Finding) -> Line:
    """Return `severity[rule-id]: title`."""
    severity = finding.severity.value
    return line(Piece(f"{severity}[{shown(finding.rule)}]", severity), Piece(f": {shown(finding.title)}", "title"))


def place_of(file: str, span: Span) -> str:
    """Return a file with the place in it, ready to be shown; the file alone where the whole of it is meant."""
    path = shown_path(file)
    return f"{path}:{span.line}:{span.column}" if span.line else path


def _details(finding: Finding, paths: Paths | None) -> Iterator[tuple[str, str]]:
    if finding.capability:
        yield "capability", f"{shown(finding.capability)} {shown(finding.object or '')}".rstrip()
    yield "confidence", finding.confidence.value
    reached = paths.to(finding.file, finding.span.line) if paths is not None and finding.span.line else None
    if reached is not None:
        yield "reached by", way_to(reached, finding.file, finding.span.line)
    if finding.note and not (finding.source and finding.span.line):
        yield "because", shown(finding.note)
    if finding.remedy:
        yield "remedy", shown(finding.remedy, limit=1000)
