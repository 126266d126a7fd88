"""Where a path of an Agent Plugins package really leads, as the specification's containment asks (4.1).

A path is resolved as `realpath` does it, with the names of a listing alone: links are followed, what is not there
counts as it is written. Leaving the root on the way is an escape even where the path comes back by the root's own
name, since that name is no part of the package. A backslash separates on some systems: both readings must stay
inside.
"""

from __future__ import annotations

from collections.abc import Iterable

from plugseal.model.tree import EntryKind
from plugseal.systems.system import Listing

_MAX_LINK_STEPS = 40


def resolve_inside(listing: Listing, root: str, path: str) -> str | None:
    """Return where a path relative to a plugin's root leads, itself relative to that root.

    Args:
        listing: the tree.
        root: the plugin's root below the scanned root.
        path: as written, `/` between parts.

    Returns:
        The path without links, which need not be there; None where it leaves the root or runs in a circle.
    """
    if path.startswith("/"):
        return None
    here: list[str] = []
    rest = _parts(path)
    steps = 0
    while rest:
        part = rest.pop()
        if part == "..":
            if not here:
                return None
            here.pop()
            continue
        here.append(part)
        entry = listing.entries.get("/".join([root, *here] if root else here))
        if entry is None or entry.kind is not EntryKind.SYMLINK:
            continue
        steps += 1
        target = entry.target or ""
        if steps > _MAX_LINK_STEPS or not target or target.startswith("/"):
            return None
        here.pop()
        rest.extend(_parts(target))
    return "/".join(here)


def is_inside(listing: Listing, root: str, path: str) -> bool:
    """Say whether a path stays inside a plugin, whichever way a backslash is read."""
    readings = {path, path.replace("\\", "/")}
    return all(resolve_inside(listing, root, reading) is not None for reading in readings)


def leads_out(listing: Listing, root: str, files: Iterable[str]) -> bool:
    """Say whether any of these files of a plugin lies behind a link that leads out of it, or runs in a circle."""
    return any(resolve_inside(listing, root, file) is None for file in files)


def _parts(path: str) -> list[str]:
    """Return the parts that count, the last one first."""
    return [part for part in reversed(path.split("/")) if part not in ("", ".")]
