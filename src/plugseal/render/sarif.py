"""A scan as SARIF 2.1.0, for GitHub code scanning and every other viewer, described in `docs/reference/outputs.md`.

Results come one after the other, so that memory stays flat. Paths are relative, percent-encoded URIs. A plugin's words
are shown as on a screen, and brackets in them are escaped: SARIF would read links in a message. Findings beyond what
GitHub accepts are left out, the least severe first, and a notification says how many.

See: https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/sarif-v2.1.0-errata01-os-complete.html
See: https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final
from urllib.parse import quote_from_bytes

import plugseal
from plugseal.model.finding import Finding
from plugseal.model.fingerprint import build_fingerprints
from plugseal.model.inventory import Inventory
from plugseal.render.json import Json, encode
from plugseal.render.masked import masked_object
from plugseal.shown import shown, shown_line

if TYPE_CHECKING:
    from plugseal.model.explanation import Explanation

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MAX_RESULTS: Final = 25_000
"""GitHub refuses a run with more."""
MAX_MESSAGE_CHARACTERS: Final = 2_000
MAX_TEXT: Final = 1_000
"""Characters of a description; GitHub takes 1,024."""
MAX_NOTIFICATIONS: Final = 1_000
_LEVELS: Final = {"info": "note", "low": "note", "medium": "warning", "high": "error"}
_SCORES: Final = {"info": "1.0", "low": "3.0", "medium": "5.5", "high": "8.0"}
"""What GitHub sorts by: below 4 is low, below 7 medium, below 9 high."""


def render_sarif(inventory: Inventory, rules: Sequence[Explanation], *, base: str = "") -> Iterator[str]:
    """Yield the document in pieces of text, its last one ended by a newline.

    Args:
        inventory: what the scan knows.
        rules: the pages of all rules that fired.
        base: what leads from the repository's root to the scanned one, `/` between parts, where that is known.
    """
    indexes = {rule.id: number for number, rule in enumerate(rules)}
    prefix = f"{base}/" if base else ""
    kept, left = _kept(inventory)
    yield f'{{\n"$schema": {encode(SCHEMA)},\n"version": "2.1.0",\n"runs": [{{\n'
    yield '"tool": {"driver": {"name": "plugseal", '
    yield f'"semanticVersion": {encode(plugseal.__version__)}, "rules": ['
    yield from _rows(_rule(rule) for rule in rules)
    yield ']}},\n"columnKind": "unicodeCodePoints",\n"automationDetails": {"id": "plugseal/scan/"},\n'
    yield f'"invocations": [{encode(_invocation(inventory, prefix, left))}],\n"results": ['
    yield from _rows(_result(finding, mark, indexes, prefix) for finding, mark in kept)
    yield "]\n}]\n}\n"


def relative_uri(path: str) -> str:
    """Return a path of a tree as a relative URI; bytes of a name that are not UTF-8 keep their value."""
    try:
        data = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        data = path.encode("utf-8", "surrogatepass")
    return quote_from_bytes(data, safe="/-._~")


def message_text(text: str) -> str:
    """Return hostile text for a message: as on a screen, without links and placeholders."""
    safe = shown(text, limit=MAX_MESSAGE_CHARACTERS)
    return safe.replace("[", "\\[").replace("]", "\\]").replace("{", "{{").replace("}", "}}")


def _kept(inventory: Inventory) -> tuple[Iterable[tuple[Finding, str]], int]:
    pairs = zip(inventory.findings, build_fingerprints(inventory), strict=True)
    left = len(inventory.findings) - MAX_RESULTS
    if left <= 0:
        return pairs, 0
    worst = sorted(pairs, key=lambda pair: -pair[0].severity.rank)
    return worst[:MAX_RESULTS], left


def _rows(values: Iterable[Json]) -> Iterator[str]:
    separator = "\n"
    for value in values:
        yield separator + encode(value)
        separator = ",\n"


def _rule(rule: Explanation) -> Json:
    facts = dict(rule.facts)
    severity = facts.get("severity", "medium")
    tags = ["security", *([facts["capability"]] if "capability" in facts else [])]
    parts = [(name, text) for name, text in (("Why", rule.why), ("Remedy", rule.remedy)) if text]
    what = _joined(rule.what)
    found: dict[str, Json] = {
        "id": f"plugseal/{rule.id}",
        "name": "".join(word.capitalize() for word in rule.id.split("-")),
        "shortDescription": {"text": _cut(rule.title)},
        "fullDescription": {"text": _cut(what)},
        "help": {
            "text": "\n\n".join([what, *(f"{name}: {_joined(text)}" for name, text in parts)]),
            "markdown": "\n\n".join([what, *(f"**{name}**: {_joined(text)}" for name, text in parts)]),
        },
        "defaultConfiguration": {"level": _LEVELS.get(severity, "warning")},
        "properties": {
            "tags": tags,
            "precision": facts.get("confidence", "medium"),
            "security-severity": _SCORES.get(severity, "5.5"),
            "problem.severity": {"error": "error", "warning": "warning"}.get(_LEVELS[severity], "recommendation"),
        },
    }
    if rule.references:
        found["helpUri"] = rule.references[0]
    return found


def _joined(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in text.strip().split("\n\n"))


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"


def _result(finding: Finding, mark: str, indexes: dict[str, int], prefix: str) -> Json:
    severity = finding.severity
    properties: dict[str, Json] = {"severity": severity.value, "confidence": finding.confidence.value}
    if finding.capability:
        properties["capability"] = finding.capability
        properties["object"] = None if finding.object is None else shown(masked_object(finding.object))
    found: dict[str, Json] = {
        "ruleId": f"plugseal/{finding.rule}",
        "level": _LEVELS[severity.value],
        "message": {"text": _said(finding)},
        "locations": [{"physicalLocation": _place(prefix + finding.file, finding)}],
        "partialFingerprints": {"plugseal/v1": mark, "primaryLocationLineHash": mark},
        "properties": properties,
    }
    if finding.rule in indexes:
        found["ruleIndex"] = indexes[finding.rule]
    return found


def _said(finding: Finding) -> str:
    said = message_text(finding.title)
    if finding.note:
        said += f": {message_text(finding.note)}"
    return f"{said}. {message_text(finding.remedy)}" if finding.remedy else said


def _place(file: str, finding: Finding) -> Json:
    span = finding.span
    where: dict[str, Json] = {"uri": relative_uri(file), "uriBaseId": "%SRCROOT%"}
    if not span.line:
        # GitHub shows nothing that has no line.
        return {"artifactLocation": where, "region": {"startLine": 1}}
    region: dict[str, Json] = {"startLine": span.line, "startColumn": max(span.column, 1)}
    if (span.end_line, span.end_column) > (span.line, max(span.column, 1)):
        region |= {"endLine": span.end_line, "endColumn": max(span.end_column, 1)}
    if finding.source:
        lines = [shown_line(line, 400).text for line in finding.source[: max(span.end_line - span.line + 1, 1)]]
        region["snippet"] = {"text": "\n".join(lines)}
    return {"artifactLocation": where, "region": region}


def _invocation(inventory: Inventory, prefix: str, left: int) -> Json:
    """Say that the run ended, and what it could not look at: viewers show it beside the results."""
    notes: list[Json] = []
    if left:
        notes.append(_note("error", f"{left:,} findings of the least severity are left out: GitHub takes 25,000"))
    rows = [(row.file, f"not read: {message_text(row.reason)}") for row in inventory.unread]
    rows += [(file, f"{code}: {message_text(message)}") for file, code, message in inventory.faults]
    notes += [_note("warning", text, prefix + file) for file, text in rows[:MAX_NOTIFICATIONS]]
    if len(rows) > MAX_NOTIFICATIONS:
        notes.append(_note("warning", f"{len(rows) - MAX_NOTIFICATIONS:,} more of these: see `--format json`"))
    return {
        "executionSuccessful": True,
        "toolExecutionNotifications": notes,
        "properties": {"complete": inventory.is_complete},
    }


def _note(level: str, text: str, file: str = "") -> Json:
    note: dict[str, Json] = {"level": level, "message": {"text": text}}
    if file:
        where = {"artifactLocation": {"uri": relative_uri(file), "uriBaseId": "%SRCROOT%"}}
        note["locations"] = [{"physicalLocation": where}]
    return note
