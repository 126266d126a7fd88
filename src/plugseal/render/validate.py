"""What `validate` says, as text and as JSON: `plugseal.validate/1`, described in `docs/reference/json.md`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import plugseal
from plugseal.model.plugin import Fault
from plugseal.model.validation import Validated, Validation
from plugseal.model.verdict import Conformance
from plugseal.render.json import Json, conformance_json, encode, fault_json, host_json
from plugseal.render.text import BLANK, GAP, Line, Piece, count, line
from plugseal.shown import shown, shown_path

VALIDATE_FORMAT: Final = "plugseal.validate/1"
MAX_FAULTS: Final = 100
"""Faults shown of one plugin; all of them with `--verbose`."""
MAX_CONFORMING: Final = 20
"""Plugins; of more, those that conform are counted and shown with `--verbose` alone."""

_KINDS: Final = {"skills": "skill", "mcpServers": "MCP server"}


def render_validation(validations: Sequence[Validation], *, everything: bool = False) -> Iterator[Line]:
    """Yield each plugin with its faults, what others say of it, and the count line.

    Args:
        validations: of one path, or of several folders.
        everything: leave nothing out.
    """
    shown_ones = [(validation, one) for validation in validations for one in validation.plugins]
    left_out = 0
    if not everything and len(shown_ones) > MAX_CONFORMING:
        wrong = [(validation, one) for validation, one in shown_ones if not one.conforms]
        left_out, shown_ones = len(shown_ones) - len(wrong), wrong
    for validation, one in shown_ones:
        yield from _plugin(validation, one, everything=everything)
        yield BLANK
    if left_out:
        words = (
            f"{count(left_out, 'plugin conforms', 'plugins conform')} and {'is' if left_out == 1 else 'are'} not shown"
        )
        yield line(Piece(f"{words} (all of them: `--verbose`)", "dim"))
        yield BLANK
    yield validation_line(validations)


def validation_line(validations: Sequence[Validation]) -> Line:
    """Return the last result line."""
    plugins = [one for validation in validations for one in validation.plugins]
    faults = sum(validation.faults for validation in validations)
    broken = sum(1 for one in plugins if one.plugin.faults)
    open_ones = sum(1 for one in plugins if one.not_judged)
    short = sum(1 for one in plugins if one.keeps_rules and not one.conforms)
    if not faults and not open_ones and not short:
        words = "1 plugin conforms" if len(plugins) == 1 else f"{len(plugins):,} plugins conform"
        return line(Piece(words, "good"))
    rest = f"; {open_ones:,} not judged in full" if open_ones else ""
    rest += f"; {short:,} not loaded in full by the specification" if short else ""
    said = [Piece(count(faults, "fault"), "high"), f" in {broken:,}"] if faults else ["no faults"]
    return line(f"{count(len(plugins), 'plugin')}, ", *said, rest)


def _plugin(validation: Validation, one: Validated, *, everything: bool) -> Iterator[Line]:
    plugin = one.plugin
    title = f"{shown(plugin.name)} {shown(plugin.version)}".rstrip()
    place = f"{validation.path.rstrip('/')}/{plugin.root}" if plugin.root else validation.path
    yield line(Piece(title, "title"), f"{GAP}{shown(plugin.system)}{GAP}", Piece(shown_path(place), "path"))
    kept = plugin.faults if everything else plugin.faults[:MAX_FAULTS]
    for fault in kept:
        where = shown_path(fault.file) + (f":{fault.line}" if fault.line else "")
        field = f"`{shown(fault.field)}`: " if fault.field else ""
        yield line(GAP, Piece("fault", "high"), f"{GAP}", Piece(where, "path"), f"{GAP}{field}{shown(fault.message)}")
    if len(kept) < len(plugin.faults):
        yield line(GAP, Piece(f"and {len(plugin.faults) - len(kept):,} more (all of them: `--verbose`)", "dim"))
    if one.not_judged:
        yield line(GAP, Piece("not judged", "medium"), f"{GAP}{shown(one.not_judged)}")
    elif not plugin.faults:
        yield line(GAP, Piece("conforms", "good") if one.conforms else "no faults")
    if plugin.conforms is not None:
        yield from _specification(plugin.conforms)
    told = {words for fault in plugin.faults for words in _told(fault)}
    for host in plugin.hosts:
        yield line(GAP, Piece(shown(host.host), "literal"), f"{GAP}{shown(host.summary)}")
        notes = [note for note in host.notes if note not in told]
        kept_notes = notes if everything else notes[:MAX_FAULTS]
        for note in kept_notes:
            yield line(f"{GAP}{GAP}{shown(note)}")
        if len(kept_notes) < len(notes):
            yield line(f"{GAP}{GAP}", Piece(f"and {len(notes) - len(kept_notes):,} more (`--verbose`)", "dim"))


def _told(fault: Fault) -> tuple[str, str]:
    """Return a fault in the words in which a host's note would say it again."""
    words = f"`{fault.field}` {fault.message}" if fault.field else fault.message
    return words, f"{fault.file}: {words}"


def _specification(verdict: Conformance) -> Iterator[Line]:
    if verdict.rejected is not None:
        yield line(GAP, Piece("specification", "literal"), f"{GAP}rejects it: {shown(verdict.rejected)}")
        return
    loaded = [count(len(names), _KINDS.get(kind, shown(kind))) for kind, names in verdict.loaded if names]
    yield line(GAP, Piece("specification", "literal"), f"{GAP}loads {', '.join(loaded) or 'nothing'}")
    for skipped in verdict.skipped:
        yield line(f"{GAP}{GAP}skips ", Piece(shown(skipped.what), "path"), f": {shown(skipped.why)}")
    for reported in verdict.reported:
        yield line(f"{GAP}{GAP}reports `{shown(reported.field)}`: {shown(reported.why)}")


def render_validation_json(validations: Sequence[Validation]) -> Iterator[str]:
    """Yield the document, ended by a newline."""
    plugins = [(validation, one) for validation in validations for one in validation.plugins]
    document: dict[str, Json] = {
        "format": VALIDATE_FORMAT,
        "plugseal": plugseal.__version__,
        "paths": [validation.path for validation in validations],
        "conforms": all(one.conforms for _, one in plugins),
        "plugins": [_json(validation, one) for validation, one in plugins],
    }
    yield "{\n" + ",\n".join(f'  "{key}": {encode(value)}' for key, value in document.items()) + "\n}\n"


def _json(validation: Validation, one: Validated) -> Json:
    plugin = one.plugin
    return {
        "id": one.id,
        "system": plugin.system,
        "name": plugin.name,
        "version": plugin.version,
        "path": validation.path,
        "root": plugin.root,
        "manifest": plugin.manifest,
        "faults": [fault_json(fault) for fault in plugin.faults],
        "not_judged": one.not_judged,
        "conforms": None if plugin.conforms is None else conformance_json(plugin.conforms),
        "hosts": {host.host: host_json(host) for host in plugin.hosts},
    }
