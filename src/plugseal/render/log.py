"""The judgement on trails as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import plugseal
from plugseal.model.trust import Verified
from plugseal.render.json import Json, encode
from plugseal.render.text import GAP, Line, Piece, count, line, pad
from plugseal.shown import shown, shown_path

VERIFY_FORMAT: Final = "plugseal.log-verify/1"


def render_verified(rows: Sequence[Verified], *, since: bool) -> Iterator[Line]:
    """Yield a row for each trail, then the count and what it rests on.

    Args:
        rows: the judgements.
        since: whether they were compared with checkpoints that were kept elsewhere.
    """
    for row in rows:
        name = Piece(shown(row.id, limit=120) or shown_path(row.place), "literal")
        verdict = Piece("ok    ", "good") if row.is_unbroken else Piece("broken", "high")
        yield line(GAP, verdict, GAP, pad(row.trail, 7), GAP, name, f"{GAP}{_what(row)}")
    broken = [row for row in rows if not row.is_unbroken]
    rests = "and the checkpoints that were kept elsewhere" if since else "a checkpoint kept elsewhere tells more"
    if broken:
        yield line(Piece(f"{len(broken):,} of {count(len(rows), 'trail')} broken", "high"))
        yield line("next: ", Piece("`plugseal explain trail-broken`", "command"))
    else:
        yield line(f"{count(len(rows), 'trail')} unbroken by the seal of this installation; {rests}")


def _what(row: Verified) -> str:
    if row.is_unbroken:
        note = f"; {shown(row.message)}" if row.message else ""
        return f"{count(row.size, 'entry', 'entries')}, {row.kept:,} whole{note}"
    return f"{row.kind}: {shown(row.message)}"


def render_verified_json(rows: Sequence[Verified]) -> Iterator[str]:
    """Yield the document, ended by a newline."""
    document: dict[str, Json] = {
        "format": VERIFY_FORMAT,
        "plugseal": plugseal.__version__,
        "unbroken": all(row.is_unbroken for row in rows),
        "trails": [row._asdict() for row in rows],
    }
    yield "{\n" + ",\n".join(f'  "{key}": {encode(value)}' for key, value in document.items()) + "\n}\n"
