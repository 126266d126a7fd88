"""Which modules a plugin loads from outside of itself, by paths that climb out of its folder.

A reader of one file sees `import "../lib/x.js"` and knows no plugin. Where the path leads is told here, once the roots
of plugins are known: what stays inside is no fact, what leaves is `code.unbound`, named from the plugin's root.

Law: whether and under which name it is told depends on the plugin's own files, never on the folder that is scanned.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from plugseal.model.capability import Fact
from plugseal.model.plugin import Plugin

_CLIMBS = "code.unbound"


def split_climbs(facts: Iterable[Fact]) -> tuple[list[Fact], list[Fact]]:
    """Return what is a fact whatever plugin holds the file, and the climbing paths of which that is not known yet."""
    plain: list[Fact] = []
    climbs: list[Fact] = []
    for fact in facts:
        (climbs if is_climb(fact) else plain).append(fact)
    return plain, [fact for fact in climbs if fact.trigger != "prose"]


def facts_of_climbs(path: str, climbs: Iterable[Fact], plugins: Iterable[Plugin]) -> list[Fact]:
    """Return those that leave a plugin, as they are written.

    Args:
        path: the file in which they stand.
        climbs: its climbing paths.
        plugins: of the tree.
    """
    holders = [plugin for plugin in plugins if _holds(plugin, path)]
    return [fact for fact in climbs if any(outward(path, fact, plugin) is not None for plugin in holders)]


def outward(path: str, climb: Fact, plugin: Plugin) -> str | None:
    """Return where one leads as seen from a plugin's folder; None where it stays inside.

    Out and in again by the folder's own name is out: the name of its folder is no part of a plugin.
    """
    if plugin.covers is not None or climb.object is None:
        return None
    base = posixpath.dirname(plugin.root) if plugin.single_file else plugin.root
    folder = posixpath.dirname(path)[len(base) :].lstrip("/")
    target = posixpath.normpath(posixpath.join(folder, climb.object))
    return target if target.startswith("../") else None


def is_climb(fact: Fact) -> bool:
    """Say whether a fact is a climbing path."""
    return fact.capability == _CLIMBS


def _holds(plugin: Plugin, path: str) -> bool:
    return not plugin.root or path == plugin.root or path.startswith(f"{plugin.root}/")
