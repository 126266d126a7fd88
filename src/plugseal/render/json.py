"""A scan as JSON for programs: `plugseal.scan/1`, described in `docs/reference/json.md`.

Lines and columns are 1-based. Everything beyond ASCII is escaped, and so is what a CI runner would take for a command,
so that a plugin's text reaches neither a terminal nor a runner as it is. What has no place in Unicode (a byte of a file
name that is not UTF-8) stands as the text `\\xNN`, since lone surrogates make many parsers give up. Literal credentials
are stars. One finding, plugin or file stands on each line.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import plugseal
from plugseal.model.finding import Finding, Severity
from plugseal.model.inventory import Capable, Inventory, Loose, PluginReport, Unread
from plugseal.model.opinion import Opinion
from plugseal.model.plugin import Component, Fault, Package
from plugseal.model.reach import Reached
from plugseal.model.secrets import mask_secrets
from plugseal.model.verdict import Conformance, HostVerdict
from plugseal.render.masked import masked_object, masked_value, masked_words
from plugseal.shown import shown_json

SCAN_FORMAT = "plugseal.scan/1"
Json: TypeAlias = "str | int | bool | Sequence[Json] | Mapping[str, Json] | None"


def render_scan_json(inventory: Inventory) -> Iterator[str]:
    """Yield the document in pieces of text, its last one ended by a newline."""
    head: dict[str, Json] = {
        "format": SCAN_FORMAT,
        "plugseal": plugseal.__version__,
        "root": inventory.root,
        "rules": {"count": inventory.rules, "digest": inventory.rules_digest},
        "counts": _counts(inventory),
        "complete": inventory.is_complete,
    }
    lists: dict[str, Iterable[Json]] = {
        "findings": map(finding_json, inventory.findings),
        "plugins": map(plugin_json, inventory.plugins),
        "unread": map(_unread, inventory.unread),
        "faults": ({"file": file, "code": code, "message": message} for file, code, message in inventory.faults),
        "left_out": inventory.left_out,
        "reach": map(reached_json, inventory.reach),
        "loose": map(_loose, inventory.loose),
    }
    if inventory.opinions is not None:
        head["second_opinion"] = inventory.opinions.by
        lists["opinions"] = map(_opinion, inventory.opinions.issues)
        lists["opinions_unread"] = map(_pair, inventory.opinions.unread)
    yield "{\n"
    for key, value in head.items():
        yield f'  "{key}": {encode(value)},\n'
    for number, (key, values) in enumerate(lists.items()):
        yield f'  "{key}": [' if number == 0 else f',\n  "{key}": ['
        yield from _rows(values)
    yield "\n}\n"


def _rows(values: Iterable[Json]) -> Iterator[str]:
    separator = "\n    "
    for value in values:
        yield separator + encode(value)
        separator = ",\n    "
    yield "]" if separator == "\n    " else "\n  ]"


def _opinion(one: Opinion) -> Json:
    known = {"capability": one.capability, "known": one.is_known}
    words = {"severity": one.severity, "confidence": one.confidence, "message": mask_secrets(one.message)}
    return {"file": one.file, **one.span._asdict(), "test": one.test, **words, **known}


def _pair(found: tuple[str, str]) -> Json:
    return {"file": found[0], "reason": found[1]}


def reached_json(reached: Reached) -> Json:
    """Return a call path: where it leads, by which entry, over which functions."""
    return {**reached._asdict(), "path": [step._asdict() for step in reached.path]}


def encode(value: Json) -> str:
    """Return one value as JSON in ASCII, without lone surrogates and without what a CI runner takes for a command."""
    text = json.dumps(value)
    # Both are rare: find them in the result, and only then take the value apart.
    if "\\ud" in text:
        text = json.dumps(_repaired(value))
    return shown_json(text)


def _repaired(value: Json) -> Json:
    if isinstance(value, str):
        return unicode_text(value)
    if isinstance(value, Mapping):
        return {unicode_text(key): _repaired(part) for key, part in value.items()}
    if isinstance(value, Sequence):
        return [_repaired(part) for part in value]
    return value


def unicode_text(text: str) -> str:
    r"""Return text without lone surrogates: an undecodable byte becomes `\xNN`, others `\uNNNN`."""
    return "".join(
        character
        if not "\ud800" <= character <= "\udfff"
        else f"\\x{ord(character) - 0xDC00:02x}"
        if "\udc80" <= character <= "\udcff"
        else f"\\u{ord(character):04x}"
        for character in text
    )


def _counts(inventory: Inventory) -> Json:
    found = Counter(finding.severity for finding in inventory.findings)
    return {
        "plugins": len(inventory.plugins),
        "broken_plugins": sum(1 for report in inventory.plugins if report.plugin.faults),
        "findings": len(inventory.findings),
        **{severity.value: found[severity] for severity in Severity},
        "files_read": inventory.files_read,
        "unread": len(inventory.unread),
        "faults": len(inventory.faults),
    }


def finding_json(finding: Finding) -> Json:
    """Return one finding."""
    return {
        "rule": finding.rule,
        "title": finding.title,
        "severity": finding.severity.value,
        "confidence": finding.confidence.value,
        "file": finding.file,
        "line": finding.span.line,
        "column": finding.span.column,
        "end_line": finding.span.end_line,
        "end_column": finding.span.end_column,
        "capability": finding.capability,
        "object": finding.object,
        "note": finding.note,
        "remedy": finding.remedy,
        "source": finding.source,
    }


def plugin_json(report: PluginReport) -> Json:
    """Return one plugin as its system describes it, with what it can do and its receipts."""
    plugin = report.plugin
    return {
        "id": report.id,
        "system": plugin.system,
        "name": plugin.name,
        "version": plugin.version,
        "description": plugin.description,
        "unit": "plugin" if plugin.covers is None else "configuration",
        "root": plugin.root,
        "covers": plugin.covers,
        "manifest": plugin.manifest,
        "files": report.files,
        "bytes": report.bytes,
        "components": [_component(component) for component in plugin.components],
        "permissions": plugin.permissions,
        "capabilities": [_capable(row) for row in report.capabilities],
        "beside": [_capable(row) for row in report.beside],
        "unread": [_unread(row) for row in report.unread],
        "faults": [fault_json(fault) for fault in plugin.faults],
        "extra": {name: masked_value(name, value) for name, value in plugin.extra},
        "conforms": None if plugin.conforms is None else conformance_json(plugin.conforms),
        "hosts": {host.host: host_json(host) for host in plugin.hosts},
        "content_receipt": report.content_receipt,
        "capability_receipt": report.capability_receipt,
        "token": report.token,
    }


def _loose(one: Loose) -> Json:
    return {"path": one.path, "files": one.files, "capabilities": [_capable(row) for row in one.capabilities]}


def _capable(row: Capable) -> Json:
    return {**row._asdict(), "object": None if row.object is None else masked_object(row.object)}


def conformance_json(verdict: Conformance) -> Json:
    """Return the verdict of a format's specification."""
    return {
        "rejected": verdict.rejected,
        "loaded": dict(verdict.loaded),
        "skipped": [row._asdict() for row in verdict.skipped],
        "reported": [row._asdict() for row in verdict.reported],
    }


def host_json(verdict: HostVerdict) -> Json:
    """Return a host's verdict with its further data beside it; credentials in it are stars."""
    return {
        "loads": verdict.loads,
        "summary": mask_secrets(verdict.summary),
        **_masked_data("", json.loads(verdict.data)),
    }


def _masked_data(name: str, value: Any) -> Any:
    """Return data without credentials, each text read beside its key; keys keep their order, which may be a host's."""
    if isinstance(value, str):
        return masked_value(name, value)
    if isinstance(value, dict):
        return {key: _masked_data(key, part) for key, part in value.items()}
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return masked_words(value)
    return [_masked_data(name, part) for part in value] if isinstance(value, list) else value


def _component(component: Component) -> Json:
    return {
        "kind": component.kind.value,
        "name": component.name,
        "file": component.file,
        "line": component.span.line,
        "transport": component.transport or None,
        "command": masked_words(component.command),
        "shell": component.shell,
        "cwd": component.cwd,
        "environment": [{"name": name, "from": source} for name, source in component.environment],
        "literals": [{"name": name, "value": masked_value(name, value)} for name, value in component.literals],
        "endpoint": None if component.endpoint is None else mask_secrets(component.endpoint),
        "headers": [{"name": name, "value": masked_value(name, value)} for name, value in component.headers],
        "trigger": component.trigger,
        "gate": component.gate or None,
        "packages": [_package(package) for package in component.packages],
        "entry": component.entry,
        "extra": {name: masked_value(name, value) for name, value in component.extra},
    }


def _package(package: Package) -> Json:
    return {
        "name": None if package.name is None else mask_secrets(package.name),
        "source": package.source or None,
        "pinning": package.pinning,
        "digest": package.digest or None,
    }


def fault_json(fault: Fault) -> Json:
    """Return one fault of a manifest."""
    return {"file": fault.file, "line": fault.line, "field": fault.field, "message": fault.message}


def _unread(row: Unread) -> Json:
    return {"file": row.file, "reason": row.reason}
