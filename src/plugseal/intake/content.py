"""Read and hash the files of a listed tree, each once, in tree order.

Rules: what is opened must be a plain file of the root's own file system, else it is said; a file is read to one byte
past its size, so that it can neither grow nor lie unseen; bytes go to the visitor and are dropped. What each file
was before it was read is kept for the closing pass (`closing.py`). Never follows a name, never waits on a FIFO.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Sequence

from plugseal import limits
from plugseal.intake.closing import NO_SEAL, SealedRun
from plugseal.intake.door import READ_FLAGS, Directory, Door, is_executable
from plugseal.intake.faults import fault, fault_of_error
from plugseal.intake.hashing import read_file, too_large
from plugseal.intake.status import check_status
from plugseal.intake.walk import runs
from plugseal.model.tree import Entry, EntryKind, Fault
from plugseal.model.visitor import Visitor

Progress = Callable[[int, int], None]
"""Called now and then with the files and bytes read so far."""

_TELLING_BITS = 0o170000 | stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX | 0o111
"""Mode bits of which a file that needs no closer look has only `S_IFREG`."""


class Contents:
    """The files of one tree."""

    def __init__(self, door: Door, visitor: Visitor | None, *, on_progress: Progress | None) -> None:
        self.entries: list[Entry] = []
        """Files in tree order."""
        self.faults: list[Fault] = []
        self.sealed: list[SealedRun] = []
        self._door = door
        self._visit = visitor.visit if visitor else None
        self._on_progress = on_progress
        self._bytes = 0

    def read(self) -> None:
        """Read every listed file, in tree order."""
        for directory, names in runs(self._door.root):
            try:
                dir_fd = self._door.enter(directory)
            except OSError as error:
                self._lose(directory, names, error)
                continue
            run = SealedRun(directory, names, [])
            self.sealed.append(run)
            self._read_run(run, dir_fd)
            if self._on_progress:
                self._bytes += sum(seal[2] for seal in run.seals)
                self._on_progress(len(self.entries), self._bytes)

    def _read_run(self, run: SealedRun, dir_fd: int | None) -> None:
        # The hot loop: local names, no object that isn't kept, one look for all that is usual.
        directory, names, seals = run
        os_open, fstat, read, close, sha256 = os.open, os.fstat, os.read, os.close, hashlib.sha256
        flags, telling, plain, max_bytes = READ_FLAGS, _TELLING_BITS, stat.S_IFREG, limits.MAX_READ_BYTES
        prefix, kind, device, visit = directory.prefix, EntryKind.FILE, self._door.device, self._visit
        add, seal = self.entries.append, seals.append
        for name, target in zip(names, self._door.targets(directory, names), strict=True):
            try:
                fd = os_open(target, flags, dir_fd=dir_fd)
            except OSError as error:
                seal(NO_SEAL)
                self._lose(directory, (name,), error)
                continue
            try:
                status = fstat(fd)
                mode, size = status.st_mode, status.st_size
                seal((status.st_ctime_ns, status.st_ino, size, mode))
                if mode & telling == plain and size <= max_bytes and status.st_nlink == 1 and status.st_dev == device:
                    data = read(fd, size + 1)
                    if len(data) == size:
                        entry = Entry(prefix + name, kind, size, False, sha256(data).hexdigest())
                        add(entry)
                        if visit:
                            visit(entry, data, "")
                        continue
                    os.lseek(fd, 0, os.SEEK_SET)
                self._read_odd(prefix + name, fd, status)
            except OSError as error:
                self._lose(directory, (name,), error)
            finally:
                close(fd)

    def _read_odd(self, path: str, fd: int, status: os.stat_result) -> None:
        size = status.st_size
        if not stat.S_ISREG(status.st_mode):
            self._add_lost(Entry(path, EntryKind.OTHER, 0, False, None), fault(path, "changed-while-reading"))
            return
        entry = Entry(path, EntryKind.FILE, size, is_executable(status.st_mode), None)
        self.faults.extend(check_status(path, fd, status, device=self._door.device))
        if size > limits.MAX_TREE_BYTES:
            self._add_lost(entry, fault(path, "file-too-large", f"{size:,} bytes"))
            return
        digest, data = read_file(fd, size)
        if not digest:
            self._add_lost(entry, fault(path, "changed-while-reading", "its size is not what was announced"))
            return
        entry = entry._replace(digest=digest)
        self.entries.append(entry)
        if self._visit:
            self._visit(entry, data, "" if data is not None else too_large(size))

    def _lose(self, directory: Directory, names: Sequence[str], error: OSError) -> None:
        for name in names:
            path = directory.prefix + name
            self._add_lost(Entry(path, EntryKind.FILE, 0, False, None), fault_of_error(path, error))

    def _add_lost(self, entry: Entry, why: Fault) -> None:
        self.entries.append(entry)
        self.faults.append(why)
        if self._visit:
            self._visit(entry, None, why.message)
