"""Read a file that a user names, or a pipe into which somebody writes now, as a shell gives what a command says.

Nobody who says nothing keeps a command waiting: a pipe that nobody writes to ends it soon.
"""

from __future__ import annotations

import errno
import os
import select
from pathlib import Path
from typing import Final

_PIPE_SECONDS: Final = 10.0
"""How long a pipe in the place of a file may be silent."""


def read_soon(path: Path, *, max_bytes: int) -> bytes:
    """Return the bytes of a file or of a pipe, at most one more than asked for, so that a larger one is seen.

    Args:
        path: as the user named it.
        max_bytes: how many are wanted at most.

    Raises:
        OSError: it can't be read, or nothing comes from it.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        parts, left = [], max_bytes + 1
        while left:
            try:
                part = os.read(descriptor, min(left, 1 << 20))
            except BlockingIOError:
                if not select.select([descriptor], [], [], _PIPE_SECONDS)[0]:
                    raise OSError(errno.ETIMEDOUT, "nothing comes from it") from None
                continue
            if not part:
                break
            parts.append(part)
            left -= len(part)
        return b"".join(parts)
    finally:
        os.close(descriptor)
