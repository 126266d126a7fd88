"""Files that a client's manifest names: settings and prose under any name, in any folder.

Which files discovery needs is told by their names before anything is read; those that a manifest chooses itself have
no such name. So small files of the kinds that manifests name are held until all is read, and then kept if one does.

A name too many is no harm: what is kept is looked at by its plugin alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from plugseal.limits import KIB, MIB
from plugseal.model.tree import Entry, EntryKind
from plugseal.patterns import lazy

_MANIFESTS: Final = frozenset({"plugin.json", "marketplace.json", "kimi.plugin.json"})
_SUFFIXES: Final = (".json", ".jsonc", ".md", ".mdc", ".markdown", ".toml", ".yaml", ".yml")
_MAX_FILE: Final = 256 * KIB
_MAX_HELD: Final = 8 * MIB
_MAX_NAMES: Final = 4_096
_MAX_NAMES_OF_ENTRY: Final = 64
_MARKETPLACE: Final = "marketplace.json"
_TEXT: Final = lazy(rb'"([^"\\\x00-\x1f]{1,256})"')
_LEVELS: Final = 3
"""A manifest's own folder and those around it: `.github/plugin/plugin.json` names files from two above."""


class HeldFiles:
    """Small files that a manifest may name, until it is known."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        """Begin with a listing: without a manifest in it nothing is held."""
        files = [entry.path for entry in entries if entry.kind is EntryKind.FILE]
        self._is_asked = any(path.rpartition("/")[2] in _MANIFESTS for path in files)
        self._held: dict[str, bytes] = {}
        self._left = _MAX_HELD

    def hold(self, path: str, data: bytes) -> None:
        """Hold a file if it is of a kind that manifests name, and there is room."""
        if self._is_asked and path.endswith(_SUFFIXES) and len(data) <= min(_MAX_FILE, self._left):
            self._held[path] = data
            self._left -= len(data)

    def named(self, kept: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
        """Yield the held files that a kept manifest names, alone or by a folder around them."""
        if not self._held:
            return
        names = {name for path, data in kept.items() for name in _names(path, data)}
        for path in sorted(self._held):
            if any(place in names for place in _around(path)):
                yield path, self._held[path]


def _around(path: str) -> Iterator[str]:
    """Yield a file's path and those of the folders around it."""
    while path:
        yield path
        path = path.rpartition("/")[0]


def _names(path: str, data: bytes) -> Iterator[str]:
    """Yield what the texts of a manifest would be as paths, from each folder that they may be meant from."""
    folder, _, name = path.rpartition("/")
    if name not in _MANIFESTS:
        return
    bases = [folder]
    for _ in range(_LEVELS - 1):
        bases.append(bases[-1].rpartition("/")[0])
    for inner in _inners(data):
        yield from (f"{base}/{inner}" if base else inner for base in dict.fromkeys(bases))
    if name == _MARKETPLACE:
        for piece in data.split(b'"source"')[1:_MAX_NAMES]:
            # What stands behind an entry's source, up to the next one, may be meant from there.
            source, *others = _inners(piece) or [""]
            for inner in others[:_MAX_NAMES_OF_ENTRY] if source else []:
                yield from (
                    f"{base}/{source}/{inner}" if base else f"{source}/{inner}" for base in dict.fromkeys(bases)
                )


def _inners(data: bytes) -> list[str]:
    """Return the texts of a manifest that may be paths below a folder."""
    found = (_inner(text.decode("utf-8", "replace")) for text in _TEXT.findall(data)[:_MAX_NAMES])
    return [inner for inner in found if inner]


def _inner(text: str) -> str:
    """Return a text as a path below a folder, empty where it is none."""
    parts = [part for part in text.split("/") if part not in ("", ".")]
    return "" if ".." in parts or text.startswith("/") or ":" in text else "/".join(parts)
