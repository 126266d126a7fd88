"""Which part of a tree is a plugin's own: all below its root, or what the unit of a client's configuration covers.

The `.git` of a scanned root is looked at as a surface of its own and belongs to no other unit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeVar

from plugseal.model.inventory import PluginReport
from plugseal.model.plugin import Plugin
from plugseal.model.tree import Tree

GIT: Final = ".git"
T = TypeVar("T")


def own_tree(tree: Tree, plugin: Plugin) -> Tree:
    """Return the part of a tree that a plugin's receipts are over, with paths relative to its root.

    The folders above what it covers are a part too, as a copy of it has them, and their faults stay: what they hide may
    have been covered.
    """
    below = tree.below(plugin.root)
    if plugin.covers is None:
        return below
    holds = _holder(plugin.covers)
    above = {"", *_folders(plugin.covers)}
    entries = tuple(entry for entry in below.entries if holds(entry.path) or entry.path in above)
    faults = tuple(fault for fault in below.faults if fault.path in above or holds(fault.path))
    return below._replace(entries=entries, faults=faults, left_out=())


def own_rows(plugin: Plugin, rows: Iterable[tuple[str, T]]) -> Iterator[tuple[str, T]]:
    """Yield the rows (path below the scanned root, anything) that are a plugin's own.

    Args:
        plugin: the plugin.
        rows: those at or below its root.
    """
    cut = len(plugin.root) + 1 if plugin.root else 0
    holds = _holder(plugin.covers) if plugin.covers is not None else None
    for path, row in rows:
        if holds is not None:
            if holds(path[cut:]):
                yield path, row
        elif plugin.root or not path.startswith(f"{GIT}/"):
            yield path, row


def _holder(covers: tuple[str, ...]) -> Callable[[str], bool]:
    """Return `Plugin.holds` for very many paths."""
    exact, below = frozenset(covers), tuple(f"{cover}/" for cover in covers)
    return lambda path: path in exact or path.startswith(below)


def _folders(paths: Iterable[str]) -> Iterator[str]:
    """Yield all folders above some paths."""
    for path in paths:
        while "/" in path:
            path = path.rpartition("/")[0]
            yield path


def is_whole(report: PluginReport, tree: Tree) -> bool:
    """Say whether a plugin is all of a tree: its root is the tree's, or it is the tree's only file."""
    plugin = report.plugin
    return not plugin.root or (plugin.single_file and [entry.path for entry in tree.entries] == [plugin.root])
