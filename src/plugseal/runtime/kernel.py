"""The few calls to the kernel that Python has no name for, by number and through libc. Linux alone.

Each returns whether it worked: what depends on one that did not must refuse, not go on.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import lru_cache
from typing import Final

_SET_PDEATHSIG: Final = 1
_SET_DUMPABLE: Final = 4
_SET_CHILD_SUBREAPER: Final = 36
_GET_CHILD_SUBREAPER: Final = 37
_SET_NO_NEW_PRIVS: Final = 38


def set_undumpable() -> bool:
    """Keep other processes of this user from reading our memory and following our calls."""
    return _prctl(_SET_DUMPABLE, 0)


def set_subreaper() -> bool:
    """Become the parent of every orphan among our descendants."""
    return _prctl(_SET_CHILD_SUBREAPER, 1)


def is_subreaper() -> bool:
    """Say whether this process is the parent of every orphan among its descendants."""
    libc = _libc()
    if libc is None:
        return False
    found = ctypes.c_int(0)
    return libc.prctl(_GET_CHILD_SUBREAPER, ctypes.addressof(found), 0, 0, 0) == 0 and found.value == 1


def set_no_new_privileges() -> bool:
    """Make set-id programs and file capabilities give nothing, from here on and below."""
    return _prctl(_SET_NO_NEW_PRIVS, 1)


def set_parent_death_signal(number: int) -> bool:
    """Ask for a signal at the end of the thread that started us."""
    return _prctl(_SET_PDEATHSIG, number)


def _prctl(option: int, value: int) -> bool:
    libc = _libc()
    return libc is not None and libc.prctl(option, value, 0, 0, 0) == 0


@lru_cache(maxsize=1)
def _libc() -> ctypes.CDLL | None:
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None, use_errno=True)
    library.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    library.prctl.restype = ctypes.c_int
    return library


def open_watch() -> int | None:
    """Return a descriptor that becomes readable when a watched folder changes, None where there is none to be had."""
    libc = _libc()
    if libc is None:
        return None
    descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    return descriptor if descriptor >= 0 else None


def add_watch(descriptor: int, path: str, mask: int) -> int | None:
    """Watch a path, and return the watch's number, None where it can't be watched."""
    libc = _libc()
    if libc is None:
        return None
    number = libc.inotify_add_watch(descriptor, os.fsencode(path), mask)
    return number if number >= 0 else None
