"""Call paths: how the functions that do something are reached from where a plugin is entered. Evidence alone.

They follow names as functions call each other; they move no token, and what has no path may still be called.
"""

from __future__ import annotations

from collections.abc import Iterable

from plugseal.records import NamedTuple


class Step(NamedTuple):
    """One function on the way."""

    file: str
    """Path below the scanned root; hostile text."""
    function: str
    """Qualified within its file, `<module>` or `<main>`; hostile text."""
    line: int
    """Where it begins."""


class Reached(NamedTuple):
    """A function that does something, with the shortest way to it."""

    file: str
    function: str
    line: int
    end_line: int
    entry: str
    """What enters the plugin: `tool`, `hook:<event>`, `import`, `start`, as `Fact.trigger`, or a component as `server
    docs`; hostile text."""
    path: tuple[Step, ...]
    """From the function that is entered to this one; the two may be one."""


class Paths:
    """The ways to places of files, by file."""

    def __init__(self, reached: Iterable[Reached]) -> None:
        self._by_file: dict[str, list[Reached]] = {}
        for one in reached:
            self._by_file.setdefault(one.file, []).append(one)

    def to(self, file: str, line: int) -> Reached | None:
        """Return the way to a line: that of the innermost function around it; None where none is known."""
        around = [one for one in self._by_file.get(file, ()) if one.line <= line <= one.end_line]
        return max(around, key=lambda one: (one.line, -one.end_line), default=None)
