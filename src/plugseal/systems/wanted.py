"""Which files of a tree some system needs the bytes of, so that all others need not be kept."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from plugseal.model.tree import Entry, EntryKind
from plugseal.systems.registry import all_systems, systems_of
from plugseal.systems.system import Listing

_MAX_LINKED: Final = 200_000
"""Files looked at behind links; a manifest beyond that is a fault of its plugin."""


def keeps(path: str) -> bool:
    """Say whether any system needs the bytes of the file at `path`."""
    return any(system.keeps(path) for system in all_systems())


def wanted(entries: Iterable[Entry], anchor: str = "") -> frozenset[str]:
    """Return the files that some system needs: by their own name, or by that of a link to them inside the tree.

    Args:
        entries: of the tree.
        anchor: where its root stands, as `Listing.anchor`.
    """
    listed = tuple(entries)
    above = f"{anchor}/" if anchor else ""
    asked = [system.keeps for system in systems_of((entry.path for entry in listed), anchor)]
    found = {
        entry.path
        for entry in listed
        if entry.kind is EntryKind.FILE and any(keep(above + entry.path) for keep in asked)
    }
    links = [entry.path for entry in listed if entry.kind is EntryKind.SYMLINK]
    if links:
        found.update(islice(_link_targets(Listing({e.path: e for e in listed}, {}), links), _MAX_LINKED))
    return frozenset(found)


def _link_targets(listing: Listing, links: Iterable[str]) -> Iterator[str]:
    """Yield the files that a system needs because of the name under which a link inside the tree shows them."""
    paths = sorted(listing.entries)
    looks = 0
    for link in links:
        real = listing.resolve(link)
        if not real:
            continue
        if listing.is_file(real) and keeps(link):
            yield real
        for at in range(bisect_left(paths, f"{real}/"), len(paths)):
            looks += 1
            if looks > _MAX_LINKED or not paths[at].startswith(f"{real}/"):
                break
            if listing.is_file(paths[at]) and keeps(link + paths[at][len(real) :]):
                yield paths[at]
