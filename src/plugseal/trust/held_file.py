"""A file of the state folder that stays open between two looks at it.

Nothing that is held is believed: at each look its name must still name what is open, with the owner, the mode and the
names that it had when it was verified. If not, it is opened and verified anew. Every function is called under the lock.
"""

from __future__ import annotations

import os

from plugseal.trust.files import MAX_STATE_BYTES, Folder, OpenFile


class HeldFile:
    """The way to one file, opened when it is first looked at."""

    def __init__(self, folder: Folder, name: str, *, max_bytes: int = MAX_STATE_BYTES) -> None:
        """Prepare without opening anything.

        Args:
            folder: in which it is; stays the caller's.
            name: of the file.
            max_bytes: how much is read of it.
        """
        self._folder, self._name, self._max_bytes = folder, name, max_bytes
        self._descriptor = -1
        self._mark: tuple[int, ...] = ()

    def look(self) -> OpenFile | None:
        """Return the file with all its bytes, None where there is none; its descriptor stays this one's.

        Raises:
            StateError: it is not a private file of ours, too large, or can't be read.
        """
        if self._descriptor >= 0:
            try:
                found = os.stat(self._name, dir_fd=self._folder.descriptor, follow_symlinks=False)  # by descriptor
                if found[:5] == self._mark and found.st_size <= self._max_bytes:
                    data = os.pread(self._descriptor, found.st_size + 1, 0)
                    if len(data) == found.st_size:
                        return OpenFile(self._descriptor, data)
            except OSError:
                pass  # the opening says what is wrong
            self.close()
        file = self._folder.open_file(self._name, max_bytes=self._max_bytes)
        if file is not None:
            self._descriptor, self._mark = file.descriptor, mark_of(os.fstat(file.descriptor))
        return file

    def close(self) -> None:
        """Close what is open; safe to call at any time."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def mark_of(found: os.stat_result) -> tuple[int, ...]:
    """Return what makes a file or folder the one that was verified, whatever it holds: mode, inode, names, owner."""
    return found[:5]
