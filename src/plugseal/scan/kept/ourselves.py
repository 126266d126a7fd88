"""What decides what a scan says besides the tree and the rules: our own code, its libraries, the interpreter."""

from __future__ import annotations

import hashlib
import os
import sys
import sysconfig
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

import plugseal
from plugseal.names import unicode_version

_CACHES: Final = "__pycache__"


@lru_cache(maxsize=1)
def digest_of_ourselves() -> bytes:
    """Return a digest over our own code, our tables, what is installed beside us, and the interpreter.

    Code counts by its bytes. The thousands of small tables count by size and time, libraries by name and version: both
    change with an installation, which is trusted as our own code is.
    """
    digest = hashlib.sha256()
    for word in (sys.version, sys.platform, unicode_version(), *_installed()):
        digest.update(word.encode("utf-8", "surrogateescape") + b"\0")
    root = str(Path(plugseal.__file__).parent)
    for entry in _own_files(root):
        status = entry.stat()
        line = f"{entry.path[len(root) :]}\0{status.st_size}\0"
        if entry.name.endswith(".py"):
            with open(entry.path, "rb") as file:  # noqa: PTH123  # hundreds of files: each object counts
                digest.update(line.encode() + file.read())
        else:
            digest.update(f"{line}{status.st_mtime_ns}\0".encode())
    return digest.digest()


def _own_files(folder: str) -> Iterator[os.DirEntry[str]]:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if not entry.is_dir():
            yield entry
        elif entry.name != _CACHES:
            yield from _own_files(entry.path)


def _installed() -> list[str]:
    """Return the names of the libraries with their versions."""
    try:
        names = os.listdir(sysconfig.get_path("purelib"))  # noqa: PTH208  # names alone
    except OSError:
        return []
    return sorted(name for name in names if name.endswith((".dist-info", ".egg-info")))
