"""Say whether a fresh scan stays within a reviewed capability document: launch data equal, facts no more."""

from __future__ import annotations

import json
from collections.abc import Mapping

_SCANNED = "capabilities"


def compare_documents(reviewed: Mapping[str, object], fresh: bytes) -> list[str]:
    """Return what is not within a reviewed document, none where everything is.

    Args:
        reviewed: the document that a receipt names; its digest was verified.
        fresh: the bytes of the document that a scan of today makes.

    Returns:
        Each in a few words; hostile text.
    """
    now = json.loads(fresh)
    changed = [
        f"`{key}` is not what was reviewed"
        for key in sorted(now.keys() | reviewed.keys())
        if key != _SCANNED and now.get(key) != reviewed.get(key)
    ]
    known = {_row(row) for row in _rows(reviewed)}
    fresh_rows = [_row(row) for row in _rows(now) if _row(row) not in known]
    return [*changed, *(f"new: {' '.join(part or '?' for part in row)}" for row in fresh_rows)]


def _rows(document: Mapping[str, object]) -> list[object]:
    rows = document.get(_SCANNED)
    return list(rows) if isinstance(rows, list) else []


def _row(row: object) -> tuple[str | None, ...]:
    """Return a row that can be compared, each part as text; an unknown object stays None and equals nothing else."""
    if not isinstance(row, list):
        return (json.dumps(row, sort_keys=True),)
    return tuple(part if part is None or isinstance(part, str) else json.dumps(part, sort_keys=True) for part in row)
