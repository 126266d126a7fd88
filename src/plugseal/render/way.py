"""A call path in one line: `tool deploy -> helper.run -> server.py:41`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.model.reach import Reached
from plugseal.shown import shown, shown_path

MAX_STEPS: Final = 6
"""Functions shown of one path: the first and the last ones; a count stands for those between."""
_AROUND: Final = ("<module>", "<main>")
_NAMES: Final = {"import": "import of", "start": "start of"}


def way_to(reached: Reached, file: str, line: int) -> str:
    """Return the path to a line of a function, ready to be shown.

    Args:
        reached: the way to the function.
        file: as it is shown.
        line: in it.
    """
    names = list(_names(reached))
    if len(names) > MAX_STEPS:
        left_out = len(names) - MAX_STEPS + 1
        names[MAX_STEPS // 2 : MAX_STEPS // 2 + left_out] = [f"({left_out:,} more)"]
    return " -> ".join([*names, f"{shown_path(file)}:{line}"])


def _names(reached: Reached) -> Iterator[str]:
    first = reached.path[0]
    if reached.entry in _NAMES:
        yield f"{_NAMES[reached.entry]} {shown_path(first.file)}"
    else:
        yield shown(reached.entry)
    before = first.file
    is_said = first.function in _AROUND or reached.entry.endswith(f" {first.function}")
    for step in reached.path[1 if is_said else 0 :]:
        stem = "" if step.file == before else step.file.rpartition("/")[2].partition(".")[0] + "."
        yield shown(f"{stem}{step.function}")
        before = step.file
