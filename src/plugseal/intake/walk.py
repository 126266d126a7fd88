"""List a tree: one reading of each directory, names judged, nothing but directories opened.

Rules: links are never followed and mounts never entered, so no loop can hold the walk; kinds come from the listing
itself, so nothing is touched that could act or hang. A nested `.git` is a fault and is listed all the same, since
its hooks are what a scan wants to see. The root's `.git`, if a file or directory, is left out and never entered.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from plugseal import limits
from plugseal.intake.door import Directory, Door, is_executable
from plugseal.intake.faults import fault, fault_of_error, path_bytes
from plugseal.intake.judge import check_names
from plugseal.model.tree import Entry, EntryKind, Fault

_REPARSE_POINT = 0x400
"""`FILE_ATTRIBUTE_REPARSE_POINT` of Windows."""


class Walk:
    """The listing of one tree."""

    def __init__(self, door: Door, *, with_files: bool, recent_ns: int) -> None:
        """List everything below the door's root.

        Args:
            door: an opened root.
            recent_ns: directories that changed since then are remembered name by name, for the closing pass.
            with_files: also make entries of files (size and mode as of now), for a visitor that wants them first.
        """
        self.entries: list[Entry] = []
        """Everything but files; files too, without digest, if `with_files`. In no order."""
        self.faults: list[Fault] = []
        self.left_out: list[str] = []
        self._door = door
        self._with_files = with_files
        self._recent_ns = recent_ns
        self._count = self._characters = 0
        pending = [door.root]
        while pending:
            directory = pending.pop()
            self._list(directory)
            pending.extend(directory.directories)

    def _list(self, directory: Directory) -> None:
        path = directory.path
        is_root = directory.parent is None
        if path.count("/") + 1 >= limits.MAX_SCAN_DEPTH or self._room(directory) <= 0:
            self.faults.append(fault(path, "not-listed"))
            directory.seal = None
        else:
            try:
                with self._door.scan(directory) as listing:
                    if directory.seal and directory.seal[0] != self._door.device:
                        self.entries.append(Entry(path, EntryKind.OTHER, 0, False, None))
                        self.faults.append(fault(path, "mount"))
                        directory.seal = None
                        return
                    self._take(directory, listing)
            except OSError as error:
                self.faults.append(fault_of_error(path, error))
        if not is_root:
            self.entries.append(Entry(path, EntryKind.DIRECTORY, 0, False, None))

    def _room(self, directory: Directory) -> int:
        """Return how many entries of a directory fit into what is left of a scan's limits."""
        characters = limits.MAX_SCAN_PATH_CHARACTERS - self._characters
        return min(limits.MAX_SCAN_ENTRIES - self._count, characters // (len(directory.path) + 1))

    def _take(self, directory: Directory, listing: os._ScandirIterator[str]) -> None:
        names: list[str] = []
        raw_names: list[str] | None = [] if _is_recent(directory, self._recent_ns) else None
        files = directory.files
        is_root = directory.parent is None
        room = self._room(directory)
        for item in listing:
            if len(names) >= room:
                self.faults.append(fault(directory.path, "not-listed"))
                break
            name = item.name
            if raw_names is not None:
                raw_names.append(name)
            if not name.isascii():
                # The interpreter decodes names by the locale; ours are UTF-8 anywhere.
                name = os.fsencode(name).decode("utf-8", "surrogateescape")
            if item.is_file(follow_symlinks=False):
                if is_root and name == ".git":
                    self.left_out.append(name)
                    continue
                files.append(name)
                if self._with_files:
                    self.entries.append(_file_entry(directory.prefix + name, item))
            elif not self._take_other(directory, item, name):
                continue
            names.append(name)
        if raw_names is not None:
            directory.names = frozenset(raw_names)
        self._count += len(names)
        self._characters += len(names) * len(directory.path) + len("".join(names))
        _sort(files)
        self.faults.extend(check_names(directory.path, names))

    def _take_other(self, directory: Directory, item: os.DirEntry[str], name: str) -> bool:
        path = directory.prefix + name
        if item.is_dir(follow_symlinks=False) and not _is_reparse_point(item):
            if directory.parent is None and name == ".git":
                self.left_out.append(name)
                return False
            directory.directories.append(Directory(directory, name))
            return True
        if item.is_symlink():
            target = self._read_link(directory, name)
            self.entries.append(Entry(path, EntryKind.SYMLINK, 0, False, None, target))
            self.faults.append(fault(path, "symlink", target))
            return True
        self.entries.append(Entry(path, EntryKind.OTHER, 0, False, None))
        self.faults.append(fault(path, "reparse-point") if _is_reparse_point(item) else _special(path, item))
        return True

    def _read_link(self, directory: Directory, name: str) -> str:
        try:
            return self._door.read_link(directory, name)
        except OSError:
            return ""  # It changed since it was listed: the closing pass says so.


def _is_recent(directory: Directory, recent_ns: int) -> bool:
    return directory.seal is not None and max(directory.seal[2:]) >= recent_ns


def _file_entry(path: str, item: os.DirEntry[str]) -> Entry:
    try:
        status = item.stat(follow_symlinks=False)
    except OSError:
        return Entry(path, EntryKind.FILE, 0, False, None)  # Reading it will say what is wrong.
    return Entry(path, EntryKind.FILE, status.st_size, is_executable(status.st_mode), None)


def _is_reparse_point(item: os.DirEntry[str]) -> bool:
    if os.name != "nt":
        return False
    return bool(getattr(item.stat(follow_symlinks=False), "st_file_attributes", 0) & _REPARSE_POINT)


def _special(path: str, item: os.DirEntry[str]) -> Fault:
    try:
        mode = item.stat(follow_symlinks=False).st_mode
    except OSError as error:
        return fault_of_error(path, error)
    kinds = {stat.S_IFIFO: "FIFO", stat.S_IFSOCK: "socket", stat.S_IFBLK: "block device", stat.S_IFCHR: "device"}
    return fault(path, "special-file", kinds.get(stat.S_IFMT(mode), "unknown kind"))


def _sort(names: list[str]) -> None:
    if "".join(names).isascii():
        names.sort()
    else:
        names.sort(key=path_bytes)


def runs(root: Directory) -> Iterator[tuple[Directory, list[str]]]:
    """Yield (directory, names of files in it) so that all files come in tree order.

    A directory comes in several runs where sub-directories stand between its files: `a-b` is before `a/b`, `ab` after.
    """
    stack = [iter(_parts(root))]
    while stack:
        for part in stack[-1]:
            if isinstance(part, Directory):
                stack.append(iter(_parts(part)))
                break
            yield part
        else:
            stack.pop()


def _parts(directory: Directory) -> list[Directory | tuple[Directory, list[str]]]:
    if not directory.directories:
        return [(directory, directory.files)] if directory.files else []
    keyed: list[tuple[bytes, str | Directory]] = [(path_bytes(name), name) for name in directory.files]
    keyed.extend((path_bytes(below.name + "/"), below) for below in directory.directories)
    keyed.sort(key=lambda pair: pair[0])
    parts: list[Directory | tuple[Directory, list[str]]] = []
    run: list[str] = []
    for _, item in keyed:
        if isinstance(item, Directory):
            if run:
                parts.append((directory, run))
                run = []
            parts.append(item)
        else:
            run.append(item)
    if run:
        parts.append((directory, run))
    return parts
