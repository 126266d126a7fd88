"""Findings as annotations of GitHub's runner: one command a line, worst first, in the runner's own escapes.

A plugin's words are shown as on a screen before they are escaped, so they are one line and hold no command of their
own. The runner shows ten errors and ten warnings of a step; what is beyond stands in the job summary.

See: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.model.finding import Finding
from plugseal.model.inventory import Inventory
from plugseal.records import NamedTuple
from plugseal.render.masked import masked_object
from plugseal.render.terminal import count_line
from plugseal.render.text import plain
from plugseal.shown import shown, shown_path

MAX_OF_A_KIND: Final = 10
_KINDS: Final = {"high": "error", "medium": "warning", "low": "notice", "info": "notice"}


class Annotation(NamedTuple):
    """One message at a place."""

    kind: str
    """`error`, `warning` or `notice`."""
    title: str
    message: str
    file: str = ""
    """Below the repository's root; hostile text."""
    line: int = 0
    end_line: int = 0
    column: int = 0
    end_column: int = 0


def render_github(inventory: Inventory, *, base: str = "") -> Iterator[str]:
    """Yield the lines of a scan's annotations, and the count as plain text.

    Args:
        inventory: what the scan knows.
        base: what leads from the repository's root to the scanned one, `/` between parts, where that is known.
    """
    prefix = f"{base}/" if base else ""
    ordered = sorted(inventory.findings, key=lambda finding: -finding.severity.rank)
    yield from render_annotations(_annotation(finding, prefix) for finding in ordered)
    yield plain(count_line(inventory)) + "\n"


def render_annotations(annotations: Iterable[Annotation]) -> Iterator[str]:
    """Yield as many annotations of each kind as the runner shows, in their order."""
    seen: Counter[str] = Counter()
    for annotation in annotations:
        seen[annotation.kind] += 1
        if seen[annotation.kind] <= MAX_OF_A_KIND:
            yield annotation_line(annotation)


def annotation_line(annotation: Annotation) -> str:
    """Return one annotation as the runner reads it, ended by a newline."""
    properties = {"file": _path(annotation.file), "title": shown(annotation.title)}
    if annotation.line:
        properties |= {"line": str(annotation.line), "endLine": str(annotation.end_line or annotation.line)}
        if annotation.column and annotation.end_line in (0, annotation.line):
            # The runner takes columns within one line alone, and counts the last one in.
            last = max(annotation.end_column - 1, annotation.column)
            properties |= {"col": str(annotation.column), "endColumn": str(last)}
    said = ",".join(f"{name}={_property(value)}" for name, value in properties.items() if value)
    return f"::{annotation.kind} {said}::{_data(shown(annotation.message, limit=2_000))}\n"


def _annotation(finding: Finding, prefix: str) -> Annotation:
    span = finding.span
    message = finding.title
    if finding.note:
        message += f": {finding.note}"
    elif finding.object:
        message += f": {masked_object(finding.object)}"
    if finding.remedy:
        message += f"; {finding.remedy}"
    return Annotation(
        _KINDS[finding.severity.value],
        f"{finding.severity.value}[{finding.rule}]",
        message,
        prefix + finding.file,
        span.line,
        span.end_line,
        span.column,
        span.end_column,
    )


def _path(file: str) -> str:
    return shown_path(file) if file else ""


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
