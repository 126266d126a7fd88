"""One line of JSON as a message: an object that every parser reads alike, or nothing.

A key that stands twice, a number that is none or none that has an end, half of a character: what two parsers could read
differently is no message.
"""

from __future__ import annotations

import json
import math
from typing import Any, Final

_HALF: Final = b"\\ud"


def parse_message(line: bytes) -> dict[str, Any] | None:
    """Return the object of a line, None where it is none."""
    try:
        found = json.loads(line, object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite)
        if _HALF in line.lower():
            json.dumps(found, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _refuse(text: str) -> float:
    raise ValueError(text)
