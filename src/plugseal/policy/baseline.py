"""A baseline of accepted findings: identities that stay when lines move, read and written.

It hides exactly as many findings as it lists: a second copy of an accepted line is new.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from plugseal.encode.json import parse_json
from plugseal.errors import CouldNotJudgeError, DataError
from plugseal.model.checked import Hidden
from plugseal.model.finding import Finding

FORMAT: Final = "plugseal.baseline/1"
_KEYS: Final = frozenset({"id", "rule", "file"})


def parse_baseline(data: bytes, *, name: str) -> dict[str, tuple[str, str]]:
    """Return rule and file of each accepted finding, by its identity.

    Raises:
        CouldNotJudgeError: it is no baseline.
    """
    try:
        document: Any = parse_json(data)
    except DataError as error:
        raise CouldNotJudgeError(f"the baseline is not understood: {error.message}", place=name) from error
    rows: Any = document.get("findings") if isinstance(document, dict) else None
    is_sound = (
        isinstance(document, dict)
        and document.keys() == {"format", "findings"}
        and document["format"] == FORMAT
        and isinstance(rows, list)
    )
    is_sound = is_sound and all(
        isinstance(row, dict) and row.keys() == _KEYS and all(isinstance(value, str) for value in row.values())
        for row in rows
    )
    if not is_sound:
        raise CouldNotJudgeError(
            "that is no baseline", place=name, hint="write one with `plugseal check --write-baseline FILE`"
        )
    return {row["id"]: (row["rule"], row["file"]) for row in rows}


def render_baseline(findings: Sequence[Finding], identities: Iterable[str]) -> str:
    """Return a baseline that accepts some findings, one on each line."""
    rows = [
        json.dumps({"id": identity, "rule": finding.rule, "file": finding.file})
        for finding, identity in zip(findings, identities, strict=True)
    ]
    body = ",\n    ".join(sorted(rows))
    return f'{{\n  "format": "{FORMAT}",\n  "findings": [' + (f"\n    {body}\n  " if rows else "") + "]\n}\n"


def apply_baseline(known: dict[str, tuple[str, str]], identities: Sequence[str]) -> tuple[frozenset[int], Hidden]:
    """Return the positions of the findings that are accepted, and what is to be said of it."""
    accepted = frozenset(number for number, identity in enumerate(identities) if identity in known)
    there = set(identities)
    dead = tuple(f"{rule} in {file}" for identity, (rule, file) in known.items() if identity not in there)
    return accepted, Hidden(len(accepted), dead)
