"""Know programs by their bytes without reading 100 MB at each start: what was read is remembered, where that is safe.

A digest is remembered for a file of root's that nobody else can write, in folders of root's, and by (device, inode,
size, both times): whoever can change such a file without changing these can change anything.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from plugseal.errors import StateError
from plugseal.trust import fields
from plugseal.trust.files import open_folder
from plugseal.trust.plain import Json, parse_plain, render_plain
from plugseal.trust.programs import digest_of
from plugseal.trust.store import Store

_FILE: Final = "programs"
_MAX_KEPT: Final = 200
_WRITABLE_BY_OTHERS: Final = 0o022


class Identities:
    """Digests of programs."""

    def __init__(self, store: Store) -> None:
        """Prepare without reading anything.

        Args:
            store: below whose folder digests are remembered.
        """
        self._store = store

    def digest_of(self, path: str) -> str | None:
        """Return the SHA-256 of a program's bytes, None where it can't be read."""
        seal = _seal_of(path)
        if seal is None:
            return digest_of(path)
        known = self._read()
        row = known.get(path)
        if isinstance(row, list) and row[:-1] == seal and isinstance(row[-1], str):
            return row[-1]
        digest = digest_of(path)
        if digest is not None and _seal_of(path) == seal:
            kept: dict[str, Json] = dict(list(known.items())[-_MAX_KEPT:])
            self._write({**kept, path: [*seal, digest]})
        return digest

    def _read(self) -> dict[str, Json]:
        with suppress(StateError):
            folder = open_folder(self._store.home)
            if folder is None:
                return {}
            with folder:
                data = folder.read(_FILE)
                return {} if data is None else fields.table(value := parse_plain(data), _keys(value))
        return {}

    def _write(self, rows: dict[str, Json]) -> None:
        with suppress(StateError):
            folder = open_folder(self._store.home)
            if folder is not None:
                with folder, folder.locked(_FILE):
                    folder.write(_FILE, render_plain(rows))


def _keys(value: Json) -> Iterator[str]:
    yield from value if isinstance(value, dict) else ()


def _seal_of(path: str) -> list[Json] | None:
    """Return what tells that a program is the same file as before, None where that can't be trusted."""
    try:
        found = os.stat(path, follow_symlinks=False)  # noqa: PTH116  # a path as resolved
        above = [folder.stat() for folder in Path(path).parents]
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode) or any(_is_open(one) for one in (found, *above)):
        return None
    return [found.st_dev, found.st_ino, found.st_size, str(found.st_mtime_ns), str(found.st_ctime_ns)]


def _is_open(found: os.stat_result) -> bool:
    sticky = stat.S_ISDIR(found.st_mode) and found.st_mode & stat.S_ISVTX
    return found.st_uid != 0 or bool(found.st_mode & _WRITABLE_BY_OTHERS and not sticky)
