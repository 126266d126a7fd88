"""Every state in which a power cut may leave a folder, after any operation of a recorded run.

What a disk may do (after SQLite's crash tests and ALICE): of writes that were not synced any subset of 512-byte sectors
arrives, with sizes grown and zeros in between or not; of changes of names that were not synced an ordered prefix does.
A file's sync brings its bytes and not its name; the folder's sync brings names.
"""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

SECTOR = 512
MAX_WHOLE = 6
"""Sectors of which all subsets are tried; of more a sample is."""


class Operation(NamedTuple):
    """One thing that was done to the folder, or a mark of the caller."""

    kind: str
    """`create write truncate sync names rename unlink mark`."""
    inode: int = 0
    name: str = ""
    target: str = ""
    offset: int = 0
    data: bytes = b""


@dataclass
class Recording:
    """A folder as it was, and everything that was done to it since."""

    folder: Path
    names: dict[str, int] = field(default_factory=dict)
    bytes: dict[int, bytes] = field(default_factory=dict)
    operations: list[Operation] = field(default_factory=list)

    def mark(self, name: str) -> None:
        """Note that the caller was told that something is done."""
        self.operations.append(Operation("mark", name=name))


@contextmanager
def recording(folder: Path, *, syncs: bool = True) -> Iterator[Recording]:
    """Record what is done to the files of a folder.

    Args:
        folder: holding plain files alone; all of it counts as on the disk already.
        syncs: whether syncing counts; without it the enumeration must find losses.
    """
    made = Recording(folder)
    for path in folder.iterdir():
        made.names[path.name] = path.stat().st_ino
        made.bytes[path.stat().st_ino] = path.read_bytes()
    calls = _Calls(made, syncs=syncs)
    with mock.patch.multiple(
        os,
        open=calls.open,
        write=calls.write,
        pwrite=calls.pwrite,
        ftruncate=calls.truncate,
        fsync=calls.sync,
        fdatasync=calls.sync,
        rename=calls.rename,
        unlink=calls.unlink,
    ):
        yield made


class _Calls:
    """The calls of the system that change a disk, done and noted."""

    def __init__(self, made: Recording, *, syncs: bool) -> None:
        self._folder, self._own, self._syncs = made.folder, made.folder.stat().st_ino, syncs
        self._add = made.operations.append
        self._open, self._write, self._pwrite, self._truncate = os.open, os.write, os.pwrite, os.ftruncate
        self._rename, self._unlink = os.rename, os.unlink

    def _is_here(self, dir_fd: int | None) -> bool:
        return dir_fd is not None and os.fstat(dir_fd).st_ino == self._own

    def open(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        is_new = self._is_here(dir_fd) and bool(flags & os.O_CREAT) and not (self._folder / path).exists()
        descriptor = self._open(path, flags, mode, dir_fd=dir_fd)
        if is_new:
            self._add(Operation("create", os.fstat(descriptor).st_ino, str(path)))
        return descriptor

    def write(self, descriptor: int, data: Any) -> int:
        offset = os.lseek(descriptor, 0, os.SEEK_CUR)
        done = self._write(descriptor, data)
        self._add(Operation("write", os.fstat(descriptor).st_ino, offset=offset, data=bytes(data[:done])))
        return done

    def pwrite(self, descriptor: int, data: Any, offset: int) -> int:
        done = self._pwrite(descriptor, data, offset)
        self._add(Operation("write", os.fstat(descriptor).st_ino, offset=offset, data=bytes(data[:done])))
        return done

    def truncate(self, descriptor: int, size: int) -> None:
        self._truncate(descriptor, size)
        self._add(Operation("truncate", os.fstat(descriptor).st_ino, offset=size))

    def sync(self, descriptor: int) -> None:
        inode = os.fstat(descriptor).st_ino
        if self._syncs:
            self._add(Operation("names") if inode == self._own else Operation("sync", inode))

    def rename(self, source: str, target: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        self._rename(source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
        if self._is_here(dst_dir_fd):
            self._add(Operation("rename", name=source, target=target))

    def unlink(self, path: str, *, dir_fd: int | None = None) -> None:
        self._unlink(path, dir_fd=dir_fd)
        if self._is_here(dir_fd):
            self._add(Operation("unlink", name=path))


class Crash(NamedTuple):
    """One state of the disk, and what the caller had been told when the power went."""

    files: dict[str, bytes]
    marks: tuple[str, ...]


def crashes(made: Recording, *, samples: int = 12) -> Iterator[Crash]:
    """Yield the states in which a power cut after any operation may leave the folder.

    Args:
        made: what was recorded.
        samples: how many random subsets are tried where there are too many.
    """
    chance = random.Random(0)
    disk = _Disk(dict(made.names), dict(made.bytes))
    marks: list[str] = []
    seen: set[Any] = set()
    for operation in [Operation("mark", name=""), *made.operations]:
        if operation.kind == "mark":
            marks += [operation.name] if operation.name else []
        else:
            disk.do(operation)
        for files in disk.states(chance, samples):
            key = (tuple(sorted(files.items())), tuple(marks))
            if key not in seen:
                seen.add(key)
                yield Crash(files, tuple(marks))


class _Disk:
    """What is on the disk for sure, and what may be."""

    def __init__(self, names: dict[str, int], contents: dict[int, bytes]) -> None:
        self.names = names
        self.contents = contents
        self.waiting_names: list[Operation] = []
        self.waiting: dict[int, list[Operation]] = {}

    def do(self, operation: Operation) -> None:
        """Take one operation."""
        if operation.kind in ("write", "truncate"):
            self.waiting.setdefault(operation.inode, []).append(operation)
        elif operation.kind == "sync":
            changes = self.waiting.pop(operation.inode, [])
            self.contents[operation.inode] = _applied(self.contents.get(operation.inode, b""), changes)
        elif operation.kind == "names":
            self.names = self._named(len(self.waiting_names))
            self.waiting_names = []
        else:
            self.waiting_names.append(operation)

    def states(self, chance: random.Random, samples: int) -> Iterator[dict[str, bytes]]:
        """Yield what may be there now."""
        for count in range(len(self.waiting_names) + 1):
            names = self._named(count)
            pieces = [piece for inode in names.values() for piece in _sectors(self.waiting.get(inode, []))]
            for kept, grown in itertools.product(_subsets(pieces, chance, samples), (False, True)):
                yield {name: self._content(inode, kept, grown=grown) for name, inode in names.items()}

    def _named(self, count: int) -> dict[str, int]:
        names = dict(self.names)
        for operation in self.waiting_names[:count]:
            if operation.kind == "create":
                names[operation.name] = operation.inode
            elif operation.kind == "unlink":
                names.pop(operation.name, None)
            elif operation.name in names:
                names[operation.target] = names.pop(operation.name)
        return names

    def _content(self, inode: int, kept: tuple[Operation, ...], *, grown: bool) -> bytes:
        before = self.contents.get(inode, b"")
        after = _applied(before, [piece for piece in kept if piece.inode == inode])
        whole = len(_applied(before, self.waiting.get(inode, [])))
        return after.ljust(whole, b"\0") if grown else after


def _applied(data: bytes, changes: list[Operation]) -> bytes:
    for change in changes:
        if change.kind == "truncate":
            data = data[: change.offset].ljust(change.offset, b"\0")
        else:
            data = data.ljust(change.offset, b"\0")
            data = data[: change.offset] + change.data + data[change.offset + len(change.data) :]
    return data


def _sectors(changes: list[Operation]) -> Iterator[Operation]:
    for change in changes:
        if change.kind == "truncate":
            yield change
            continue
        at = change.offset
        while at < change.offset + len(change.data):
            end = min((at // SECTOR + 1) * SECTOR, change.offset + len(change.data))
            yield change._replace(offset=at, data=change.data[at - change.offset : end - change.offset])
            at = end


def _subsets(pieces: list[Operation], chance: random.Random, samples: int) -> Iterator[tuple[Operation, ...]]:
    if len(pieces) <= MAX_WHOLE:
        for count in range(len(pieces) + 1):
            yield from itertools.combinations(pieces, count)
        return
    yield ()
    yield tuple(pieces)
    for at in range(len(pieces)):
        yield (pieces[at],)
        yield tuple(pieces[:at] + pieces[at + 1 :])
    for _ in range(samples):
        yield tuple(piece for piece in pieces if chance.random() < 0.5)


Check = Callable[[Path, tuple[str, ...]], None]


def put(crash: Crash, folder: Path) -> None:
    """Make a folder hold what a crash left, and nothing else."""
    for path in folder.iterdir():
        path.unlink()
    for name, data in crash.files.items():
        path = folder / name
        path.write_bytes(data)
        path.chmod(0o600)
