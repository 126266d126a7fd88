"""Entries of a tree that deserve a look: byte code without source, links that lead out, names that hide something."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from plugseal.model.location import WHOLE_FILE
from plugseal.model.tree import EntryKind, Tree
from plugseal.names import collision_key
from plugseal.scan.detectors.detector import TreeHit
from plugseal.scan.detectors.hidden import find_hidden
from plugseal.scan.matching.hit import Hit


def look_for_orphan_byte_code(tree: Tree) -> Iterable[TreeHit]:
    """Find Python byte code whose source is not in the tree: Python would run what nobody can read."""
    names = {entry.path for entry in tree.entries}
    for entry in tree.entries:
        if entry.path.endswith((".pyc", ".pyo")) and source_of(entry.path) not in names:
            yield TreeHit(entry.path, "its source is not here", entry.path)


def look_for_cached_byte_code(tree: Tree) -> Iterable[TreeHit]:
    """Find Python byte code beside its source: it may differ from it."""
    names = {entry.path for entry in tree.entries}
    for entry in tree.entries:
        if entry.path.endswith((".pyc", ".pyo")) and source_of(entry.path) in names:
            yield TreeHit(entry.path, f"Python may run it instead of `{source_of(entry.path)}`", entry.path)


def look_for_outward_links(tree: Tree) -> Iterable[TreeHit]:
    """Find symbolic links whose target is not inside the tree."""
    for entry in tree.entries:
        if entry.kind is EntryKind.SYMLINK and entry.target is not None and leads_out(entry.path, entry.target):
            yield TreeHit(entry.path, f"leads to `{entry.target}`", entry.target)


def look_for_hidden_names(tree: Tree) -> Iterable[TreeHit]:
    """Find names with control or invisible characters."""
    for entry in tree.entries:
        name = entry.path.rpartition("/")[2]
        if any(ord(c) < 32 or 127 <= ord(c) < 160 for c in name) or next(find_hidden(name), None) is not None:
            yield TreeHit(entry.path, "holds characters that nobody sees")


def look_for_name_collisions(tree: Tree) -> Iterable[TreeHit]:
    """Find names that are one name on other systems: several of them are one finding, at the last."""
    groups: dict[tuple[str, str], list[str]] = {}
    for fault in tree.faults:
        if fault.code in ("case-collision", "not-nfc"):
            folder, _, name = fault.path.rpartition("/")
            groups.setdefault((folder, collision_key(name)), []).append(fault.path)
    for paths in groups.values():
        *others, last = sorted(set(paths))
        yield TreeHit(last, f"also {', '.join(f'`{other}`' for other in others[:3])}" if others else "", last)


def look_for_native_code(path: str, data: bytes, language: str) -> Iterable[Hit]:
    """Find machine and byte code by its content, Python's own aside."""
    if language == "native" and data[2:4] != b"\r\n":
        yield Hit(WHOLE_FILE, "no reader can look inside", path)


def look_for_disguised_code(path: str, data: bytes, language: str) -> Iterable[Hit]:
    """Find programs whose name says that they are a picture, a font, a sound, a film or a document."""
    del data
    if language in _CODE and path.rpartition("/")[2].rpartition(".")[2].lower() in _NO_CODE:
        yield Hit(WHOLE_FILE, f"read as {language}", path)


_CODE: Final = frozenset("python javascript typescript shell batch PowerShell Ruby Perl PHP Lua AppleScript".split())
_NO_CODE: Final = frozenset(
    """
    png jpg jpeg gif webp bmp ico avif tif tiff heic woff woff2 ttf otf eot mp3 wav ogg flac m4a mp4 m4v webm mov avi
    mkv pdf doc docx xls xlsx ppt pptx odt ods
    """.split()
)


def source_of(path: str) -> str:
    """Return where the source of a byte code file would be."""
    folder, _, name = path.rpartition("/")
    stem = name.rpartition(".")[0]
    if folder == "__pycache__" or folder.endswith("/__pycache__"):
        folder = folder[: -len("__pycache__")].rstrip("/")
        stem = stem.partition(".")[0]
    return f"{folder}/{stem}.py" if folder else f"{stem}.py"


def leads_out(path: str, target: str) -> bool:
    """Say whether a link's target, as written, is outside the tree."""
    if target.startswith(("/", "\\")) or target[1:2] == ":":
        return True
    from plugseal.lang.judging.paths import climbs_out  # trees without links do without

    return climbs_out(target, path.count("/"))
