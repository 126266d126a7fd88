"""List a directory of plain files and folders, for who gives up on everything else."""

from __future__ import annotations

import os
import stat
from itertools import islice
from typing import Final

from plugseal import limits

GIT: Final = ".git"
"""At the root it is left out of a tree."""
TELLING_BITS: Final = 0o170000 | stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX
"""Of a mode: where they say that it is a regular file, it is plain."""
_NOT_CLOSED: Final = 0o277


class OddError(Exception):
    """Report that something is not plain, or not as it should be."""


def list_plain(descriptor: int) -> tuple[list[str], list[str]]:
    """Return the names of the files and of the folders in an open directory.

    Raises:
        OddError: there is anything else, more than a tree may hold, or a name that is not ASCII.
        OSError: it can't be listed.
    """
    files: list[str] = []
    folders: list[str] = []
    with os.scandir(descriptor) as listing:
        for item in islice(listing, limits.MAX_TREE_ENTRIES + 2):
            if item.is_file(follow_symlinks=False):
                files.append(item.name)
            elif item.is_dir(follow_symlinks=False):
                folders.append(item.name)
            else:
                raise OddError()
    if len(files) + len(folders) > limits.MAX_TREE_ENTRIES + 1:  # beside its `.git`
        raise OddError()
    if not ("".join(files).isascii() and "".join(folders).isascii()):
        raise OddError()
    return files, folders


def is_closed(status: os.stat_result) -> bool:
    """Say whether it is a folder of ours alone in which nobody may write."""
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & _NOT_CLOSED
