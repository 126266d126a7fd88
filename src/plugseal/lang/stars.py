"""What stands behind the stars of files: modules all of whose names another file passes on, over several files.

Hundreds of files may stand behind the stars of each of a thousand, and few of them know a name that is looked for.
So which files say something of a name is noted once for the whole tree, by the first part of the name; only those are
asked. What they really say is theirs: a file that is asked in vain costs time and changes no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from plugseal.records import NamedTuple

MAX_STARS: Final = 192
"""Modules that are looked through behind the stars of one file."""
_MAX_CLOSURES: Final = 2_048
"""Files whose stars are at hand, with those behind them; the memory is dropped when it is full."""
EVERY_NAME: Final = "*"
"""Stands for all names where a file says something of each."""


class Star(NamedTuple):
    """A module all of whose names another file passes on."""

    path: str
    """The file that passes them on."""
    module: str
    target: str | None
    """The file that the module is, None where the tree has none."""
    is_open: bool
    """Whether a name in it may be more than the file itself says: a module of a package, a name of a library."""


class _Closure(NamedTuple):
    stars: tuple[Star, ...]
    open_stars: frozenset[Star]
    by_file: dict[str, Star]
    """The others, by the file that each leads to."""


class Stars:
    """The stars of the files of one tree."""

    def __init__(self, passed: Callable[[str], tuple[Star, ...]], told: Callable[[str], Iterable[str]]) -> None:
        """Take what tells of a file.

        Args:
            passed: returns its own stars, in order.
            told: returns the names that it says something of, `EVERY_NAME` for all.
        """
        self._passed_by = passed
        self._told_by = told
        self._passed: dict[str, tuple[Star, ...]] = {}
        self._closures: dict[str, _Closure] = {}
        self._looked_at: set[str] = set()
        self._telling: dict[str, str | set[str]] = {}
        """By the first part of a name, the file that says something of it, or all that do."""

    def behind(self, path: str, name: str, asked: set[Star]) -> list[Star]:
        """Return the stars behind a file that may say something of a name, nearest first.

        Args:
            path: of the file.
            name: that is looked for; an empty one is the module as a whole.
            asked: those that were asked for this name before. What is returned is added.
        """
        closure = self._closure(path)
        if not name:
            found = frozenset(closure.stars).difference(asked)
        else:
            found = closure.open_stars.difference(asked)
            for telling in (self._telling.get(first_part(name)), self._telling.get(EVERY_NAME)):
                if telling is not None:
                    files = closure.by_file.keys() & ({telling} if isinstance(telling, str) else telling)
                    found = found.union([closure.by_file[file] for file in files]).difference(asked)
        if not found:
            return []
        asked |= found
        return [star for star in closure.stars if star in found]

    def _closure(self, path: str) -> _Closure:
        """Return what stands behind the stars of a file, nearest first."""
        known = self._closures.get(path)
        if known is None:
            if len(self._closures) >= _MAX_CLOSURES:
                self._closures.clear()
            stars = self._gather(path)
            by_file = {star.target: star for star in stars if star.target is not None and not star.is_open}
            for file in by_file.keys() - self._looked_at:
                self._note(file)
            known = _Closure(stars, frozenset([star for star in stars if star.is_open]), by_file)
            self._closures[path] = known
        return known

    def _gather(self, path: str) -> tuple[Star, ...]:
        found: list[Star] = []
        seen, waiting = {path}, [path]
        for at in waiting:  # It grows meanwhile.
            for star in self._of(at):
                if star.target is None:
                    found.append(star)
                elif star.target not in seen:
                    found.append(star)
                    seen.add(star.target)
                    waiting.append(star.target)
            if len(found) >= MAX_STARS:
                break
        return tuple(found[:MAX_STARS])

    def _of(self, path: str) -> tuple[Star, ...]:
        """Return the stars of a file itself; found once for a file."""
        known = self._passed.get(path)
        if known is None:
            known = self._passed[path] = self._passed_by(path)
        return known

    def _note(self, path: str) -> None:
        """Note the names that a file says something of."""
        self._looked_at.add(path)
        for part in {first_part(name) for name in self._told_by(path)}:
            known = self._telling.get(part)
            if isinstance(known, set):
                known.add(path)
            else:
                self._telling[part] = path if known is None else {known, path}


def first_part(name: str) -> str:
    """Return a name's beginning before the first point or bracket."""
    return name.partition(".")[0].partition("(")[0].partition("[")[0]
