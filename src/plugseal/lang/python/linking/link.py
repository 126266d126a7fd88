"""Names that one file takes from another file of the same tree, followed to what they really are.

A pending name begins with a module: relative ones count their dots from the file's own package; absolute ones are
looked for beside the file, in each folder above it, up to the root of the tree. What is found is replaced by what that
file says the name may hold, over several hops. Nothing is read here: only what the readers noted is combined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from plugseal.lang.facts import Event, FileFacts, Interest
from plugseal.lang.judging.report import Report
from plugseal.lang.linker import Exports, Linker, held_under
from plugseal.lang.python.tables import shared_tables
from plugseal.model.capability import Fact

_MAX_PARTS: Final = 32


def link_python(files: Mapping[str, FileFacts]) -> dict[str, tuple[list[Fact], list[Event]]]:
    """Return, by file, the facts and events that its pending names turn out to be.

    Args:
        files: every Python file of the tree by its path below the root, `/` between parts.
    """
    return dict(PythonLinker(files).iterate())


class PythonLinker(Linker):
    """All Python files of one tree, by path."""

    def __init__(self, files: Mapping[str, FileFacts]) -> None:
        """Take every Python file of a tree, by its path below the root."""
        super().__init__(files, shared_tables())
        self._modules = _module_paths(files)

    def _report(self) -> Report:
        return Report(Interest())

    def _is_outside(self, name: str, hops: int) -> bool:
        return hops > 0 and not name.startswith(".")

    def _targets(self, path: str, name: str) -> Sequence[tuple[str, str]]:
        """Return the file that a name leads to, with the rest of the name inside it; the longest match only."""
        folder = path.rpartition("/")[0].split("/") if "/" in path else []
        bare = name.lstrip(".")
        dots = len(name) - len(bare)
        parts = bare.split(".")[:_MAX_PARTS]
        if dots:
            if dots - 1 > len(folder):
                return ()
            bases = [folder[: len(folder) - (dots - 1)]]
        else:
            bases = [folder[:count] for count in range(len(folder), -1, -1)]
        for base in bases:
            for count in range(len(parts), -1 if dots else 0, -1):
                target = self._modules.get("/".join((*base, *parts[:count])))
                if target is not None and target != path:
                    return ((target, ".".join(parts[count:])),)
                if target == path and count < len(parts):
                    return ((target, ".".join(parts[count:])),)
        return ()

    def _held(self, exports: Exports, name: str) -> tuple[str, ...] | None:
        return held_under(exports, name)

    def _below(self, module: str, name: str) -> str:
        return module + name if module.endswith(".") else f"{module}.{name}"

    def _is_package(self, path: str) -> bool:
        return path.rpartition("/")[2].startswith("__init__.")


def _module_paths(files: Mapping[str, FileFacts]) -> dict[str, str]:
    """Return files by the path of their module: without suffix, packages by their folder."""
    found: dict[str, str] = {}
    for path in sorted(files):
        stem = path.rpartition(".")[0] if path.endswith((".py", ".pyw", ".pyi")) else ""
        if not stem:
            continue
        if stem == "__init__" or stem.endswith("/__init__"):
            stem = stem[: -len("__init__")].rstrip("/")
        found.setdefault(stem, path)
    return found
