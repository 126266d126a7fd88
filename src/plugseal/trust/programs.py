"""Programs outside the staged copy (interpreters above all): found by rules of ours, and known by their bytes.

A program is looked for in folders that the user's search path names and that others can't write to, never in the
current folder, a workspace or the plugin. What was found at trust is what is started later: its path and its bytes.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

from plugseal.errors import StateError
from plugseal.records import NamedTuple
from plugseal.trust.home import account_home

ALWAYS: Final = ("/usr/local/bin", "/usr/bin", "/bin")
_CHUNK: Final = 1 << 20
_WRITABLE_BY_OTHERS: Final = 0o022


class Program(NamedTuple):
    """A program as it was found."""

    name: str
    """As the reviewed command names it."""
    path: str
    """Real path, absolute."""
    digest: str
    """SHA-256 of its bytes, in hex."""


def find_program(name: str, *, search: Iterable[str], outside: Iterable[str]) -> Program | None:
    """Return a program by its bare name or absolute path, None where there is none that may be used.

    Args:
        name: as the reviewed command names it.
        search: folders, in order.
        outside: folders in which nothing is looked for: the plugin, the workspace, the current folder.
    """
    # A folder that holds the system's own programs or the user's home is no workspace, whoever stands in it.
    forbidden = tuple(real for path in outside if not _holds_ours(real := os.path.realpath(path)))
    candidates = (
        [name] if name.startswith("/") else [f"{folder}/{name}" for folder in search] if "/" not in name else []
    )
    for candidate in candidates:
        real = os.path.realpath(candidate)
        if any(real == path or real.startswith(f"{path}/") for path in forbidden) or not _is_program(real):
            continue
        digest = digest_of(real)
        if digest is not None:
            return Program(name, real, digest)
    return None


def search_folders(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the folders of a search path that nobody else can write to, then those that every system has.

    Folders of shims are passed over: a shim is a script that chooses another program by the folder one stands in.
    """
    named = [folder for folder in environment.get("PATH", "").split(":") if folder.startswith("/")]
    named = [folder for folder in named if "shims" not in folder.split("/")]
    return tuple(folder for folder in dict.fromkeys((*named, *ALWAYS)) if _is_safe(folder))


def digest_of(path: str) -> str | None:
    """Return the SHA-256 of a file's bytes in hex, None where it can't be read."""
    digest = sha256()
    try:
        with Path(path).open("rb", buffering=0) as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError:
        return None
    return digest.hexdigest()


def _holds_ours(folder: str) -> bool:
    try:
        homes = [os.path.realpath(account_home())]
    except StateError:
        homes = []
    # Interpreters that a user installed for themselves (pyenv, nvm) lie below the home.
    return any(f"{path}/".startswith(f"{folder.rstrip('/')}/") for path in (*ALWAYS, *homes))


def _is_program(path: str) -> bool:
    try:
        status = os.stat(path)  # noqa: PTH116  # a path as resolved
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and os.access(path, os.X_OK)


def _is_safe(folder: str) -> bool:
    try:
        status = os.stat(folder)  # noqa: PTH116  # a path as given
    except OSError:
        return False
    return (
        stat.S_ISDIR(status.st_mode)
        and status.st_uid in (0, os.geteuid())
        and not (status.st_mode & _WRITABLE_BY_OTHERS and not status.st_mode & stat.S_ISVTX)
    )


def shebang_names(head: bytes) -> tuple[str, ...]:
    """Return the programs that the first line of a script names, as words: `env` and what it looks for are two.

    Args:
        head: the first bytes of the file.
    """
    line = head.partition(b"\n")[0]
    if not line.startswith(b"#!"):
        return ()
    words = line[2:].decode("utf-8", "surrogateescape").split()
    if not words or words[0].rpartition("/")[2] != "env":
        return tuple(words[:1])
    named = (word for word in words[1:] if not word.startswith("-") and "=" not in word)
    return (words[0], *(name for name, _ in zip(named, range(1), strict=False)))
