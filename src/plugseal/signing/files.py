"""Read a file that must be a regular one: never through a link, never a device, never more than asked for."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_FLAGS: Final = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOFOLLOW", "O_CLOEXEC", "O_BINARY")
)
"""Not every system has them all."""


def read_regular(path: str | Path, *, max_bytes: int, judge: Callable[[os.stat_result], None] | None = None) -> bytes:
    """Return the bytes of a file, at most one more than asked for, so that a larger one is seen.

    Args:
        path: of the file.
        max_bytes: how many are wanted at most.
        judge: looks at the open file and raises where it may not be read.

    Raises:
        OSError: it can't be read, or is no regular file.
        ValueError: it is no path.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "is no regular file")
        if judge is not None:
            judge(found)
        parts, left = [], max_bytes + 1
        while left and (part := os.read(descriptor, min(left, 1 << 20))):
            parts.append(part)
            left -= len(part)
    finally:
        os.close(descriptor)
    return b"".join(parts)


def why_unread(error: OSError | ValueError) -> str:
    """Return in a few words why a file can't be read."""
    if getattr(error, "errno", None) == errno.ELOOP:
        return "is a link"
    return (getattr(error, "strerror", None) or "is no path").lower()
