"""What to type where the disk, and nothing else, is in the way: full, out of quota or inodes, or read-only.

It looks at names alone, opens and changes nothing, and decides nothing: whoever failed says so itself.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Final

_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT)


def disk_hint(place: str, error: OSError | None) -> str | None:
    """Return what to type, None where it is not the disk that is in the way.

    Args:
        place: the file or folder that could not be written; it need not be there.
        error: what the system said.
    """
    code = None if error is None else error.errno
    if code in _NO_ROOM:
        there = Path(nearest(place))
        folder = there if there.is_dir() else there.parent
        return f"make room there, then try again: see `df -h {folder}` and `df -i {folder}`"
    if code == errno.EROFS:
        return f"make its file system writable, then try again: see `findmnt -T {nearest(place)}`"
    return None


def nearest(place: str) -> str:
    """Return a path itself if something is there, else the nearest folder above it that is there."""
    path = Path(place)
    return str(next((one for one in (path, *path.parents) if os.path.lexists(one)), path))
