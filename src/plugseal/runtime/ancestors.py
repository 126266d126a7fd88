"""What stands above the staged copy and would be loaded from there: Node's packages and its nearest manifest.

Interpreters look for packages in every folder above a file. A `package.json` of ours stands right above the copies, so
that no other decides how a file of a copy is read; a `node_modules` in any folder above is refused unless reviewed, but
for what is known not to look there: Python that starts nothing but Python.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from plugseal.runtime.approved import Approved

MANIFEST: Final = "package.json"
MANIFEST_BYTES: Final = b'{"private":true}\n'
_FOLDERS: Final = ("node_modules", "node_libraries")
_PYTHON: Final = r"(?:python|pypy)[0-9.]*"
_STARTS: Final = frozenset({"process.exec", "process.shell"})


def find_ancestor(stage: Path) -> str | None:
    """Return a folder above a staged copy from which code would be loaded, None where there is none."""
    for above in stage.parents:
        for name in _FOLDERS:
            if os.path.lexists(above / name):
                return str(above / name)
    return None


def looks_above(
    component: Approved,
    programs: Iterable[tuple[str, str, str]],
    capabilities: Iterable[tuple[str, str | None]],
) -> bool:
    """Say whether a component may load packages from folders above the copy; what is not known may.

    Args:
        component: with its reviewed command.
        programs: (word, path, digest) of those outside the copy, as they were at trust.
        capabilities: of the whole plugin.
    """
    if component.shell or not component.command:
        return bool(component.shell or component.entry)
    paths = {word: path for word, path, _ in programs}
    starts_python = _is_python(component.command[0]) and _is_python(paths.get(component.command[0], ""))
    others = [found for what, found in capabilities if what in _STARTS]
    return not starts_python or any(found is None or not _is_python(found) for found in others)


def _is_python(program: str) -> bool:
    return re.fullmatch(_PYTHON, program.rpartition("/")[2]) is not None


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
