"""Which Python modules a tree holds itself, so that imports of them can be linked, and which of them were asked for."""

from __future__ import annotations

from collections.abc import Iterable

from plugseal.model.tree import Entry, EntryKind

_SUFFIXES = (".py", ".pyw", ".pyi")


class AskedModules(frozenset[str]):
    """The names of a tree's own modules, noting which were asked for."""

    def __init__(self, _names: Iterable[str] = ()) -> None:
        self.asked: dict[str, bool] = {}

    def __contains__(self, name: object) -> bool:
        answer = super().__contains__(name)
        self.asked[str(name)] = answer
        return answer


def local_modules(entries: Iterable[Entry]) -> frozenset[str]:
    """Return the top-level names by which files and packages of the tree could be imported.

    Every folder above a Python file counts, since any of them can be on the module path of whatever starts it.
    """
    names: set[str] = set()
    folders: set[str] = set()
    for entry in entries:
        if entry.kind is EntryKind.DIRECTORY or not entry.path.endswith(_SUFFIXES):
            continue
        folder, _, name = entry.path.rpartition("/")
        names.add(name.rpartition(".")[0])
        folders.add(folder)
    for folder in folders:
        names.update(folder.split("/"))
    names.discard("__init__")
    names.discard("")
    return frozenset(names)
