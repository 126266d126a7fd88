"""A tree as it is once its links are followed, for systems that allow links inside a plugin.

Laws: a tree without links is returned as it is; a tree whose links all stay inside becomes that of its copy with plain
files and folders. What is behind a link counts as often as it is shown, so a tree of few links that shows too much is
refused as soon as a limit is passed. A tree with one link that leads out, nowhere or in a circle keeps its links, with
a fault for each of those: no receipt can be had of it. Pure: names and digests alone, nothing is opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plugseal.limits import MAX_PATH_BYTES, MAX_TREE_BYTES, MAX_TREE_DEPTH, MAX_TREE_ENTRIES
from plugseal.model.inventory import PluginReport
from plugseal.model.plugin import Plugin
from plugseal.model.tree import Entry, EntryKind, Fault, Tree
from plugseal.systems.registry import FOLLOWING
from plugseal.systems.system import Listing

_CODE = "symlink"


def resolve_links(tree: Tree) -> Tree:
    """Return a tree with each link in place of what it shows, or with a fault for each link that can't be followed."""
    links = [entry for entry in tree.entries if entry.kind is EntryKind.SYMLINK]
    if not links:
        return tree
    others = tuple(fault for fault in tree.faults if fault.code != _CODE)
    expansion = _Expansion(tree)
    shown: list[Entry] = []
    faults: list[Fault] = []
    for link in links:
        try:
            shown.extend(expansion.of(link))
        except _NotFollowedError as error:
            faults.append(Fault(link.path, _CODE, f"a symbolic link that {error}"))
            if expansion.is_spent:
                break
    if faults:
        return tree._replace(faults=(*others, *faults))
    plain = [entry for entry in tree.entries if entry.kind is not EntryKind.SYMLINK]
    entries = sorted([*plain, *shown], key=lambda e: e.path.encode("utf-8", "surrogateescape"))
    return tree._replace(entries=tuple(entries), faults=others)


def followed(tree: Tree, plugin: Plugin) -> Tree:
    """Return a plugin's own tree as its receipts see it: links followed where its system allows them."""
    return resolve_links(tree) if plugin.system in FOLLOWING else tree


def drop_allowed_links(tree: Tree, reports: Iterable[PluginReport]) -> Tree:
    """Return a tree without the faults of links that refuse no receipt: all plugins around them allow them."""
    if not any(fault.code == _CODE for fault in tree.faults):
        return tree
    allow: set[str] = set()
    refuse: set[str] = set()
    for report in reports:
        allows = report.plugin.system in FOLLOWING and report.content_receipt is not None
        (allow if allows else refuse).add(report.plugin.root)
    kept = [fault for fault in tree.faults if fault.code != _CODE or not _is_allowed(fault.path, allow, refuse)]
    return tree._replace(faults=tuple(kept))


def _is_allowed(path: str, allow: set[str], refuse: set[str]) -> bool:
    around = {"", *_folders(path.rpartition("/")[0])}
    return bool(around & allow) and not around & refuse


class _NotFollowedError(Exception):
    """Say why a link can't be followed, in words behind `a symbolic link that`."""


class _Expansion:
    """Put what links show in their places, within the limits of one tree."""

    def __init__(self, tree: Tree) -> None:
        self._listing = Listing({entry.path: entry for entry in tree.entries}, {})
        self._below: dict[str, list[Entry]] = {}
        for entry in tree.entries:
            self._below.setdefault(entry.path.rpartition("/")[0], []).append(entry)
        self._entries = len(tree.entries)
        self._bytes = sum(entry.size for entry in tree.entries)

    @property
    def is_spent(self) -> bool:
        """Say whether a limit of the whole tree is passed: then no further link is looked at."""
        return self._entries > MAX_TREE_ENTRIES or self._bytes > MAX_TREE_BYTES

    def of(self, link: Entry) -> Iterator[Entry]:
        """Yield everything that stands at and below a link once it is followed.

        Raises:
            _NotFollowedError: it leads out, nowhere or in a circle, or shows too much.
        """
        folder = link.path.rpartition("/")[0]
        above = frozenset({"", *_folders(folder)})
        waiting = [(link.path, link, above)]
        while waiting:
            path, entry, above = waiting.pop()
            real = self._real(entry)
            self._count(path, real)
            yield real._replace(path=path)
            if real.kind is not EntryKind.DIRECTORY:
                continue
            if real.path in above:
                raise _NotFollowedError("leads back to a folder above it")
            inside = above | {real.path}
            waiting.extend((f"{path}/{_name(e)}", e, inside) for e in self._below.get(real.path, ()))

    def _real(self, entry: Entry) -> Entry:
        if entry.kind is not EntryKind.SYMLINK:
            return entry
        path = self._listing.resolve(entry.path)
        if path is None:
            raise _NotFollowedError("leads out of the plugin, nowhere or in a circle")
        return self._listing.entries[path] if path else Entry("", EntryKind.DIRECTORY, 0, False, None)

    def _count(self, path: str, real: Entry) -> None:
        self._entries += 1
        self._bytes += real.size
        too_long = len(path.encode("utf-8", "surrogateescape")) > MAX_PATH_BYTES or path.count("/") >= MAX_TREE_DEPTH
        if too_long or self.is_spent:
            raise _NotFollowedError("shows more than a tree may hold")


def _folders(path: str) -> Iterator[str]:
    """Yield a folder and all above it but the root."""
    while path:
        yield path
        path = path.rpartition("/")[0]


def _name(entry: Entry) -> str:
    return entry.path.rpartition("/")[2]
