"""Read a directory that holds plain files and folders alone, in one pass: for who compares it with what is known.

It is what a start of a trusted plugin needs, thousands of files at a time: every byte is read and hashed, and nothing
is made for a file but its entry. Whatever is not plain (a link, a file of two names or of set-id, a mount, a name that
is not ASCII, what is too large to be read, anything that fails or moves) makes it give up, and `read.read_once` says
what it is.

Rules: directories are opened in their parent's descriptor, never by following a name; what is opened must be of the
kind that was listed; a file is read to one byte past its size, and no directory is listed further than a tree may be
wide. Names and measures are not judged: digests bind them, and whoever compares with a trusted digest compares with
names that were judged before.

Law: `read_plain(p) is None`, or its entries and what it left out are those of `read_once(p)`, whose faults, if there
are any, are about names and measures alone.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import Final

from plugseal import limits
from plugseal.intake.flags import DIRECTORY_FLAGS, HAS_DIR_FD, READ_FLAGS
from plugseal.intake.hashing import has_capabilities, hash_large
from plugseal.intake.listing import GIT, TELLING_BITS, OddError, list_plain
from plugseal.model.tree import Entry, EntryKind, Tree

_EXECUTABLE: Final = 0o111
_MAX_AT_ONCE: Final = limits.MIB
"""Larger files are hashed in steps of this size."""


def read_plain(path: Path) -> Tree | None:
    """Return the tree of a directory, None where anything in it is not plain, or it is none.

    Args:
        path: a directory; links in it are resolved once.
    """
    if not HAS_DIR_FD:
        return None
    try:
        root = path.resolve(strict=True)
        descriptor = os.open(root, DIRECTORY_FLAGS)
    except (OSError, RuntimeError, ValueError):
        return None
    try:
        reader = _Reader(os.fstat(descriptor).st_dev)
        reader.read(descriptor, "", depth=0)
    except (OSError, OddError):
        return None
    finally:
        os.close(descriptor)
    # Without other characters than ASCII the order of the paths is that of their bytes.
    entries = sorted(reader.entries, key=_path)
    return Tree(root.name, tuple(entries), (), tuple(reader.left_out)) if root.name.isascii() else None


def _path(entry: Entry) -> str:
    return entry.path


class _Reader:
    """One reading of one tree."""

    def __init__(self, device: int) -> None:
        self.entries: list[Entry] = []
        self.left_out: list[str] = []
        self._device = device

    def read(self, descriptor: int, prefix: str, *, depth: int) -> None:
        """Read an open directory and all below it.

        Args:
            descriptor: of the directory; stays the caller's.
            prefix: what stands before its children's names in their paths.
            depth: of the directory below the root.
        """
        files, folders = self._list(descriptor, is_root=not depth)
        if depth >= limits.MAX_TREE_DEPTH or len(self.entries) + len(files) > limits.MAX_TREE_ENTRIES:
            raise OddError()
        self._take_files(descriptor, prefix, files)
        for name in folders:
            self.entries.append(Entry(prefix + name, EntryKind.DIRECTORY, 0, False, None))
            below = os.open(name, DIRECTORY_FLAGS, dir_fd=descriptor)
            try:
                if os.fstat(below).st_dev != self._device:
                    raise OddError()
                self.read(below, f"{prefix}{name}/", depth=depth + 1)
            finally:
                os.close(below)

    def _list(self, descriptor: int, *, is_root: bool) -> tuple[list[str], list[str]]:
        """Return the names of the files and of the folders in an open directory."""
        files, folders = list_plain(descriptor)
        if is_root:
            for names in (files, folders):
                if GIT in names:
                    names.remove(GIT)
                    self.left_out.append(GIT)
        return files, folders

    def _take_files(self, descriptor: int, prefix: str, names: list[str]) -> None:
        # The hot loop: local names, four calls to the kernel for a file, and one look for all that is usual.
        os_open, fstat, read, close, sha256 = os.open, os.fstat, os.read, os.close, hashlib.sha256
        add, kind, device = self.entries.append, EntryKind.FILE, self._device
        for name in names:
            fd = os_open(name, READ_FLAGS, dir_fd=descriptor)
            try:
                status = fstat(fd)
                mode, size = status.st_mode, status.st_size
                if mode & TELLING_BITS != stat.S_IFREG or status.st_nlink != 1 or status.st_dev != device:
                    raise OddError()
                is_executable = mode & _EXECUTABLE != 0
                if is_executable and has_capabilities(fd):
                    raise OddError()
                if size <= _MAX_AT_ONCE:
                    data = read(fd, size + 1)
                    if len(data) != size:
                        raise OddError()
                    digest = sha256(data).hexdigest()
                elif size > limits.MAX_TREE_BYTES or not (digest := hash_large(fd, size)):
                    raise OddError()
                add(Entry(prefix + name, kind, size, is_executable, digest))
            finally:
                close(fd)
