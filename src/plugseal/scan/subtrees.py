"""Find everything below a folder without walking the whole tree again.

Laws: `below("")` is everything; `below(r)` are exactly the paths equal to `r` or beginning with `r + "/"`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")


class Subtrees(Generic[T]):
    """A sequence of (path, item) that answers what lies below a path in logarithmic time."""

    __slots__ = ("_items", "_paths")

    def __init__(self, items: Iterable[tuple[str, T]]) -> None:
        ordered = sorted(items, key=lambda pair: pair[0])
        self._paths = [path for path, _ in ordered]
        self._items = [item for _, item in ordered]

    def below(self, root: str) -> Sequence[tuple[str, T]]:
        """Return the pairs at or below `root`, by path."""
        if not root:
            return list(zip(self._paths, self._items, strict=True))
        at = bisect_left(self._paths, root)
        found = []
        while at < len(self._paths) and self._paths[at] == root:
            found.append((self._paths[at], self._items[at]))
            at += 1
        prefix = root + "/"
        start, stop = bisect_left(self._paths, prefix), bisect_left(self._paths, root + "0")  # "0" follows "/"
        found += zip(self._paths[start:stop], self._items[start:stop], strict=True)
        return found
