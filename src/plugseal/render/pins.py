"""What is pinned of a plugin's servers, and how what was seen last differs, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from plugseal.model.pins import INSTRUCTIONS, KINDS, Drift, Pinned, Snapshot, snapshot_digest
from plugseal.render.json import Json
from plugseal.render.text import GAP, Line, Piece, line
from plugseal.shown import shown

_STYLES: Final = {"changed": "high", "new": "medium", "gone": "medium"}
_MAX_NAMES: Final = 40


def render_pins(pins: Sequence[Pinned], *, word: str) -> Iterator[Line]:
    """Yield what is pinned, each difference field by field, and the command that approves what was seen.

    Args:
        pins: of the components.
        word: how the plugin is named in a command.
    """
    for pinned in pins:
        yield line(Piece(f"pinned of {shown(pinned.label)}", "title"), f"{GAP}{snapshot_digest(pinned.approved)[:16]}")
        for kind in KINDS:
            if kind in pinned.approved:
                yield line(f"{GAP}{kind}: ", _names(kind, sorted(pinned.approved[kind])))
        for drift in pinned.drifts:
            yield from _drift(drift)
        if pinned.seen:
            command = f"plugseal pins approve {word} {snapshot_digest(pinned.seen)}"
            yield line(GAP, "what was seen is approved with ", Piece(f"`{command}`", "command"))


def render_pins_json(pins: Sequence[Pinned]) -> list[Json]:
    """Return what is pinned as JSON."""
    return [
        {
            "component": pinned.label,
            "approved": {"snapshot": snapshot_digest(pinned.approved), **_plain(pinned.approved)},
            "seen": {"snapshot": snapshot_digest(pinned.seen), **_plain(pinned.seen)} if pinned.seen else None,
            "drifts": [
                {
                    "kind": drift.kind,
                    "name": drift.name,
                    "what": drift.what,
                    "fields": [field._asdict() for field in drift.fields],
                }
                for drift in pinned.drifts
            ],
        }
        for pinned in pins
    ]


def _plain(snapshot: Snapshot) -> dict[str, Json]:
    return {kind: dict(names) for kind, names in snapshot.items()}


def _names(kind: str, names: Sequence[str]) -> str:
    if kind == INSTRUCTIONS:
        return "as they were" if names else "none"
    rest = f" (and {len(names) - _MAX_NAMES:,} more)" if len(names) > _MAX_NAMES else ""
    return (", ".join(map(shown, names[:_MAX_NAMES])) or "none") + rest


def _drift(drift: Drift) -> Iterator[Line]:
    yield line(GAP, Piece(drift.what, _STYLES[drift.what]), f"  {shown(drift.title)}")
    for field in drift.fields:
        yield line(f"{GAP}{GAP}{shown(field.path) or '(whole)'}")
        yield line(f"{GAP}{GAP}  - ", "nothing" if field.before is None else shown(field.before))
        yield line(f"{GAP}{GAP}  + ", "nothing" if field.after is None else shown(field.after))
