"""Paths that a `plugin.toml` names, and what no bundle may hold anywhere: links, special files, too much.

Codewhale follows no link at all, not even one that stays inside; ours looks at the listing and never at the disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.encode.codewhale import MAX_BUNDLE_BYTES, MAX_BUNDLE_FILES
from plugseal.limits import MIB
from plugseal.model.tree import Entry, EntryKind
from plugseal.records import NamedTuple
from plugseal.systems.codewhale.check import is_rooted, text_fault
from plugseal.systems.reading.reader import PluginReader
from plugseal.systems.system import Listing

_MAX_PATH_CHARACTERS: Final = 1_024
_MAX_NAMED: Final = 16
"""Links of one bundle that are faults of their own; more are one fault that counts them."""


class Measures(NamedTuple):
    """What lies below one bundle."""

    files: int = 0
    bytes: int = 0
    odd: int = 0
    """Links and special files."""
    first_odd: tuple[str, ...] = ()
    """The first of them, below the scanned root."""

    def plus(self, other: Measures) -> Measures:
        """Return both together."""
        odd = (self.first_odd + other.first_odd)[:_MAX_NAMED]
        return Measures(self.files + other.files, self.bytes + other.bytes, self.odd + other.odd, odd)


def path_fault(reader: PluginReader, path: str, *, must_be: str = "") -> str | None:
    """Say what is wrong with a path that a manifest names.

    Args:
        reader: of the bundle.
        path: as declared.
        must_be: `file`, `directory`, or empty for either.
    """
    fault = text_fault(path, _MAX_PATH_CHARACTERS)
    if fault is not None:
        return fault
    if is_rooted(path):
        return "must be a path relative to the plugin"
    if ".." in path.replace("\\", "/").split("/"):
        return "may not climb out of the plugin by `..`"
    parts = plain_path(path).split("/")
    for count in range(1, len(parts) + 1):
        entry = reader.listing.entries.get(reader.path("/".join(parts[:count])))
        if entry is not None and entry.kind is EntryKind.SYMLINK:
            return "may not lead through a symbolic link"
    here = reader.path("/".join(parts)) if parts != [""] else reader.root
    is_directory, is_file = reader.listing.is_directory(here), reader.listing.is_file(here)
    if path.endswith(("/", "/.")) and not is_directory:
        return "names nothing that is there"
    if must_be == "file" and not is_file:
        return "must name a regular file of the plugin"
    if must_be == "directory" and not is_directory:
        return "must name a directory of the plugin"
    return None if is_file or is_directory else "names nothing that is there"


def plain_path(path: str) -> str:
    """Return a contained path without `.` and doubled slashes; empty for the plugin itself."""
    return "/".join(part for part in path.split("/") if part not in ("", "."))


def measure_bundles(listing: Listing, roots: frozenset[str]) -> dict[str, Measures]:
    """Return what lies below each bundle, those inside it included, in one pass over the listing."""
    if not roots:
        return {}
    own = dict.fromkeys(roots, Measures())
    owners: dict[str, str | None] = {"": "" if "" in roots else None}
    counts: dict[str, list[int]] = {root: [0, 0] for root in roots}
    odd: dict[str, list[str]] = {root: [] for root in roots}
    for path, entry in listing.entries.items():
        owner = _owner(path.rpartition("/")[0], roots, owners)
        if owner is None:
            continue
        if entry.kind is EntryKind.FILE:
            counts[owner][0] += 1
            counts[owner][1] += entry.size
        elif entry.kind is not EntryKind.DIRECTORY:
            odd[owner].append(path)
    for root in sorted(roots, key=len, reverse=True):
        mine = Measures(counts[root][0], counts[root][1], len(odd[root]), tuple(odd[root][:_MAX_NAMED]))
        own[root] = own[root].plus(mine)
        above = _owner(root.rpartition("/")[0], roots, owners) if root else None
        if above is not None:
            own[above] = own[above].plus(own[root])
    return own


def check_bundle(reader: PluginReader, manifest: str, measures: Measures) -> None:
    """Remember what keeps Codewhale from reading a bundle at all, whatever its manifest says."""
    for file, message in _bundle_faults(reader, manifest, measures):
        reader.fault(file, message)


def _bundle_faults(reader: PluginReader, manifest: str, measures: Measures) -> Iterator[tuple[str, str]]:
    entry = reader.listing.entries.get(reader.path(manifest))
    if entry is not None and entry.kind is EntryKind.FILE and entry.size > MIB:
        yield manifest, f"has {entry.size:,} bytes, {MIB:,} are allowed"
    if measures.files > MAX_BUNDLE_FILES:
        yield manifest, f"the bundle has {measures.files:,} files, {MAX_BUNDLE_FILES:,} are allowed"
    if measures.bytes > MAX_BUNDLE_BYTES:
        yield manifest, f"the bundle has {measures.bytes:,} bytes, {MAX_BUNDLE_BYTES:,} are allowed"
    cut = len(reader.root) + 1 if reader.root else 0
    for path in measures.first_odd:
        yield path[cut:], f"is {_kind(reader.listing.entries[path])}: Codewhale refuses the whole bundle"
    if measures.odd > len(measures.first_odd):
        yield manifest, f"the bundle has {measures.odd:,} links and special files, none is allowed"


def _kind(entry: Entry) -> str:
    return "a symbolic link" if entry.kind is EntryKind.SYMLINK else "a special file"


def _owner(directory: str, roots: frozenset[str], owners: dict[str, str | None]) -> str | None:
    """Return the nearest bundle at or above a directory."""
    waiting = []
    while directory not in owners:
        if directory in roots:
            owners[directory] = directory
            break
        waiting.append(directory)
        directory = directory.rpartition("/")[0]
    owner = owners[directory]
    for below in waiting:
        owners[below] = owner
    return owner
