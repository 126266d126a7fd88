"""Read a copy and its source side by side: the copy is hashed, and the source compared with it byte by byte.

A start of a trusted plugin must know what stands in the copy and what lies at the source. Where the source holds the
very names, bytes and modes of the copy, one hashing tells both. Whatever is not plain on either side (as in `plain`;
a source may have files of several names) or not the same on both makes it give up, and each is read by itself, which
says what it is.

It is read in shares, so that several processes can do it together: the few folders at the top are listed and stay open
when it begins, and each share is the files of one of them, or some of the trees below it. Processes that were forked
after that have the same open folders.

Rules: as `plain`. Little is loaded for it: a start waits for this.

Law: `build_digests` of all shares is None, or the content receipt of the copy and the digest of the source, as
`content_receipt(read_plain(copy))` and `source_digest(read_plain(source))` have them.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from operator import itemgetter
from typing import Final

from plugseal import limits
from plugseal.encode.rows import HEADER, SOURCE_HEADER, file_line, file_row, folder_line, last_line, row
from plugseal.intake.flags import DIRECTORY_FLAGS, HAS_DIR_FD, READ_FLAGS
from plugseal.intake.hashing import has_capabilities
from plugseal.intake.listing import GIT, TELLING_BITS, OddError, is_closed, list_plain

_EXECUTABLE: Final = 0o111
_MAX_AT_ONCE: Final = limits.MIB
"""Larger files are compared in steps of this size."""
_MAX_OPEN: Final = 16
"""Folders of each side that stay open."""
_ENOUGH: Final = 48
"""Trees to share, from which on only wide folders are opened for it."""
_IS_WIDE: Final = 4
"""Names of a folder."""
_MAX_SHARES: Final = 512
"""Above as many trees a share is several of them."""
Block = tuple[str, int, int, int, bytes, bytes]
"""Neighbours in the order of paths: where they stand in it, files, folders, bytes, lines of the manifest, rows."""
_Item = tuple[str, str, str]
"""Path, line, row."""


class Pair:
    """A copy and its source, both open; close it."""

    def __init__(self, copy: str, source: str) -> None:
        """Open both and list what is at their top.

        Args:
            copy: a staged copy.
            source: the root that it was taken from.

        Raises:
            OddError: something is not plain, or not the same on both sides, or the copy is not ours alone.
            OSError: it can't be read.
        """
        self.copy: Final = copy
        self.source: Final = source
        self._tops: list[_Top] = []
        if not HAS_DIR_FD:
            raise OddError()
        try:
            self._open(copy, source)
            self._shares: Final = tuple(self._divided())
        except BaseException:
            self.close()
            raise

    def __len__(self) -> int:
        """Return the number of shares."""
        return len(self._shares)

    def read(self, number: int) -> list[Block]:
        """Read one share.

        Raises:
            OddError: as at the beginning.
            OSError: it can't be read.
        """
        top, names = self._shares[number]
        reader = _Reader(self._devices)
        if not names:
            return list(reader.top(top))
        return [reader.tree(top, name) for name in names]

    def close(self) -> None:
        """Close all folders; safe to call again."""
        while self._tops:
            self._tops.pop().close()

    def _open(self, copy: str, source: str) -> None:
        top = _Top("", 0)
        self._tops.append(top)
        top.copy = os.open(copy, DIRECTORY_FLAGS)
        top.source = os.open(source, DIRECTORY_FLAGS)
        status = os.fstat(top.copy)
        if not is_closed(status):
            raise OddError()
        self._devices = status.st_dev, os.fstat(top.source).st_dev
        top.fill()

    def _divided(self) -> Iterable[tuple[_Top, tuple[str, ...]]]:
        """Yield the shares, the large first as far as that is known: trees by a few, then the files of open folders."""
        closed = self._tops[0].weighed()
        while closed and len(self._tops) < _MAX_OPEN:
            largest = max(closed, key=itemgetter(0))
            if largest[0] < _IS_WIDE and len(closed) >= _ENOUGH:
                break
            closed.remove(largest)
            closed += largest[1].below(largest[2], self._tops, self._devices).weighed()
        closed.sort(key=itemgetter(0), reverse=True)
        step = 1 + len(closed) // _MAX_SHARES
        for start in range(0, len(closed), step):
            some = closed[start : start + step]
            for top in dict.fromkeys(top for _, top, _ in some):
                yield top, tuple(name for _, of, name in some if of is top)
        for top in self._tops:
            yield top, ()


class _Top:
    """A folder that stays open on both sides."""

    def __init__(self, prefix: str, depth: int) -> None:
        self.prefix = prefix
        self.depth = depth
        self.copy = -1
        self.source = -1
        self.files: list[str] = []
        self.folders: list[str] = []

    def weighed(self) -> list[tuple[int, _Top, str]]:
        """Return the folders in it, each with how many names it has: one for each folder in it, on most systems."""
        return [(os.stat(name, dir_fd=self.copy, follow_symlinks=False).st_nlink, self, name) for name in self.folders]

    def fill(self) -> None:
        """List both sides."""
        self.files, self.folders = _list_both(self.copy, self.source, self.prefix, depth=self.depth)

    def below(self, name: str, tops: list[_Top], devices: tuple[int, int]) -> _Top:
        """Return a folder of this one, open, listed, and among those that are closed at the end."""
        top = _Top(f"{self.prefix}{name}/", self.depth + 1)
        tops.append(top)
        top.copy = os.open(name, DIRECTORY_FLAGS, dir_fd=self.copy)
        top.source = os.open(name, DIRECTORY_FLAGS, dir_fd=self.source)
        _verify_devices(top.copy, top.source, devices)
        top.fill()
        return top

    def close(self) -> None:
        """Close both sides."""
        for descriptor in (self.copy, self.source):
            if descriptor >= 0:
                os.close(descriptor)


class _Reader:
    """One reading of some of both trees."""

    def __init__(self, devices: tuple[int, int]) -> None:
        self._devices = devices
        self._items: list[_Item] = []
        self._files = self._bytes = 0

    def top(self, top: _Top) -> Iterable[Block]:
        """Yield the files in a folder, and the folders themselves, each as a block of its own."""
        for name in top.files:
            before = self._bytes
            self._take_files(top.copy, top.source, top.prefix, [name])
            path, line, its_row = self._items.pop()
            yield path, 1, 0, self._bytes - before, line.encode("ascii"), its_row.encode("ascii")
        for name in top.folders:
            path = top.prefix + name
            yield path, 0, 1, 0, folder_line(path).encode("ascii"), row("d", "", path).encode("ascii")

    def tree(self, top: _Top, name: str) -> Block:
        """Return all below a folder in an open folder."""
        self._items, self._files, self._bytes = [], 0, 0
        self._enter(top.copy, top.source, f"{top.prefix}{name}/", name=name, depth=top.depth + 1)
        self._items.sort()
        paths, lines, rows = zip(*self._items, strict=True) if self._items else ((), (), ())
        folders = len(paths) - self._files
        # Whatever is in the tree begins so, and nothing else does: in the order of paths it stands together.
        texts = "".join(lines).encode("ascii"), "".join(rows).encode("ascii")
        return f"{top.prefix}{name}/", self._files, folders, self._bytes, *texts

    def _enter(self, copy: int, source: int, prefix: str, *, name: str, depth: int) -> None:
        one = os.open(name, DIRECTORY_FLAGS, dir_fd=copy)
        try:
            other = os.open(name, DIRECTORY_FLAGS, dir_fd=source)
            try:
                _verify_devices(one, other, self._devices)
                self._read(one, other, prefix, depth=depth)
            finally:
                os.close(other)
        finally:
            os.close(one)

    def _read(self, copy: int, source: int, prefix: str, *, depth: int) -> None:
        files, folders = _list_both(copy, source, prefix, depth=depth)
        if len(self._items) + len(files) > limits.MAX_TREE_ENTRIES:
            raise OddError()
        self._take_files(copy, source, prefix, files)
        for name in folders:
            path = prefix + name
            self._items.append((path, folder_line(path), row("d", "", path)))
            self._enter(copy, source, path + "/", name=name, depth=depth + 1)

    def _take_files(self, copy: int, source: int, prefix: str, names: list[str]) -> None:
        # The hot loop: local names, eight calls to the kernel for a file, and one look for all that is usual.
        os_open, fstat, read, close, sha256 = os.open, os.fstat, os.read, os.close, hashlib.sha256
        add, (device, other_device) = self._items.append, self._devices
        for name in names:
            one = os_open(name, READ_FLAGS, dir_fd=copy)
            try:
                other = os_open(name, READ_FLAGS, dir_fd=source)
                try:
                    mode, _, found, links, _, _, size = fstat(one)[:7]
                    other_mode, _, other_found, _, _, _, other_size = fstat(other)[:7]
                    if mode & TELLING_BITS != stat.S_IFREG or links != 1 or found != device:
                        raise OddError()
                    if not stat.S_ISREG(other_mode) or other_found != other_device or other_size != size:
                        raise OddError()
                    executable = mode & _EXECUTABLE != 0
                    if executable is (other_mode & _EXECUTABLE == 0) or (executable and has_capabilities(one)):
                        raise OddError()
                    if size <= _MAX_AT_ONCE:
                        data = read(one, size + 1)
                        if len(data) != size or read(other, size + 1) != data:
                            raise OddError()
                        digest = sha256(data).hexdigest()
                    else:
                        digest = _compare_large(one, other, size)
                finally:
                    close(other)
            finally:
                close(one)
            path = prefix + name
            self._bytes += size
            add(
                (
                    path,
                    file_line(path, size, digest, executable=executable),
                    file_row(path, digest, executable=executable),
                )
            )
        self._files += len(names)


def build_digests(blocks: list[Block]) -> tuple[str, str] | None:
    """Return the content receipt of the copy and the digest of the source, None where it is too much for a receipt."""
    files = sum([block[1] for block in blocks])
    folders = sum([block[2] for block in blocks])
    total_bytes = sum([block[3] for block in blocks])
    if files + folders > limits.MAX_TREE_ENTRIES or total_bytes > limits.MAX_TREE_BYTES:
        return None
    content, source = hashlib.sha256(f"{HEADER}\n".encode("ascii")), hashlib.sha256(SOURCE_HEADER)
    for *_, lines, rows in sorted(blocks):
        content.update(lines)
        source.update(rows)
    content.update(last_line(files, folders, total_bytes).encode("ascii"))
    return content.hexdigest(), source.hexdigest()


def _list_both(copy: int, source: int, prefix: str, *, depth: int) -> tuple[list[str], list[str]]:
    """Return the names of the files and of the folders that are in both of two open directories, and nothing else."""
    files, folders = list_plain(copy)
    other_files, other_folders = list_plain(source)
    if not depth and GIT in other_folders:
        other_folders.remove(GIT)
    elif not depth and GIT in other_files:
        other_files.remove(GIT)
    for names in (files, folders, other_files, other_folders):
        names.sort()
    if files != other_files or folders != other_folders or (not depth and (GIT in files or GIT in folders)):
        raise OddError()
    longest = len(prefix) + max(map(len, (*files, *folders)), default=0)
    if depth >= limits.MAX_TREE_DEPTH or longest > limits.MAX_PATH_BYTES:
        raise OddError()
    if not ("".join(files).isprintable() and "".join(folders).isprintable()):
        raise OddError()
    return files, folders


def _verify_devices(copy: int, source: int, devices: tuple[int, int]) -> None:
    if (os.fstat(copy).st_dev, os.fstat(source).st_dev) != devices:
        raise OddError()


def _compare_large(copy: int, source: int, size: int) -> str:
    """Return the SHA-256 in hex of a large file that the source holds as well."""
    if size > limits.MAX_TREE_BYTES:
        raise OddError()
    digest = hashlib.sha256()
    seen = 0
    while data := _read_all(copy, _MAX_AT_ONCE):
        seen += len(data)
        if seen > size or _read_all(source, len(data)) != data:
            raise OddError()
        digest.update(data)
    if seen != size or os.read(source, 1):
        raise OddError()
    return digest.hexdigest()


def _read_all(descriptor: int, size: int) -> bytes:
    """Return as many bytes, or fewer at the end."""
    data = os.read(descriptor, size)
    while len(data) < size and (more := os.read(descriptor, size - len(data))):
        data += more
    return data
