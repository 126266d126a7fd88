"""What counts as ours alone: which owners, modes and folders above are believed, and how a refusal says so.

Nothing here opens, changes or repairs anything: whoever opened a file or folder asks about what it has open, by
descriptor, never again by name.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from plugseal.errors import StateError

INSPECT: Final = "look at it with `ls -la {place}`; plugseal neither repairs nor replaces it"
_OTHERS: Final = 0o077
_WRITABLE_BY_OTHERS: Final = 0o022


def verify_private_file(place: str, found: os.stat_result) -> None:
    """Refuse a file that is not regular, of one name, the effective user's, and open to nobody else.

    Args:
        place: its path, for the message.
        found: of the open file.

    Raises:
        StateError: it is anything else.
    """
    wrong = ""
    if not stat.S_ISREG(found.st_mode):
        wrong = "is no regular file"
    elif found.st_uid != os.geteuid():
        wrong = f"belongs to user {found.st_uid}, not to you"
    elif found.st_nlink != 1:
        wrong = "has another name besides (a hard link)"
    elif found.st_mode & _OTHERS:
        wrong = f"is open to others (mode {stat.S_IMODE(found.st_mode):04o})"
    if wrong:
        raise StateError(f"the state file {wrong}", place=place, hint=INSPECT.format(place=place))


def verify_private_folder(path: Path, found: os.stat_result) -> None:
    """Refuse a folder that is not the effective user's, or is open to anybody else.

    Raises:
        StateError: it is.
    """
    if found.st_uid != os.geteuid():
        raise bad_folder(path, f"belongs to user {found.st_uid}, not to you")
    if found.st_mode & _OTHERS:
        raise bad_folder(path, f"is open to others (mode {stat.S_IMODE(found.st_mode):04o})")


def verify_above(path: Path, descriptor: int) -> None:
    """Refuse an open folder that somebody else can move away: who may rename one above it.

    It is climbed by `..` from the descriptor, so that neither names nor links of somebody else decide what is looked
    at; and cheaply, since it is done for every transition and every start.

    Raises:
        StateError: it is, or that can't be told.
    """
    trusted, steps = (0, os.geteuid()), ".."
    last: os.stat_result | None = None
    try:
        while True:
            found = os.stat(steps, dir_fd=descriptor)  # by descriptor
            if found.st_uid not in trusted:
                raise bad_folder(path, f"stands below {_named(path, steps)}, which belongs to user {found.st_uid}")
            if found.st_mode & _WRITABLE_BY_OTHERS and not found.st_mode & stat.S_ISVTX:
                raise bad_folder(path, f"stands below {_named(path, steps)}, where others may rename it")
            if last is not None and os.path.samestat(found, last):
                return  # the root is above itself
            steps, last = f"{steps}/..", found
    except OSError as error:
        raise bad_folder(path, f"stands below what can't be looked at ({(error.strerror or '').lower()})") from error


def bad_folder(path: Path, what: str) -> StateError:
    """Return the refusal of a folder."""
    return StateError(f"the state folder {what}", place=str(path), hint=INSPECT.format(place=path))


def _named(path: Path, steps: str) -> str:
    return os.path.normpath(f"{os.path.realpath(path)}/{steps}")
