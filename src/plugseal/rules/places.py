"""Where a key of a rule file stands, so that a fault can name its line.

TOML parsers give no positions for values; rule files have one simple layout (top-level keys, then arrays of tables),
so a search for headers and keys finds them. It is only used to point a person at a line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence


def find_line(text: str, place: Sequence[str | int]) -> int:
    """Return the 1-based line of a key given as a path, e.g. `["match", 1, "keyword", "shell"]`.

    What can't be found is at the nearest parent that can: in the end line 1.
    """
    lines = text.split("\n")
    first, end = _section(lines, place)
    for part in reversed(place):
        if isinstance(part, str) and (line := _find_key(lines, part, first, end)):
            return line
    return first + 1


def _section(lines: Sequence[str], place: Sequence[str | int]) -> tuple[int, int]:
    """Return the 0-based lines from a table's header to the next one's."""
    headers = [number for number, line in enumerate(lines) if line.startswith("[")]
    if len(place) >= 2 and isinstance(place[1], int):
        own = [number for number in headers if lines[number].strip() == f"[[{place[0]}]]"]
        if place[1] < len(own):
            start = own[place[1]]
            return start, next((number for number in headers if number > start), len(lines))
    return 0, headers[0] if headers else len(lines)


def _find_key(lines: Sequence[str], key: str, first: int, end: int) -> int:
    """Return the 1-based line where a key is set within a section, 0 where it is not."""
    pattern = re.compile(rf"""(?:^|[{{,\s])["']?{re.escape(key)}["']?\s*=""")
    return next((number + 1 for number in range(first, end) if pattern.search(lines[number])), 0)
