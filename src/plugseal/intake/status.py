"""Say what is wrong with an open regular file, apart from its content."""

from __future__ import annotations

import os
import stat
from typing import Final

from plugseal.intake.faults import fault
from plugseal.intake.hashing import has_capabilities
from plugseal.model.tree import Fault

_SPECIAL_BITS: Final = (
    (stat.S_ISUID, "set-user-id"),
    (stat.S_ISGID, "set-group-id"),
    (stat.S_ISVTX, "sticky"),
)


def check_status(path: str, fd: int, status: os.stat_result, *, device: int) -> list[Fault]:
    """Return what is wrong with an open regular file, apart from its content.

    Args:
        path: below the root.
        fd: the file, open.
        status: its `os.fstat`.
        device: that of the root.
    """
    found: list[Fault] = []
    if status.st_nlink != 1:
        found.append(fault(path, "hard-link", f"{status.st_nlink} names"))
    if special := [bit for mask, bit in _SPECIAL_BITS if status.st_mode & mask]:
        found.append(fault(path, "set-id", ", ".join(special)))
    if status.st_dev != device:
        found.append(fault(path, "mount"))
    # Only an executable can use them, and asking costs one more call for each file.
    if status.st_mode & 0o111 and has_capabilities(fd):
        found.append(fault(path, "file-capabilities"))
    return found
