"""Where the names that a program gives lead in its tree: files, modules, packages, through links too.

A path leads from the program's own folder and from each folder above it, up to the root of the unit; folders whose
names stand as words in the program may come between, since paths are put together from them. Nothing is opened.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from typing import Final

from plugseal.lang.naming import CODE_SUFFIXES, Named, TreeNames
from plugseal.limits import MAX_BOUND_LOOKS, MAX_BOUND_LOOKS_IN_TREE
from plugseal.model.tree import EntryKind
from plugseal.systems.system import Listing

_SCRIPT_SUFFIXES: Final = (
    *".js .mjs .cjs .ts .mts .cts .tsx .jsx .json .node .d.ts .vue .svelte .rb .pl .pm .php .lua".split(),
)
_PYTHON_SUFFIXES: Final = (".py", ".pyw", ".pyx", ".so", ".pyd")
_NATIVE: Final = (".so", ".pyd")
_PYTHON_FOLDER: Final = frozenset({"__init__.py", "__main__.py"})
_PACKAGE: Final = "package.json"
_SOURCES: Final = frozenset({"src", "lib"})
"""Folders that tools put on the search path, or mean by an alias."""
_INDEXES: Final = ("index.js", "index.ts", "index.tsx", "index.mjs", "index.cjs", "index.jsx")


class SpentError(Exception):
    """Say that names lead to more places than are looked at."""


class Leads:
    """Follow names below one root at a time."""

    def __init__(self, listing: Listing, tree: TreeNames) -> None:
        self._listing = listing
        self._tree = tree
        self._root = ""
        self._words = _SOURCES
        self._looks = 0
        self._all_looks = 0
        self._links = frozenset(path for path, entry in listing.entries.items() if entry.kind is EntryKind.SYMLINK)
        self._beginnings = tuple(self._links)
        self._tails: dict[tuple[str, int], dict[str, list[str]]] = {}
        """Name and a number of parts to the folders that hold it, by these many last parts of their paths."""
        self._packages: dict[str, list[str]] = {}
        for folder in listing.folders.get(_PACKAGE, ()):
            self._packages.setdefault(folder.rpartition("/")[2], []).append(folder)

    def begin(self, root: str, words: frozenset[str]) -> None:
        """Follow names below a root from now on.

        Args:
            root: of a unit.
            words: names of folders that may stand before any name: those on a search path.
        """
        self._root = root
        self._words = words | _SOURCES
        self._looks = 0

    def of(self, folder: str, named: Named) -> Iterator[str]:
        """Yield the files and folders to which names lead from a folder.

        Raises:
            SpentError: they lead to more places than are looked at.
        """
        for path in named.paths:
            *above, name = path.split("/")
            yield from self._file(folder, above, name, named.folders)
        for module in named.modules:
            parts = module.split(".")
            for count in range(1, len(parts) + 1):
                yield from self._module(folder, parts[:count], named.folders)
        for specifier in named.specifiers:
            yield from self._specified(folder, specifier)

    def before(self, path: str) -> Iterator[str]:
        """Yield what an interpreter reads before a file: `__init__.py` of packages, settings of its modules."""
        if path.endswith(_PYTHON_SUFFIXES):
            yield from self._above(path, "__init__.py")
        elif path.endswith(_SCRIPT_SUFFIXES):
            yield from self._above(path, _PACKAGE)

    def _above(self, path: str, name: str) -> Iterator[str]:
        for base in self._upwards(path.rpartition("/")[0]):
            file = _join(base, name)
            if self._listing.is_file(file):
                yield file

    def _file(self, folder: str, above: list[str], name: str, words: frozenset[str]) -> Iterator[str]:
        """Yield the files of a name whose folders end in some, reached from a folder or one above it, by links too."""
        yield from self._held(folder, above, name, words)
        for base in self._upwards(folder) if self._links else ():
            yield from self._linked(_join(base, *above, name))

    def _held(self, folder: str, above: list[str], name: str, words: frozenset[str] = frozenset()) -> Iterator[str]:
        """Yield what `_file` does without links."""
        is_code = "." not in name or name == _PACKAGE or name.rpartition(".")[2].lower() in CODE_SUFFIXES
        for holder in self._holders(name, above):
            if self._is_reached(folder, holder, above, words, from_above=is_code or bool(above)):
                yield _join(holder, name)

    def _holders(self, name: str, above: list[str]) -> Iterator[str]:
        """Yield the folders at and below the root that end in some parts and hold something of a name."""
        tails = self._tails.get((name, len(above)))
        if tails is None:
            tails = self._tails[name, len(above)] = {}
            for holder in sorted(self._listing.folders.get(name, ())):
                tails.setdefault("/".join(holder.split("/")[-len(above) :]) if above else "", []).append(holder)
        holders = tails.get("/".join(above), [])
        if not self._root:
            yield from holders
            return
        at = bisect_left(holders, self._root)
        if holders[at : at + 1] == [self._root]:
            yield self._root
        end = bisect_left(holders, f"{self._root}0")  # `0` is what comes after `/`.
        yield from islice(holders, bisect_left(holders, f"{self._root}/"), end)

    def _module(self, folder: str, parts: list[str], words: frozenset[str]) -> Iterator[str]:
        *above, name = parts
        for file in (*(f"{name}{suffix}" for suffix in _PYTHON_SUFFIXES), *self._tree.native.get(name, ())):
            yield from self._file(folder, above, file, words)
        for holder in self._holders(name, above):
            if self._is_reached(folder, holder, above, words):
                for inner in self._listing.children.get(_join(holder, name), ()):
                    if inner in _PYTHON_FOLDER or inner.endswith(_NATIVE):
                        yield _join(holder, name, inner)

    def _is_reached(
        self, folder: str, holder: str, above: list[str], words: frozenset[str], *, from_above: bool = True
    ) -> bool:
        """Say whether a folder ends in some parts and what comes before leads there from another.

        Args:
            folder: where the name stands.
            holder: where a file of this name lies.
            above: the parts before the name.
            words: names of folders that may come between.
            from_above: whether it may lead from a folder above, too.
        """
        self.spend()
        parts = holder.split("/") if holder else []
        if above:
            if parts[-len(above) :] != above:
                return False
            parts = parts[: -len(above)]
        own = folder.split("/") if folder else []
        shared = 0
        while shared < min(len(own), len(parts)) and own[shared] == parts[shared]:
            shared += 1
        is_below = shared >= (self._root.count("/") + 1 if self._root else 0)
        if not is_below or not (from_above or shared == len(own)):
            return False
        return all(part in words or part in self._words for part in parts[shared:])

    def _specified(self, folder: str, specifier: str) -> Iterator[str]:
        """Yield what a script loads by a path, an alias or the name of a package."""
        place = _normal(f"{folder}/{specifier}")
        if place is not None:
            yield from self._script(place)
        if specifier.startswith("."):
            return
        parts = [part for part in specifier.split("/") if part not in ("", "@", "~", "#", "src")]
        package = parts[: 2 if specifier.startswith("@") else 1]
        for base in self._upwards(folder):
            if self._listing.is_directory(_join(base, "node_modules", *package)):
                yield _join(base, "node_modules", *package)
        yield from self._searched(folder, parts)
        if len(package) > 1:
            above = f"{self._root}/" if self._root else ""
            yield from (place for place in self._packages.get(package[-1], ()) if place.startswith(above))

    def _searched(self, folder: str, parts: list[str]) -> Iterator[str]:
        """Yield the scripts that a name without dots before it means on a search path, or from the root of sources."""
        if not parts:
            return
        *above, name = parts
        for ending in ("", *_SCRIPT_SUFFIXES):
            yield from self._held(folder, above, f"{name}{ending}")
        for index in _INDEXES:
            yield from self._held(folder, parts, index)

    def _script(self, place: str) -> Iterator[str]:
        """Yield the files that a path stands for: without its suffix, or with that of what it is built from."""
        self.spend()
        stem, _, suffix = place.rpartition(".")
        for one in (place, stem) if f".{suffix}" in _SCRIPT_SUFFIXES else (place,):
            for path in (one, *(f"{one}{ending}" for ending in _SCRIPT_SUFFIXES)):
                if self._listing.is_file(path):
                    yield path
                elif self._links:
                    yield from self._linked(path)
        names = self._listing.children.get(place, ()) if place else ()
        if _PACKAGE in names:
            yield place
        yield from (_join(place, name) for name in names if name.startswith("index."))

    def _linked(self, path: str) -> Iterator[str]:
        """Yield a file behind links, and the first link by which it is reached."""
        if not path.startswith(self._beginnings):
            return
        link, at = "", path
        while at:
            if at in self._links:
                link = at
            at = at.rpartition("/")[0]
        real = self._listing.resolve(path) if link else None
        if real is not None and self._listing.is_file(real):
            yield real
            yield link

    def _upwards(self, folder: str) -> Iterator[str]:
        """Yield a folder and those above it, up to the root."""
        while folder != self._root and folder:
            yield folder
            folder = folder.rpartition("/")[0]
        yield self._root

    def spend(self) -> None:
        """Count one place.

        Raises:
            SpentError: this unit, or all of the tree's together, have looked at enough of them.
        """
        self._looks += 1
        self._all_looks += 1
        if self._looks > MAX_BOUND_LOOKS or self._all_looks > MAX_BOUND_LOOKS_IN_TREE:
            raise SpentError


def _join(*parts: str) -> str:
    return "/".join(part for part in parts if part)


def _normal(path: str) -> str | None:
    """Return a path without dots, None for one that leads out of the tree."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
