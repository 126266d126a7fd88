"""What stands above the staged copy and would be loaded from there: Node's packages and its nearest manifest.

Interpreters look for packages in every folder above a file. A `package.json` of ours stands right above the copies, so
that no other decides how a file of a copy is read; a `node_modules` in any folder above is refused unless reviewed.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

MANIFEST: Final = "package.json"
MANIFEST_BYTES: Final = b'{"private":true}\n'
_FOLDERS: Final = ("node_modules", "node_libraries")


def find_ancestor(stage: Path) -> str | None:
    """Return a folder above a staged copy from which code would be loaded, None where there is none."""
    for above in stage.parents:
        for name in _FOLDERS:
            if os.path.lexists(above / name):
                return str(above / name)
    return None


def put_manifest(folder: Path) -> bool:
    """Make sure that our manifest stands above the copies, and return whether it does.

    Args:
        folder: of all copies: private, ours.
    """
    path = folder / MANIFEST
    if _read(path) == MANIFEST_BYTES:
        return True
    temporary = folder / f".{MANIFEST}.{os.urandom(8).hex()}"
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o400)
        try:
            os.write(descriptor, MANIFEST_BYTES)
        finally:
            os.close(descriptor)
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
    return _read(path) == MANIFEST_BYTES


def _read(path: Path) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.read(descriptor, len(MANIFEST_BYTES) + 1)
    except OSError:
        return None
    finally:
        os.close(descriptor)
