"""Repository tooling: what package managers, builders, test runners, shells and editors run of a working folder.

A folder that holds a tool's file is one unit, called by the folder: somebody who types `npm install`, `pip install .`,
`pytest`, `make` or `cd` there runs what it lists. Files in which nothing runs, and those of one test or module folder,
belong to the unit of the nearest folder above that has one. Which tool a file is for is decided by its name; each kind
of file has its reader in a module of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from plugseal.model.plugin import Component, Plugin
from plugseal.systems.components.parts import gated
from plugseal.systems.reading.reader import PluginReader
from plugseal.systems.reading.units import folder_of, make_configuration
from plugseal.systems.system import Listing
from plugseal.systems.tooling.names import FOLDERS, NAMES, OTHER_FOLDERS, PREFIXES, SUFFIXES, is_anchor, kind_of_file
from plugseal.systems.tooling.parts import Reader

_GATES: Final = {
    "node": "npm install, or what else reads it",
    "python": "pip install, a build or a test run",
    "checks": "the user calls it",
    "ci": "none: a server runs it",
    "container": "workspace trust, and the container is opened",
    "editors": "project trust",
    "git": "once the hook is put in place",
    "tasks": "the user calls it",
}
"""What stands before a tool's own settings, by the kind of their file, where a component says nothing itself."""


class Tooling:
    """Files of tools that run something of a repository."""

    name = "tooling"

    def keeps(self, path: str) -> bool:
        """Keep every file of a tool."""
        return kind_of_file(path) is not None

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every folder in which a tool runs something, the deepest last."""
        waiting = _by_folder(listing)
        found: list[Plugin] = []
        for root in sorted(waiting, key=lambda folder: (-folder.count("/") if folder else 1, folder)):
            files = waiting[root]
            reader = PluginReader(listing, root)
            components = tuple(_components(reader, files))
            if components or not root:
                if components or reader.parsed:
                    found.append(_unit(reader, files, components))
                continue
            above = _nearest(root.rpartition("/")[0], waiting)
            waiting[above].extend(f"{root[len(above) :].lstrip('/')}/{file}" for file in files)
        yield from found


def _by_folder(listing: Listing) -> dict[str, list[str]]:
    """Return the files of tools by the folder whose unit they belong to, relative to it."""
    files = [path for path in _candidates(listing) if listing.is_file(path) and kind_of_file(path) is not None]
    units: dict[str, list[str]] = {"": []}
    for path in files:
        if is_anchor(path):
            units.setdefault(_folder(path), [])
    for path in files:
        root = _nearest(_folder(path), units)
        units[root].append(path[len(root) :].lstrip("/"))
    return units


def _candidates(listing: Listing) -> Iterator[str]:
    """Yield the files that have a tool's name, folder or suffix, in tree order, without a look at all others."""
    for path in listing.entries:
        name = path.rpartition("/")[2].lower()
        is_named = name in NAMES or name.endswith(SUFFIXES) or name.startswith(PREFIXES)
        if is_named or any(f"{folder}/" in path for folder in (*FOLDERS, *OTHER_FOLDERS)):
            yield path


def _folder(path: str) -> str:
    """Return the folder that a tool works in: for a file in a tool's own folder, the one that holds it."""
    folder = path.rpartition("/")[0]
    for own in FOLDERS:
        if folder == own or folder.startswith(f"{own}/"):
            return ""
        at = f"/{folder}/".find(f"/{own}/")
        if at >= 0:
            return folder[: at - 1] if at else ""
    return folder


def _nearest(folder: str, units: Mapping[str, object]) -> str:
    """Return the nearest folder at or above one that has a unit; the root always has."""
    while folder and folder not in units:
        folder = folder.rpartition("/")[0]
    return folder


def _components(reader: PluginReader, files: Iterable[str]) -> Iterator[Component]:
    for file in files:
        kind = kind_of_file(file)
        if kind is not None:
            yield from gated(_reader_of(kind)(reader, file), _GATES[kind.partition(".")[0]])


def _reader_of(kind: str) -> Reader:
    """Return the reader of a kind of file, loaded at its first use."""
    if kind.startswith("node"):
        from plugseal.systems.tooling import node as tooling_node

        return tooling_node.READERS[kind]
    if kind.startswith("python"):
        from plugseal.systems.tooling import python as tooling_python

        return tooling_python.READERS[kind]
    if kind.startswith("ci."):
        from plugseal.systems.tooling import ci as tooling_ci

        return tooling_ci.READERS[kind]
    if kind.startswith("checks"):
        from plugseal.systems.tooling import checkers as tooling_checkers

        return tooling_checkers.READERS[kind]
    if kind.startswith("editors"):
        from plugseal.systems.tooling import editors as tooling_editors

        return tooling_editors.READERS[kind]
    if kind.startswith("container"):
        from plugseal.systems.tooling import container as tooling_container

        return tooling_container.READERS[kind]
    if kind.startswith("git"):
        from plugseal.systems.tooling import git as tooling_git

        return tooling_git.READERS[kind]
    from plugseal.systems.tooling import tasks as tooling_tasks

    return tooling_tasks.READERS[kind]


def _unit(reader: PluginReader, files: list[str], components: Iterable[Component]) -> Plugin:
    return make_configuration(
        "tooling",
        reader,
        manifest=min(files, key=lambda file: (file.count("/"), file)),
        name=folder_of(reader) if reader.root else "repository",
        covers=files,
        components=components,
    )
