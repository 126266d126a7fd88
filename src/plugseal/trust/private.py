"""What counts as ours alone: which owners, modes and folders above are believed, and how a refusal says so.

Nothing here opens, changes or repairs anything: whoever opened a file or folder asks about what it has open, by
descriptor, never again by name.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from plugseal.disk import disk_hint, nearest
from plugseal.errors import StateError

_INSPECT: Final = "look at it with `ls -lad {place}`; plugseal neither repairs nor replaces it"
_OTHERS: Final = 0o077
_WRITABLE_BY_OTHERS: Final = 0o022


def check_file(found: os.stat_result) -> str:
    """Say what keeps an open file from being ours alone: regular, of one name, closed to all others; empty if nothing.

    It is asked for each file of each transition and each start.
    """
    if not stat.S_ISREG(found.st_mode):
        return "is no regular file"
    if found.st_uid != os.geteuid():
        return f"belongs to user {found.st_uid}, not to you"
    if found.st_nlink != 1:
        return "has another name besides (a hard link)"
    if found.st_mode & _OTHERS:
        return f"is open to others (mode {stat.S_IMODE(found.st_mode):04o})"
    return ""


def what_to_do(place: str, error: OSError | None = None) -> str:
    """Say what to type about a file or folder of the state that can't be used.

    Args:
        place: its path; what is named is the nearest that is there.
        error: what the system said, where that is the reason.
    """
    return disk_hint(place, error) or _INSPECT.format(place=nearest(place))


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


def bad_folder(path: Path, what: str, error: OSError | None = None) -> StateError:
    """Return the refusal of a folder."""
    return StateError(f"the state folder {what}", place=str(path), hint=what_to_do(str(path), error))


def _named(path: Path, steps: str) -> str:
    return os.path.normpath(f"{os.path.realpath(path)}/{steps}")
