"""Where a path of an Agent Plugins package really leads, as the specification's containment asks (4.1).

A path is resolved as `realpath` does it, with the names of a listing alone: links are followed, what is not there
counts as it is written. Leaving the root on the way is an escape even where the path comes back by the root's own
name, since that name is no part of the package. A backslash separates on some systems: both readings must stay
inside.
"""

from __future__ import annotations

from plugseal.model.tree import EntryKind
from plugseal.records import NamedTuple
from plugseal.systems.system import Listing

_MAX_LINK_STEPS = 40


class Trace(NamedTuple):
    """How following a path ends."""

    inner: str | None
    """The path without links, relative to the root; None where it doesn't end inside."""
    in_circle: bool = False


OUTSIDE = Trace(None)
CIRCLE = Trace(None, in_circle=True)


def resolve_inside(listing: Listing, root: str, path: str) -> str | None:
    """Return where a path relative to a plugin's root leads, itself relative to that root.

    Args:
        listing: the tree.
        root: the plugin's root below the scanned root.
        path: as written, `/` between parts.

    Returns:
        The path without links, which need not be there; None where it leaves the root or runs in a circle.
    """
    return trace(listing, root, path).inner


def trace(listing: Listing, root: str, path: str) -> Trace:
    """Follow a path relative to a plugin's root, as `resolve_inside` does, and say how it ends."""
    if path.startswith("/"):
        return OUTSIDE
    here: list[str] = []
    rest = _parts(path)
    steps = 0
    while rest:
        part = rest.pop()
        if part == "..":
            if not here:
                return OUTSIDE
            here.pop()
            continue
        here.append(part)
        entry = listing.entries.get("/".join([root, *here] if root else here))
        if entry is None or entry.kind is not EntryKind.SYMLINK:
            continue
        steps += 1
        target = entry.target or ""
        if steps > _MAX_LINK_STEPS:
            return CIRCLE
        if not target or target.startswith("/"):
            return OUTSIDE
        here.pop()
        rest.extend(_parts(target))
    return Trace("/".join(here))


def is_inside(listing: Listing, root: str, path: str) -> bool:
    """Say whether a path stays inside a plugin, whichever way a backslash is read."""
    readings = {path, path.replace("\\", "/")}
    return all(resolve_inside(listing, root, reading) is not None for reading in readings)


def _parts(path: str) -> list[str]:
    """Return the parts that count, the last one first."""
    return [part for part in reversed(path.split("/")) if part not in ("", ".")]
