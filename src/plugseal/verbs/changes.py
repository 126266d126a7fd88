"""Compare two states of a plugin: their capability documents, and their files with the texts that differ.

Pure but for reading the two trees; nothing is run. What is said of files is bounded: a difference that is too large is
counted, and said to be cut.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from plugseal.intake.read import read_tree
from plugseal.lang.classify import classify
from plugseal.model.change import Change, ComponentChange, FileChange
from plugseal.model.inventory import Capable, capable_order
from plugseal.model.secrets import mask_lines
from plugseal.model.tree import Entry, EntryKind, Tree

Document = Mapping[str, Any]  # Any: JSON as `scan.document` makes it
MAX_TEXT_BYTES: Final = 8 * 1024 * 1024
"""Texts of one side that are kept for comparing, together."""
MAX_LINES: Final = 400
"""Lines of difference shown of one file."""
_TABLES: Final = frozenset({"environment", "literals", "headers", "extra"})
"""Fields of a component that are rows of a name and a value."""
_ABOUT: Final = ("system", "name", "version", "description", "manifest", "permissions", "faults", "extra", "links")
_JUNK: Final = frozenset({".ds_store", "thumbs.db", "desktop.ini", "ehthumbs.db", ".directory"})


def compare(
    before: Document,
    after: Document,
    files: Sequence[FileChange],
    lists: tuple[list[str], list[str]],
    *,
    added_lines: Sequence[tuple[str, tuple[str, ...]]] = (),
) -> Change:
    """Return how two states differ.

    Args:
        before: the older capability document.
        after: the newer one.
        files: files that are in both and differ.
        lists: paths of files only in the newer, and only in the older.
        added_lines: (path, lines) of new files whose text is at hand.
    """
    rows_before, rows_after = _capable(before), _capable(after)
    components = compare_components(before, after)
    change = Change(
        capabilities_added=tuple(sorted(rows_after - rows_before, key=capable_order)),
        capabilities_removed=tuple(sorted(rows_before - rows_after, key=capable_order)),
        components_added=components[0],
        components_removed=components[1],
        components_changed=components[2],
        components_same=components[3],
        about=tuple(
            (key, _plain(before.get(key)), _plain(after.get(key)))
            for key in _ABOUT
            if before.get(key) != after.get(key)
        ),
        files_added=tuple(lists[0]),
        added_lines=tuple(added_lines),
        files_removed=tuple(lists[1]),
        files_changed=tuple(files),
    )
    return change.of_class(_class_of(change))


def compare_files(
    before: Path, after: Path, *, trees: tuple[Tree, Tree]
) -> tuple[list[FileChange], tuple[list[str], list[str]], list[tuple[str, tuple[str, ...]]]]:
    """Return the files that differ with their lines, those that only one side has (the newer's first), and new lines.

    Args:
        before: where the older tree can be read again.
        after: where the newer one can.
        trees: both, with their digests.
    """
    old, new = (_files(tree) for tree in trees)
    differing = sorted(path for path in old.keys() & new.keys() if _differs(old[path], new[path]))
    added = sorted(new.keys() - old.keys())
    texts_before, texts_after = _Texts(frozenset(differing)), _Texts(frozenset([*differing, *added]))
    if differing:
        read_tree(before, texts_before)
    if differing or added:
        read_tree(after, texts_after)
    changes = [_change(path, old[path], new[path], texts_before.of(path), texts_after.of(path)) for path in differing]
    fresh = [(path, _lines(text)) for path in added if (text := texts_after.of(path)) is not None]
    return changes, (added, sorted(old.keys() - new.keys())), fresh


class _Texts:
    """Keep the bytes of a few files while a tree is read."""

    def __init__(self, wanted: frozenset[str]) -> None:
        self._wanted = wanted
        self._kept: dict[str, bytes] = {}
        self._left = MAX_TEXT_BYTES

    def begin(self, entries: Sequence[Entry]) -> None:
        """Take the listing; nothing is needed of it."""

    def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
        """Keep a file if it is wanted and there is room."""
        del reason
        if data is not None and entry.path in self._wanted and len(data) <= self._left:
            self._kept[entry.path] = data
            self._left -= len(data)

    def of(self, path: str) -> str | None:
        """Return a file's text, None where it is none or was not kept."""
        data = self._kept.get(path)
        if data is None or b"\0" in data:
            return None
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return None


def _files(tree: Tree) -> dict[str, Entry]:
    return {entry.path: entry for entry in tree.entries if entry.kind is not EntryKind.DIRECTORY}


def _differs(before: Entry, after: Entry) -> bool:
    return (before.kind, before.executable, before.target, before.digest) != (
        after.kind,
        after.executable,
        after.target,
        after.digest,
    ) or (before.kind is EntryKind.FILE and before.digest is None)


def _change(path: str, before: Entry, after: Entry, old: str | None, new: str | None) -> FileChange:
    if before.kind is not after.kind:
        return FileChange(path, "kind", 0, 0)
    executable = after.executable if before.executable != after.executable else None
    if before.digest == after.digest and before.digest is not None:
        return FileChange(path, "mode", 0, 0, executable=executable)
    if old is None or new is None:
        return FileChange(path, "content", 0, 0, executable=executable)
    if old.replace("\r\n", "\n") == new.replace("\r\n", "\n") and before.executable == after.executable:
        return FileChange(path, "line endings", 0, 0)
    lines, added, removed = _unified(old, new)
    return FileChange(path, "content", added, removed, lines, executable)


def _lines(text: str) -> tuple[str, ...]:
    lines = mask_lines(text.removesuffix("\n").split("\n"))
    shown = [f"+{line}" for line in lines[:MAX_LINES]]
    more = len(lines) - len(shown)
    return (*shown, f"\\ {more:,} more lines are not shown") if more else tuple(shown)


def _masked(rows: Sequence[str], before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """Yield the rows of a difference with the masked lines in the place of the plain ones.

    A row alone does not say whether the line above it names a credential.
    """
    at_before = at_after = 0
    for row in rows:
        if row.startswith("@@"):
            at_before, at_after = (_first(side) for side in row.split()[1:3])
            yield row
        elif row.startswith("-"):
            yield f"-{before[at_before]}"
            at_before += 1
        else:
            yield f"{row[0]}{after[at_after]}"
            at_before += row[0] == " "
            at_after += 1


def _first(side: str) -> int:
    """Return the index of the first line of a side of a hunk, `-12,5` or `+12`."""
    start, _, count = side[1:].partition(",")
    return int(start) - (count != "0")


def _unified(old: str, new: str) -> tuple[tuple[str, ...], int, int]:
    import difflib

    before, after = old.split("\n"), new.split("\n")
    if not before[-1] and not after[-1]:
        # What follows the last line end of both is no line; where one has no last line end, that is a difference.
        before.pop()
        after.pop()
    rows = list(difflib.unified_diff(before, after, n=2, lineterm=""))[2:]
    lines = list(_masked(rows, mask_lines(before), mask_lines(after)))
    added = sum(1 for line in lines if line.startswith("+"))
    removed = sum(1 for line in lines if line.startswith("-"))
    if len(lines) > MAX_LINES:
        lines = [*lines[:MAX_LINES], f"\\ {len(lines) - MAX_LINES:,} more lines of difference are not shown"]
    return tuple(lines), added, removed


def _capable(document: Document) -> set[Capable]:
    return {Capable(*(_as_text(part) for part in row)) for row in document.get("capabilities", ())}  # type: ignore[arg-type]  # four parts


def compare_components(
    before: Document, after: Document
) -> tuple[
    tuple[tuple[str, str], ...], tuple[tuple[str, str], ...], tuple[ComponentChange, ...], tuple[tuple[str, str], ...]
]:
    """Return the components that are new, gone, changed and the same, of two capability documents."""
    old, new = _named(before), _named(after)
    added = tuple((key[0], key[1]) for key in sorted(new.keys() - old.keys()))
    removed = tuple((key[0], key[1]) for key in sorted(old.keys() - new.keys()))
    changed, same = [], []
    for key in sorted(old.keys() & new.keys()):
        fields = tuple(_fields(old[key], new[key]))
        if fields:
            changed.append(ComponentChange(key[0], key[1], fields))
        else:
            same.append((key[0], key[1]))
    return added, removed, tuple(changed), tuple(same)


def _fields(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield (field, before, after) of what differs; of tables by name each name that differs."""
    for name in sorted(old.keys() | new.keys()):
        before, after = old.get(name), new.get(name)
        if before == after:
            continue
        if name not in _TABLES:
            yield name, _plain(before), _plain(after)
            continue
        rows_before, rows_after = _rows(before), _rows(after)
        for key in sorted(rows_before.keys() | rows_after.keys()):
            if rows_before.get(key) != rows_after.get(key):
                yield f"{name}.{key}", _values(rows_before.get(key)), _values(rows_after.get(key))


def _rows(pairs: object) -> dict[str, list[object]]:
    found: dict[str, list[object]] = {}
    for key, value in pairs if isinstance(pairs, list) else ():
        found.setdefault(_as_text(key) or "", []).append(value)
    return found


def _values(values: list[object] | None) -> str:
    return "(none)" if values is None else ", ".join(map(_plain, values))


def _named(document: Document) -> dict[tuple[str, str, int], Mapping[str, Any]]:
    """Return the components by kind and name; equal ones are told apart by their order."""
    found: dict[tuple[str, str, int], Mapping[str, Any]] = {}
    seen: Counter[tuple[str, str]] = Counter()
    for component in document.get("components", ()):
        kind, name = str(component["kind"]), _as_text(component["name"]) or ""
        found[kind, name, seen[kind, name]] = component
        seen[kind, name] += 1
    return found


def _as_text(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else _plain(value)


def _plain(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _class_of(change: Change) -> str:
    """Name what a difference comes down to: the worst of its parts."""
    if change.is_empty:
        return "none"
    whole = [*change.files_added, *change.files_removed]
    changed = [file for file in change.files_changed if file.what != "line endings"]
    if _without_junk(change).is_about_what_runs or any(file.what in ("mode", "kind") for file in changed):
        return "code"
    paths = [*whole, *(file.path for file in changed)]
    has_endings = len(changed) < len(change.files_changed)
    if not paths:
        return "line-endings-only" if has_endings and not change.about else "metadata-only"
    if not changed and not change.about and all(_is_junk(path) for path in paths):
        return "line-endings-and-junk-files-only" if has_endings else "junk-files-only"
    kinds = {_kind_of(path) for path in paths}
    if kinds <= {"prose"}:
        return "prose-only"
    return "metadata-only" if kinds <= {"prose", "data"} else "code"


def _without_junk(change: Change) -> Change:
    """Return a change without the rows that say of junk files that nobody reads them."""

    def kept(rows: tuple[Capable, ...]) -> tuple[Capable, ...]:
        return tuple(row for row in rows if not (row.capability == "unread" and _is_junk(row.object or "")))

    return change._replace(
        capabilities_added=kept(change.capabilities_added),
        capabilities_removed=kept(change.capabilities_removed),
    )


def _is_junk(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return name in _JUNK or name.startswith("._")


def _kind_of(path: str) -> str:
    language = classify(path, b"x\n").language
    if language in ("markdown", "Markdown", "plain text", "text"):
        return "prose"
    return "data" if language in ("json", "toml", "yaml") else "code"
