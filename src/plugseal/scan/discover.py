"""Find every plugin in a tree: ask each system, settle who owns what, give the result one fixed order.

It looks at names and at the kept manifests alone; nothing is opened, followed out of the tree, or run.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from plugseal.lang.naming import Named, TreeNames, names_in
from plugseal.limits import MAX_KEPT_BYTES
from plugseal.model.identity import id_of
from plugseal.model.origin import Origin
from plugseal.model.plugin import Plugin
from plugseal.model.tree import Entry, Tree
from plugseal.patterns import lazy
from plugseal.scan.claims import entry_files, manifest_facts
from plugseal.scan.manifest_names import HeldFiles
from plugseal.systems.reading.prose_commands import ProseCommand, commands_of, is_prose
from plugseal.systems.registry import YIELDING, YIELDING_MANIFESTS, systems_of
from plugseal.systems.system import Listing
from plugseal.systems.wanted import wanted

if TYPE_CHECKING:
    from plugseal.scan.bundles import BundleBytes

__all__ = ["Keeper", "build_listing", "discover", "entry_files", "id_of", "manifest_facts", "plugin_id"]

_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_WIDE_HEAD_BYTES = 64
_FRONT_END = lazy(rb"^---[ \t]*\r?$", re.MULTILINE)


class Keeper:
    """Gather what discovery needs while a tree is being read: manifests whole, of prose only the front matter.

    Fits `model.visitor.Visitor`, so it can look on beside other visitors.
    """

    def __init__(self, anchor: str = "", *, asks_hosts: bool = True) -> None:
        """Begin without anything.

        Args:
            anchor: where the root of the tree stands, as `Listing.anchor`.
            asks_hosts: as `Listing.asks_hosts`.
        """
        self._anchor = anchor
        self._entries: tuple[Entry, ...] = ()
        self._wanted: frozenset[str] = frozenset()
        self._kept: dict[str, bytes] = {}
        self._digests: dict[str, str] = {}
        self._commands: dict[str, tuple[ProseCommand, ...]] = {}
        self._aside: dict[str, bytes] = {}
        self._kept_bytes = 0
        self._names = TreeNames(())
        self._named: dict[str, Named] = {}
        self._bundles = _bundle_bytes() if asks_hosts else None
        self._held = HeldFiles(())

    def begin(self, entries: Sequence[Entry]) -> None:
        """Take the listing."""
        self._entries = tuple(entries)
        self._wanted = wanted(self._entries, self._anchor)
        self._names = TreeNames(self._entries)
        self._held = HeldFiles(self._entries)
        if self._bundles is not None:
            self._bundles.begin(self._entries)

    def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
        """Keep a file's bytes where some system asked for them."""
        del reason
        if self._bundles is not None:
            self._bundles.visit(entry, data)
        named = names_in(entry.path, data, self._names) if data else None
        if named is not None:
            self._named[entry.path] = named
        if data is not None and entry.path in self._wanted and self._kept_bytes < MAX_KEPT_BYTES:
            self.keep(entry.path, data)
            self._kept_bytes += len(self._kept[entry.path])
        elif data is not None:
            self._held.hold(entry.path, data)

    def keep(self, path: str, data: bytes) -> None:
        """Keep a file: of prose the front matter and the digest of the text, of all else the bytes."""
        if is_prose(path):
            self._digests[path] = hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()
            front = _front(data)
            commands = commands_of(path, data, len(front) if data.startswith(front) else 0)
            if commands:
                self._commands[path] = commands
            data = front
        self._kept[path] = data

    def aside(self, path: str, data: bytes | None, reason: str) -> None:
        """Keep a file that lies outside of the tree and is looked at all the same."""
        del reason
        if data is not None:
            self._aside[path] = data

    def listing(self, tree: Tree | None = None) -> Listing:
        """Return what was gathered.

        Args:
            tree: what intake returned, without which no host's own hash of a bundle can be told.
        """
        for path, data in self._held.named(self._kept):
            self.keep(path, data)
        listing = _listing(self._entries, self._kept, self._digests, self._anchor)._replace(
            prose_commands=self._commands,
            aside=self._aside,
            named=self._named,
        )
        if self._bundles is None:
            return listing._replace(asks_hosts=False)
        return listing if tree is None else listing._replace(bundle_hashes=self._bundles.hashes(tree))


def _bundle_bytes() -> BundleBytes:
    from plugseal.scan.bundles import BundleBytes  # only for the verdicts of other hosts

    return BundleBytes()


def build_listing(entries: Iterable[Entry], kept: Mapping[str, bytes], anchor: str = "") -> Listing:
    """Return the listing of a tree whose kept files are at hand in full.

    Args:
        entries: in tree order.
        kept: bytes by path, of all files that `systems.wanted.wanted` names.
        anchor: where the root stands, as `Listing.anchor`.
    """
    keeper = Keeper(anchor)
    for path, data in kept.items():
        keeper.keep(path, data)
    made = keeper.listing()
    listing = _listing(tuple(entries), made.kept, made.text_digests, anchor)
    return listing._replace(prose_commands=made.prose_commands)


def discover(listing: Listing) -> tuple[Plugin, ...]:
    """Return every plugin of a tree, sorted by root, system, name and manifest.

    One directory may be several plugins, and plugins may lie inside each other: each is a unit of its own, and the
    files of a unit are all below its root, those of the units inside it too.
    """
    systems = systems_of((*listing.entries, *listing.aside), listing.anchor)
    found = [plugin for system in systems for plugin in system.discover(listing)]
    lasting = [plugin for plugin in found if plugin.system not in YIELDING]
    units = _not_owned(lasting, lasting, listing)
    # Only who is a unit itself owns what others would be made of: else a skill could be nobody's.
    units += _not_owned([plugin for plugin in found if plugin.system in YIELDING], units, listing)
    ordered = tuple(sorted(units, key=lambda p: (p.root, p.system, p.name, p.manifest)))
    if any(unit.covers is not None for unit in ordered):
        from plugseal.scan.linking.binding import with_bound  # only for clients' own configurations

        ordered = with_bound(ordered, listing)
    if len({unit.root for unit in ordered}) == len(ordered):
        return ordered
    from plugseal.systems.views import with_views  # only for folders that are several plugins

    return with_views(ordered)


def _not_owned(found: list[Plugin], owners: list[Plugin], listing: Listing) -> list[Plugin]:
    """Return the plugins that are units: those that yield are where no owner describes their manifest."""
    owned = {path for plugin in owners for path in _described(listing, plugin)}
    return [plugin for plugin in found if not _yields(plugin) or _manifest_path(listing, plugin) not in owned]


def plugin_id(plugin: Plugin, origin: Origin = Origin()) -> str:  # noqa: B008  # a constant tuple
    """Return `<system>:<name>@<12 hex>`; the hex digits bind scope and root, other characters of a name are escaped.

    Args:
        plugin: as discovered.
        origin: where the scanned root comes from.
    """
    root = f"{origin.base}/{plugin.root}".rstrip("/") if origin.base else plugin.root
    return id_of(plugin.system, plugin.name, root, scope=origin.scope)


def _listing(
    entries: tuple[Entry, ...], kept: Mapping[str, bytes], digests: Mapping[str, str], anchor: str = ""
) -> Listing:
    children: dict[str, list[str]] = {"": []}
    folders: dict[str, list[str]] = {}
    for entry in entries:
        parent, _, name = entry.path.rpartition("/")
        children.setdefault(parent, []).append(name)
        folders.setdefault(name, []).append(parent)
    return Listing(
        entries={entry.path: entry for entry in entries},
        kept=kept,
        children={path: tuple(sorted(names)) for path, names in children.items()},
        text_digests=digests,
        folders={name: tuple(found) for name, found in folders.items()},
        anchor=anchor,
    )


def _front(data: bytes) -> bytes:
    """Return the bytes up to the end of the front matter: none where there is none, all where it never ends."""
    if data.startswith(_WIDE_MARKS):
        return data[:_WIDE_HEAD_BYTES]  # enough for the parser to name what is wrong
    body = data[3:] if data.startswith(b"\xef\xbb\xbf") else data
    if not body.startswith(b"---"):
        return b""
    end = _FRONT_END.search(body, 3)
    return data if end is None else data[: len(data) - len(body) + end.end()] + b"\n"


def _yields(plugin: Plugin) -> bool:
    """Say whether a plugin is a unit only where no other describes the file that made it one."""
    return plugin.system in YIELDING or plugin.manifest in YIELDING_MANIFESTS


def _described(listing: Listing, plugin: Plugin) -> Iterable[str]:
    """Yield the real paths of the files that a plugin describes, read or finds fault with.

    A manifest that yields is left out, or its own plugin would take it away from itself; that of a client's own
    configuration is no plugin's manifest, and who describes it owns it.
    """
    for file in {c.file for c in plugin.components} | {fault.file for fault in plugin.faults} | set(plugin.read):
        if file != plugin.manifest or plugin.covers is not None or file not in YIELDING_MANIFESTS:
            path = plugin.path_of(file)
            yield listing.resolve(path) or path


def _manifest_path(listing: Listing, plugin: Plugin) -> str:
    path = plugin.path_of(plugin.manifest)
    return listing.resolve(path) or path
