"""Notice every change of a plugin's record: by the kernel's word where it gives it, else by looking every 50 ms.

The folder of the records and the folder above it are watched, since either may be renamed or replaced. Whatever could
hide a change (an overflow, a watch that went away, a folder that moved) counts as a change: then it is read again, by
path, and the folder must be the very one that it was.
"""

from __future__ import annotations

import os
import struct
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from plugseal.runtime import kernel

POLL_SECONDS: Final = 0.05
_EVENT: Final = struct.Struct("iIII")
_MODIFY, _ATTRIB, _CLOSE_WRITE = 0x2, 0x4, 0x8
_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF, _UNMOUNT, _OVERFLOW, _IGNORED = 0x400, 0x800, 0x2000, 0x4000, 0x8000
_MASK: Final = (
    _ATTRIB | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF | _MODIFY
)
_ALWAYS: Final = _DELETE_SELF | _MOVE_SELF | _UNMOUNT | _OVERFLOW | _IGNORED
_BYTES: Final = 65536


class Watch:
    """Watch one record; ask `changed` before each operation."""

    def __init__(self, folder: Path) -> None:
        """Begin to watch, before anything is read: every record, until `only` says which.

        Args:
            folder: of the records.
        """
        self._folder = folder
        self._name = b""
        self._identity = _identity(folder)
        self._next_look = 0.0
        self.descriptor = kernel.open_watch()
        """Readable on a change; None where the kernel gives no watch: then `changed` looks by itself."""
        self._numbers: set[int] = set()
        if self.descriptor is not None:
            watches = [kernel.add_watch(self.descriptor, str(path), _MASK) for path in (folder, folder.parent)]
            if None in watches:
                self.close()
            else:
                self._numbers = {number for number in watches if number is not None}

    def only(self, name: str) -> None:
        """Heed one record's file alone from now on."""
        self._name = os.fsencode(name)

    @property
    def is_polling(self) -> bool:
        """Say whether the kernel gives no watch."""
        return self.descriptor is None

    def changed(self) -> bool:
        """Say whether the record may have changed since the last time, without waiting."""
        if self.descriptor is None:
            now = time.monotonic()
            if now < self._next_look:
                return False
            self._next_look = now + POLL_SECONDS
            return True
        return self._drain(self.descriptor)

    def is_same_folder(self) -> bool:
        """Say whether the folder of the records is the one that it was."""
        return _identity(self._folder) == self._identity

    def close(self) -> None:
        """Stop watching."""
        if self.descriptor is not None:
            with suppress(OSError):
                os.close(self.descriptor)
            self.descriptor = None

    def _drain(self, descriptor: int) -> bool:
        found = False
        while True:
            try:
                data = os.read(descriptor, _BYTES)
            except BlockingIOError:
                return found
            except OSError:
                return True
            found = self._tells(data) or found

    def _tells(self, data: bytes) -> bool:
        at = 0
        while at < len(data):
            _, mask, _, length = _EVENT.unpack_from(data, at)
            at += _EVENT.size
            name = data[at : at + length].rstrip(b"\0")
            at += length
            if mask & _ALWAYS or not self._name or name in (self._name, os.fsencode(self._folder.name)):
                return True
        return False


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        status = folder.lstat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
