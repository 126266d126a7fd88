"""Make, at trust, what a runtime of ours loads in place of a staged copy: the same files without TypeScript's types.

The copy stays byte for byte what was reviewed. What is made of it lies beside it, read-only and named by its content.
Files whose types can't be erased refuse the trust, with every place: they would not run in the host either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

from plugseal.encode.treehash import content_receipt
from plugseal.errors import StageError, StateError
from plugseal.intake.read import read_tree
from plugseal.intake.stage import Stager
from plugseal.lang.ecmascript.erasing.erase import TYPED, erase_types
from plugseal.model.look import Look
from plugseal.model.tree import Entry
from plugseal.runtime.derived import DERIVED
from plugseal.trust.files import open_below
from plugseal.trust.store import Store

_SYSTEMS: Final = frozenset({"amness"})
"""Systems whose files a runtime of ours loads."""
_HINT: Final = "ask its author for types that can be erased; TypeScript's `erasableSyntaxOnly` finds all others"


def derive(look: Look, stage: Path, store: Store) -> str:
    """Make what is loaded in place of a copy, and return its content receipt; empty where the copy itself is loaded.

    Args:
        look: at the plugin.
        stage: its copy.
        store: of the state folder in which it is made.

    Raises:
        StageError: types can't be erased, or it can't be written.
    """
    if look.plugin.system not in _SYSTEMS or not any(_is_typed(entry.path) for entry in look.tree.entries):
        return ""
    folder = open_below(store.home, DERIVED, create=True)
    if folder is None:
        raise StateError("the state folder went away", place=str(store.home))
    folder.close()
    stager = Stager(store.home / DERIVED)
    try:
        eraser = _Eraser(stager)
        tree = read_tree(stage, eraser)
        if eraser.faults:
            raise StageError("types can't be erased", place=look.path, details=eraser.faults, hint=_HINT)
        made = tree._replace(entries=tuple(eraser.replaced(tree.entries)))
        content = content_receipt(made)
        stager.finish(made, content)
    finally:
        stager.abandon()
    return content


class _Eraser:
    """Hand each file of a copy to a stager, typed ones without their types."""

    def __init__(self, stager: Stager) -> None:
        self.faults: list[str] = []
        self._stager = stager
        self._digests: dict[str, tuple[str, int]] = {}
        """Path to digest and size of what was erased."""

    def begin(self, entries: Sequence[Entry]) -> None:
        self._stager.begin(entries)

    def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
        if data is not None and _is_typed(entry.path):
            erased = erase_types(data)
            self.faults += [f"{entry.path}:{fault.line}:{fault.column}: {fault.what}" for fault in erased.faults]
            data = erased.data
            self._digests[entry.path] = (sha256(data).hexdigest(), len(data))
            entry = self._replaced(entry)
        self._stager.visit(entry, data, reason)

    def replaced(self, entries: Sequence[Entry]) -> Iterator[Entry]:
        """Yield entries with the digests and sizes of what was written."""
        return map(self._replaced, entries)

    def _replaced(self, entry: Entry) -> Entry:
        digest, size = self._digests.get(entry.path, (entry.digest, entry.size))
        return entry._replace(digest=digest, size=size)


def _is_typed(path: str) -> bool:
    return path.endswith(TYPED)
