"""Read and hash the files of a listed tree, each once, and compare everything again at the end.

Rules: what is opened must be a plain file, else it is said; a file is read to one byte past its size, so that it can
neither grow nor lie unseen; bytes go to the visitor and are dropped. The closing pass compares inode, ctime, size
and mode of every file, and inode, mtime and ctime of every directory, with what they were before they were read:
without it one tree in five was torn under a concurrent writer. What a shared mapping writes moves no ctime and can't
be seen: whoever enforces a receipt runs from a copy of their own.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Sequence

from plugseal import limits
from plugseal.intake.door import READ_FLAGS, Directory, Door
from plugseal.intake.faults import fault, fault_of_error
from plugseal.intake.walk import runs
from plugseal.model.tree import Entry, EntryKind, Fault
from plugseal.model.visitor import Visitor

_ODD = stat.S_IFMT(0o177777) | stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX | 0o111
"""Mode bits of which a file that needs no closer look has only `S_IFREG`."""
_Seal = tuple[int, int, int, int]
"""ctime in ns, inode, size, mode."""
_UNREAD_SEAL: _Seal = (0, 0, 0, 0)

Progress = Callable[[int, int], None]


class Contents:
    """The files of one tree."""

    def __init__(self, door: Door, visitor: Visitor | None, on_progress: Progress | None) -> None:
        self.entries: list[Entry] = []
        """Files in tree order."""
        self.faults: list[Fault] = []
        self._door = door
        self._visit = visitor.visit if visitor else None
        self._on_progress = on_progress
        self._bytes = 0
        self._sealed: list[tuple[Directory, list[str], list[_Seal]]] = []

    def read(self) -> None:
        """Read every listed file, in tree order."""
        for directory, names in runs(self._door.root):
            try:
                dir_fd = self._door.enter(directory)
            except OSError as error:
                self._lose(directory, names, error)
                continue
            seals: list[_Seal] = []
            self._sealed.append((directory, names, seals))
            self._read_run(directory, names, seals, dir_fd)
            if self._on_progress:
                self._on_progress(len(self.entries), self._bytes)

    def _read_run(self, directory: Directory, names: list[str], seals: list[_Seal], dir_fd: int | None) -> None:
        # The hot loop: local names, no object that isn't kept, one look for all that is usual.
        os_open, fstat, read, close = os.open, os.fstat, os.read, os.close
        sha256, visit, device = hashlib.sha256, self._visit, self._door.device
        prefix, kind, max_bytes, plain = directory.prefix, EntryKind.FILE, limits.MAX_READ_BYTES, stat.S_IFREG
        add, seal, total = self.entries.append, seals.append, 0
        for name, target in zip(names, self._door.targets(directory, names), strict=True):
            try:
                fd = os_open(target, READ_FLAGS, dir_fd=dir_fd)
            except OSError as error:
                seal(_UNREAD_SEAL)
                self._lose(directory, (name,), error)
                continue
            try:
                status = fstat(fd)
                mode, size = status.st_mode, status.st_size
                seal((status.st_ctime_ns, status.st_ino, size, mode))
                if mode & _ODD == plain and size <= max_bytes and status.st_nlink == 1 and status.st_dev == device:
                    data = read(fd, size + 1)
                    if len(data) == size:
                        entry = Entry(prefix + name, kind, size, False, sha256(data).hexdigest())
                        total += size
                        add(entry)
                        if visit:
                            visit(entry, data, "")
                        continue
                self._read_odd(prefix + name, fd, status)
            finally:
                close(fd)
        self._bytes += total

    def _lose(self, directory: Directory, names: Sequence[str], error: OSError) -> None:
        for name in names:
            self._add(Entry(directory.prefix + name, EntryKind.FILE, 0, False, None), fault_of_error("", error))

    def _add(self, entry: Entry, lost: Fault) -> None:
        self.entries.append(entry)
        self.faults.append(lost._replace(path=entry.path))
        if self._visit:
            self._visit(entry, None, lost.message)

    def _read_odd(self, path: str, fd: int, status: os.stat_result) -> None:
        size, executable = status.st_size, bool(status.st_mode & 0o111)
        if os.name == "nt":
            executable = False
        entry = Entry(path, EntryKind.FILE, size, executable, None)
        if not stat.S_ISREG(status.st_mode):
            self._add(
                entry._replace(kind=EntryKind.OTHER, size=0, executable=False), fault("", "changed-while-reading")
            )
            return
        self.faults.extend(check_status(path, fd, status, self._door.device))
        if size > limits.MAX_TREE_BYTES:
            self._add(entry, fault("", "file-too-large", f"{size:,} bytes"))
            return
        try:
            digest, data = read_file(fd, size)
        except OSError as error:
            self._add(entry, fault_of_error("", error))
            return
        if not digest:
            self._add(entry, fault("", "changed-while-reading", "its size is not what was announced"))
            return
        self._bytes += size
        entry = entry._replace(digest=digest)
        self.entries.append(entry)
        if self._visit:
            self._visit(entry, data, "" if data is not None else too_large(size))

    def close(self) -> None:
        """Compare every directory and file with what it was, by one more `stat` each."""
        pending = [self._door.root]
        while pending:
            directory = pending.pop()
            pending.extend(directory.directories)
            if directory.seal is not None and not self._is_unchanged(directory):
                self.faults.append(fault(directory.path, "changed-while-reading", "the directory's listing"))
        for directory, names, seals in self._sealed:
            self._compare(directory, names, seals)

    def _is_unchanged(self, directory: Directory) -> bool:
        try:
            fd = self._door.enter(directory)
            status = os.fstat(fd) if fd is not None else os.lstat(self._door.join(directory, ""))
        except OSError:
            return False
        seal = (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
        return seal == directory.seal

    def _compare(self, directory: Directory, names: list[str], seals: list[_Seal]) -> None:
        os_stat, prefix = os.stat, directory.prefix
        try:
            dir_fd = self._door.enter(directory)
        except OSError:
            self.faults.append(fault(directory.path, "changed-while-reading"))
            return
        for name, target, seal in zip(names, self._door.targets(directory, names), seals, strict=True):
            if seal is _UNREAD_SEAL:
                continue
            try:
                status = os_stat(target, dir_fd=dir_fd, follow_symlinks=False)
            except OSError:
                self.faults.append(fault(prefix + name, "changed-while-reading"))
                continue
            if (status.st_ctime_ns, status.st_ino, status.st_size, status.st_mode) != seal:
                self.faults.append(fault(prefix + name, "changed-while-reading"))


def check_status(path: str, fd: int, status: os.stat_result, device: int) -> list[Fault]:
    """Return what is wrong with an open regular file, apart from its content."""
    found: list[Fault] = []
    if status.st_nlink != 1:
        found.append(fault(path, "hard-link", f"{status.st_nlink} names"))
    if special := [bit for mask, bit in _SPECIAL_BITS if status.st_mode & mask]:
        found.append(fault(path, "set-id", ", ".join(special)))
    if status.st_dev != device:
        found.append(fault(path, "mount"))
    # Only an executable can use them, and asking costs a call for each file.
    if status.st_mode & 0o111 and _has_capabilities(fd):
        found.append(fault(path, "file-capabilities"))
    return found


_SPECIAL_BITS = ((stat.S_ISUID, "set-user-id"), (stat.S_ISGID, "set-group-id"), (stat.S_ISVTX, "sticky"))


def _has_capabilities(fd: int) -> bool:
    if not hasattr(os, "listxattr"):
        return False
    try:
        return "security.capability" in os.listxattr(fd)
    except OSError:
        return False  # The file system has no such attributes.


def read_file(fd: int, size: int) -> tuple[str, bytes | None]:
    """Return the SHA-256 in hex and the bytes of an open file, None for the bytes above `limits.MAX_READ_BYTES`.

    The digest is empty where the file doesn't hold exactly `size` bytes.
    """
    if size > limits.MAX_READ_BYTES:
        return _hash_large(fd, size), None
    chunks: list[bytes] = []
    missing = size + 1
    while missing and (chunk := os.read(fd, missing)):
        chunks.append(chunk)
        missing -= len(chunk)
    data = b"".join(chunks)
    return (hashlib.sha256(data).hexdigest() if len(data) == size else ""), data


def _hash_large(fd: int, size: int) -> str:
    digest = hashlib.sha256()
    buffer = bytearray(limits.MIB)
    view = memoryview(buffer)
    seen = 0
    while seen <= size and (count := _read_into(fd, buffer)):
        digest.update(view[:count])
        seen += count
    return digest.hexdigest() if seen == size else ""


def _read_into(fd: int, buffer: bytearray) -> int:
    if hasattr(os, "readv"):
        return os.readv(fd, [buffer])
    chunk = os.read(fd, len(buffer))
    buffer[: len(chunk)] = chunk
    return len(chunk)


def too_large(size: int) -> str:
    """Say why a visitor gets no bytes of a large file."""
    return f"larger than {limits.MAX_READ_BYTES // limits.MIB} MiB ({size:,} bytes)"
