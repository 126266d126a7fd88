"""Wait for the lock of an open file or folder, and not forever.

Locks are `flock`: they belong to what is open, so that another descriptor of the same file, closed anywhere in the
process, does not drop them as it drops POSIX locks. Closing the descriptor gives the lock back, as does being killed.
"""

from __future__ import annotations

import time
from typing import Final

LOCK_SECONDS: Final = 30.0
"""How long to wait for somebody else's transition."""
_FIRST_PAUSE: Final = 0.0005
_LONGEST_PAUSE: Final = 0.02


def take_lock(descriptor: int, *, shared: bool = False, max_seconds: float = LOCK_SECONDS) -> bool:
    """Take a lock, and say whether it could be had in time.

    Args:
        descriptor: of what is locked.
        shared: for reading, together with others who read.
        max_seconds: how long to wait for whoever holds it.

    Raises:
        OSError: it can't be locked at all.
    """
    import fcntl  # not on every system on which a scan runs

    wanted = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB
    end, pause = 0.0, _FIRST_PAUSE
    while True:
        try:
            fcntl.flock(descriptor, wanted)
        except BlockingIOError:
            now = time.monotonic()
            end = end or now + max_seconds
            if now > end:
                return False
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)
        else:
            return True


def give_lock_back(descriptor: int) -> None:
    """Give a lock back and leave what is locked open.

    Raises:
        OSError: it can't be.
    """
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_UN)
