"""Open directories and files below one root by descriptor, never by following a name.

Rules: every directory is opened in its parent's descriptor with `O_NOFOLLOW` and must be the one that was listed
(device and inode), however often it is opened again; at most `MAX_OPEN` stay open, so depth and width of a tree
never meet the process's limit. Where the system has no `dir_fd` (Windows), paths are joined instead, links are
refused before opening, and what was opened is compared by device and inode: weaker, since a parent swapped for a
link between two calls is only noticed by that comparison and by the closing pass. Never waits on a FIFO.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from plugseal.intake.faults import path_bytes
from plugseal.intake.flags import DIRECTORY_FLAGS as DIRECTORY_FLAGS
from plugseal.intake.flags import HAS_DIR_FD as HAS_DIR_FD
from plugseal.intake.flags import READ_FLAGS as READ_FLAGS

MAX_OPEN: Final = 32
_HAS_EXECUTABLE_BITS: Final = os.name != "nt"


class Directory:
    """One directory of the tree being read, from its listing to the closing pass."""

    __slots__ = ("directories", "files", "name", "names", "parent", "path", "seal")

    def __init__(self, parent: Directory | None, name: str) -> None:
        self.parent = parent
        self.name = name
        self.path: str = parent.prefix + name if parent else ""
        """Below the root; empty for the root."""
        self.seal: tuple[int, ...] | None = None
        """Device, inode, mtime and ctime in ns as of its listing; None before."""
        self.files: list[str] = []
        """Names of regular files, in tree order."""
        self.directories: list[Directory] = []
        self.names: frozenset[str] | None = None
        """All names as the interpreter decodes them, where it changed so recently that times can't vouch for it."""

    @property
    def prefix(self) -> str:
        """Return what stands before its children's names in their paths."""
        return self.path + "/" if self.path else ""


def is_executable(mode: int) -> bool:
    """Say whether a mode has any execute bit; never so where the system has none."""
    return _HAS_EXECUTABLE_BITS and bool(mode & 0o111)


def seal_of(status: os.stat_result) -> tuple[int, ...]:
    """Return what must stay equal for a directory's listing to hold."""
    return (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns)


class Door:
    """The way into one root; close it when done."""

    def __init__(self, root: str) -> None:
        """Open the root itself.

        Raises:
            OSError: the root is no directory or may not be read.
        """
        self._root = root
        self._open: dict[Directory, int] = {}
        self.root = Directory(None, "")
        if HAS_DIR_FD:
            self._open[self.root] = os.open(root, DIRECTORY_FLAGS)
            status = os.fstat(self._open[self.root])
        else:
            status = Path(root).stat()
        self.device = status.st_dev
        self.root.seal = seal_of(status)

    def close(self) -> None:
        """Close every descriptor."""
        while self._open:
            os.close(self._open.popitem()[1])

    def enter(self, directory: Directory) -> int | None:
        """Return the directory's descriptor, good until the next call, or None where there is no `dir_fd`.

        Raises:
            OSError: it can't be opened; `ESTALE` where another one stands in its place.
        """
        if not HAS_DIR_FD:
            self._compare(directory)
            return None
        missing: list[Directory] = []
        at = directory
        while at not in self._open and at.parent is not None:
            missing.append(at)
            at = at.parent
        fd = self._open[at]  # The root's at the latest: it stays open.
        for step in reversed(missing):
            fd = self._step(fd, step)
        return fd

    def _step(self, parent_fd: int, directory: Directory) -> int:
        fd = os.open(path_bytes(directory.name), DIRECTORY_FLAGS, dir_fd=parent_fd)
        try:
            _verify_same(directory, os.fstat(fd))
        except OSError:
            os.close(fd)
            raise
        if len(self._open) >= MAX_OPEN:
            oldest = next(d for d in self._open if d.parent is not None and self._open[d] != parent_fd)
            os.close(self._open.pop(oldest))
        self._open[directory] = fd
        return fd

    def _compare(self, directory: Directory) -> None:
        status = os.lstat(self.join(directory, ""))
        if directory.parent is not None and not stat.S_ISDIR(status.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, "not a directory any more")
        _verify_same(directory, status)

    def join(self, directory: Directory, name: str) -> str:
        """Return a path for systems without `dir_fd`."""
        return os.path.join(self._root, *directory.path.split("/"), name)  # noqa: PTH118  # pathlib drops what it deems void

    def targets(self, directory: Directory, names: Sequence[str]) -> Sequence[str | bytes]:
        """Return what to hand to `os.open` and `os.stat` for names in an entered directory."""
        if HAS_DIR_FD:
            # Bytes, so that the names are the same in any locale.
            return [name.encode("utf-8", "surrogateescape") for name in names]
        return [self.join(directory, name) for name in names]

    def read_link(self, directory: Directory, name: str) -> str:
        """Return where a symbolic link points, as written.

        Raises:
            OSError: it is no link any more.
        """
        fd = self.enter(directory)
        if fd is None:
            return os.readlink(self.join(directory, name))  # noqa: PTH115  # a string, as written
        return os.readlink(path_bytes(name), dir_fd=fd).decode("utf-8", "surrogateescape")

    def list_names(self, directory: Directory) -> frozenset[str]:
        """Return all names in a directory, as the interpreter decodes them.

        Raises:
            OSError: it can't be opened or listed.
        """
        fd = self.enter(directory)
        return frozenset(os.listdir(fd if fd is not None else self.join(directory, "")))  # noqa: PTH208  # a descriptor

    def scan(self, directory: Directory) -> os._ScandirIterator[str]:
        """Start the one listing of a directory and seal it.

        Raises:
            OSError: it can't be opened or listed.
        """
        fd = self.enter(directory)
        status = os.fstat(fd) if fd is not None else os.lstat(self.join(directory, ""))
        directory.seal = seal_of(status)
        return os.scandir(fd if fd is not None else self.join(directory, ""))


def _verify_same(directory: Directory, status: os.stat_result) -> None:
    if directory.seal is not None and directory.seal[:2] != (status.st_dev, status.st_ino):
        raise OSError(errno.ESTALE, "another directory stands in its place")
