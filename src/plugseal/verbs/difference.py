"""Say in what way two trees differ, so that no receipt ends in an unexplained mismatch.

A difference of line endings alone, or of files that file managers leave behind, is named as such. It stays a
difference: the receipts differ, and nothing here accepts one tree for the other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from enum import Enum
from pathlib import Path

from plugseal.intake.read import read_tree
from plugseal.model.tree import Entry, EntryKind
from plugseal.records import NamedTuple

_JUNK = frozenset({".ds_store", "thumbs.db", "desktop.ini", "ehthumbs.db", ".directory"})


class DifferenceKind(str, Enum):
    """What the whole difference comes down to."""

    NONE = "none"
    LINE_ENDINGS = "line-endings-only"
    JUNK = "junk-files-only"
    LINE_ENDINGS_AND_JUNK = "line-endings-and-junk-files-only"
    CONTENT = "content"


class Difference(NamedTuple):
    """How two trees differ, by path, each sorted; hostile text."""

    kind: DifferenceKind
    added: tuple[str, ...]
    """Only in the second."""
    removed: tuple[str, ...]
    """Only in the first."""
    changed: tuple[str, ...]
    """In both, with other bytes, another mode, another kind or another target."""
    line_endings: tuple[str, ...]
    """In both, equal once CRLF is read as LF."""

    @property
    def explanation(self) -> str:
        """Return the difference as one line for people, without any name out of the trees."""
        if self.kind is DifferenceKind.NONE:
            return "no difference"
        ends = f"line endings only, {_files(len(self.line_endings))}"
        junk = f"files that file managers leave behind only, {_files(len(self.added) + len(self.removed))}"
        if self.kind is DifferenceKind.LINE_ENDINGS:
            return f"{ends}; see `core.autocrlf` and `.gitattributes` of the checkout"
        if self.kind is DifferenceKind.JUNK:
            return junk
        if self.kind is DifferenceKind.LINE_ENDINGS_AND_JUNK:
            return f"{ends}; and {junk}"
        parts = [(len(self.added), "added"), (len(self.removed), "removed"), (len(self.changed), "changed")]
        parts.append((len(self.line_endings), "with other line endings"))
        return ", ".join(f"{_files(count)} {what}" for count, what in parts if count)


def explain_difference(first: Path, second: Path) -> Difference:
    """Return how two trees (directories, files or archives) differ.

    Raises:
        IntakeError: if a path can't be read at all.
    """
    before, after = _Shapes.read(first), _Shapes.read(second)
    added = tuple(path for path in after if path not in before)
    removed = tuple(path for path in before if path not in after)
    differing = [p for p in before if p in after and (before[p] != after[p] or before[p].is_unknown)]
    endings = tuple(p for p in differing if before[p].text is not None and before[p].text == after[p].text)
    changed = tuple(path for path in differing if path not in set(endings))
    kind = _kind(added + removed, changed, endings)
    return Difference(kind, added, removed, changed, endings)


class _Shape(NamedTuple):
    """All that a receipt binds of one entry, and the digest of its text with LF alone."""

    kind: EntryKind
    executable: bool
    target: str | None
    digest: str | None
    text: tuple[bool, str] | None
    """(executable, digest); None for what is no text."""

    @property
    def is_unknown(self) -> bool:
        """Say whether the bytes could not be read: then nobody can say that they are the same."""
        return self.kind is EntryKind.FILE and self.digest is None


class _Shapes:
    """Gather the shapes of a tree while it is being read."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    @classmethod
    def read(cls, path: Path) -> dict[str, _Shape]:
        """Return the shapes of a tree by path, in tree order."""
        shapes = cls()
        tree = read_tree(path, shapes)
        return {entry.path: shapes.shape(entry) for entry in tree.entries if entry.kind is not EntryKind.DIRECTORY}

    def begin(self, entries: Sequence[Entry]) -> None:
        """Take the listing; nothing is needed of it."""

    def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
        """Take one file."""
        del reason
        if data is not None and b"\0" not in data:
            self.texts[entry.path] = hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()

    def shape(self, entry: Entry) -> _Shape:
        """Return an entry's shape."""
        text = self.texts.get(entry.path) if entry.digest is not None else None
        normal = (entry.executable, text) if text is not None else None
        return _Shape(entry.kind, entry.executable, entry.target, entry.digest, normal)


def _kind(only_one: tuple[str, ...], changed: tuple[str, ...], endings: tuple[str, ...]) -> DifferenceKind:
    if changed or not all(_is_junk(path) for path in only_one):
        return DifferenceKind.CONTENT
    if endings:
        return DifferenceKind.LINE_ENDINGS_AND_JUNK if only_one else DifferenceKind.LINE_ENDINGS
    return DifferenceKind.JUNK if only_one else DifferenceKind.NONE


def _is_junk(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return name in _JUNK or name.startswith("._")


def _files(count: int) -> str:
    return f"{count} file" if count == 1 else f"{count} files"
