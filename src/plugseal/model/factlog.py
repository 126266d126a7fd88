"""All facts of a tree, packed by file.

A tree of 10,000 files holds hundreds of thousands of facts; as objects they are most of a scan's memory, packed they
are a few megabytes. What is packed never leaves the process, so the format is the interpreter's own (`marshal`);
no file and no other process ever sees it.

Law: a log yields exactly what was added, each fact once a file, by file and place.
"""

from __future__ import annotations

import marshal
import zlib
from collections.abc import Callable, Iterable, Iterator
from sys import intern

from plugseal.model.capability import Fact, fact_order
from plugseal.model.location import Span

_FASTEST = 1


class FactLog:
    """Facts by file; iterates as (file, fact), sorted and unique."""

    __slots__ = ("_packed",)

    def __init__(self, facts: Iterable[tuple[str, Fact]] = ()) -> None:
        self._packed: dict[str, bytes] = {}
        found: dict[str, list[Fact]] = {}
        for file, fact in facts:
            found.setdefault(file, []).append(fact)
        for file, those in found.items():
            self.add(file, those)

    def add(self, file: str, facts: Iterable[Fact]) -> None:
        """Add facts of a file to those it has."""
        found = {*facts, *self.of(file)}
        if found:
            rows = [(*fact.span, *fact[1:]) for fact in sorted(found, key=fact_order)]
            self._packed[file] = zlib.compress(marshal.dumps(rows), _FASTEST)

    def drop(self, file: str, is_dropped: Callable[[Fact], bool]) -> None:
        """Take the facts of a file out that are none after all."""
        kept = [fact for fact in self.of(file) if not is_dropped(fact)]
        self._packed.pop(file, None)
        self.add(file, kept)

    def of(self, file: str) -> list[Fact]:
        """Return the facts of one file, sorted by place."""
        packed = self._packed.get(file)
        if packed is None:
            return []
        rows = marshal.loads(zlib.decompress(packed))  # noqa: S302  # nosec B302  # our own bytes, made above
        return [Fact(Span(*row[:4]), intern(row[4]), row[5], *map(intern, row[6:])) for row in rows]

    def put_rows(self, file: str, rows: list[tuple[object, ...]]) -> None:
        """Set the facts of a file, each a row of its place's four numbers and its words, sorted and unique."""
        self._packed[file] = zlib.compress(marshal.dumps(rows), _FASTEST)

    def rows(self, file: str) -> list[tuple[object, ...]]:
        """Return the facts of a file as `put_rows` takes them."""
        return [(*fact.span, *fact[1:]) for fact in self.of(file)]

    def files(self) -> list[str]:
        """Return the files that have facts, sorted."""
        return sorted(self._packed)

    def copy(self) -> FactLog:
        """Return a log that can grow without this one."""
        log = FactLog()
        log._packed = dict(self._packed)
        return log

    def __iter__(self) -> Iterator[tuple[str, Fact]]:
        return ((file, fact) for file in self.files() for fact in self.of(file))

    def __len__(self) -> int:
        return sum(len(self.of(file)) for file in self._packed)

    def __eq__(self, other: object) -> bool:
        # Equal facts may be packed in more than one way.
        return isinstance(other, FactLog) and (self._packed == other._packed or list(self) == list(other))

    __hash__ = None  # type: ignore[assignment]  # it grows
