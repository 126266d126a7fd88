"""Copy a reviewed tree into a folder of ours, read-only and named by its content, while it is being read.

Rules
- The stager is a visitor: what it writes are the very bytes that were hashed and scanned; nothing is read twice.
- What stands in the copy is then read again, and must have the content receipt that was asked for.
- Directories are 0500, files 0400, executables 0500; each file is new, of one name, and no link is among them: links
  that a system allows are plain files and folders here.
- A copy appears by one rename, whole or not at all. One that is there already is read again before it is believed; one
  that is not what its name says is refused, and built anew in new files, never mended.

It runs nothing, and it follows no name below the tree or the stage.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from plugseal.encode.treehash import content_receipt
from plugseal.errors import StageError
from plugseal.intake.read import check_representable, read_tree
from plugseal.model.tree import Entry, EntryKind, Tree

_TEMPORARY: Final = ".staging-"
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK: Final = 1 << 20


class Stager:
    """Write each visited file into a temporary folder; `finish` makes the stage of it, `abandon` removes it."""

    def __init__(self, folder: Path, *, wants: Callable[[str], bool] | None = None) -> None:
        """Begin a copy.

        Args:
            folder: where stages live: an existing folder that belongs to us alone.
            wants: which paths belong to the plugin; all by default.

        Raises:
            StageError: the folder can't be used.
        """
        self._folder = folder
        self._wants = wants
        self._temporary = folder / f"{_TEMPORARY}{os.urandom(8).hex()}"
        self._lost: list[str] = []
        self._by_digest: dict[str, str] = {}
        """Digest to the path of a file of these bytes in the copy."""
        try:
            self._temporary.mkdir(mode=0o700)
            self._root = os.open(self._temporary, _FOLDER)
        except OSError as error:
            raise StageError(f"the stage can't be made: {_reason(error)}", place=str(folder)) from error

    def begin(self, entries: Sequence[Entry]) -> None:
        """Make the directories."""
        for entry in entries:
            if entry.kind is EntryKind.DIRECTORY and self._is_wanted(entry.path):
                self._make_folder(entry.path)

    def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
        """Write one file."""
        if not self._is_wanted(entry.path):
            return
        if data is None or entry.digest is None:
            self._lost.append(f"{entry.path}: {reason or 'could not be read'}")
            return
        self._write(entry.path, [data])
        self._by_digest.setdefault(entry.digest, entry.path)

    def finish(self, tree: Tree, content: str) -> Path:
        """Make the stage and return its path.

        Args:
            tree: what belongs into it: the reviewed tree, its links followed where the system allows them.
            content: the content receipt that was trusted, 64 hex digits.

        Raises:
            StageError: what was read is not that content, or it can't be written.
        """
        if self._lost:
            raise StageError("not everything could be copied", details=self._lost, hint=_HINT)
        try:
            self._complete(tree)
            os.fchmod(self._root, 0o500)
            self._sync(tree)
        except OSError as error:
            raise StageError(f"the stage can't be written: {_reason(error)}", place=str(self._folder)) from error
        verify_stage(self._temporary, content)
        return self._publish(content)

    def abandon(self) -> None:
        """Remove the temporary copy; safe to call at any time."""
        with suppress(OSError):
            os.close(self._root)
        remove_stage(self._temporary)

    def _is_wanted(self, path: str) -> bool:
        return self._wants is None or self._wants(path)

    def _complete(self, tree: Tree) -> None:
        """Write what links show, set modes, and leave out what does not belong to the tree."""
        for entry in tree.entries:
            if entry.kind is EntryKind.DIRECTORY:
                self._make_folder(entry.path)
        wanted = {entry.path for entry in tree.entries}
        there = self._paths()
        for entry in tree.entries:
            if entry.kind is EntryKind.FILE and entry.path not in there and entry.digest is not None:
                source = self._by_digest.get(entry.digest)
                if source is None:
                    raise StageError("the tree changed while it was being staged", place=entry.path, hint=_HINT)
                self._write(entry.path, self._chunks(source))
        for path in there - wanted:
            os.unlink(path, dir_fd=self._root)
        for entry in reversed(tree.entries):
            mode = 0o500 if entry.kind is EntryKind.DIRECTORY or entry.executable else 0o400
            os.chmod(entry.path, mode, dir_fd=self._root)

    def _paths(self) -> set[str]:
        found: set[str] = set()
        for folder, _, names in os.walk(self._temporary):
            below = os.path.relpath(folder, self._temporary)
            found.update(name if below == "." else f"{below}/{name}" for name in names)
        return found

    def _make_folder(self, path: str) -> None:
        with suppress(FileExistsError):
            os.mkdir(path, 0o700, dir_fd=self._root)

    def _write(self, path: str, chunks: Iterator[bytes] | list[bytes]) -> None:
        try:
            descriptor = os.open(path, _NEW, 0o600, dir_fd=self._root)
        except FileNotFoundError:
            self._make_parents(path)
            descriptor = os.open(path, _NEW, 0o600, dir_fd=self._root)
        try:
            for chunk in chunks:
                view = memoryview(chunk)
                while view:
                    view = view[os.write(descriptor, view) :]
        finally:
            os.close(descriptor)

    def _make_parents(self, path: str) -> None:
        parts = path.split("/")[:-1]
        for count in range(1, len(parts) + 1):
            self._make_folder("/".join(parts[:count]))

    def _chunks(self, path: str) -> Iterator[bytes]:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._root)
        try:
            while chunk := os.read(descriptor, _CHUNK):
                yield chunk
        finally:
            os.close(descriptor)

    def _sync(self, tree: Tree) -> None:
        for entry in tree.entries:
            descriptor = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._root)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        os.fsync(self._root)

    def _publish(self, content: str) -> Path:
        target = self._folder / content
        try:
            if target.is_symlink() or target.exists():
                if is_stage(target, content):
                    return target
                # Built anew in new files: an old mapping of the old ones shows nothing of these.
                aside = self._folder / f"{_TEMPORARY}{os.urandom(8).hex()}"
                target.rename(aside)
                remove_stage(aside)
            self._temporary.rename(target)
            folder = os.open(self._folder, _FOLDER)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise StageError(f"the stage can't be published: {_reason(error)}", place=str(target)) from error
        return target


def verify_stage(path: Path, content: str) -> Tree:
    """Return the tree of a stage whose content is what it must be.

    Args:
        path: of the stage.
        content: the content receipt, 64 hex digits.

    Raises:
        StageError: it is missing, not ours alone, or its content is another.
    """
    try:
        found = path.lstat()
    except OSError as error:
        raise StageError("the staged copy is missing", place=str(path), hint=_AGAIN) from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o277:
        raise StageError("the staged copy is not a read-only folder of yours alone", place=str(path), hint=_AGAIN)
    tree = read_tree(path)
    if check_representable(tree) or tree.left_out or content_receipt(tree) != content:
        raise StageError("the staged copy is not what was trusted", place=str(path), hint=_AGAIN)
    return tree


def is_stage(path: Path, content: str) -> bool:
    """Say whether a path is a sound stage of this content."""
    try:
        verify_stage(path, content)
    except StageError:
        return False
    return True


def remove_stage(path: Path) -> None:
    """Remove a stage or what is left of one; read-only folders are opened for it first."""
    if path.is_symlink() or not path.is_dir():
        with suppress(OSError):
            path.unlink()
        return
    for folder, _, _ in os.walk(path):
        with suppress(OSError):
            Path(folder).chmod(0o700)
    shutil.rmtree(path, ignore_errors=True)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


_HINT: Final = "try again when nothing writes to it"
_AGAIN: Final = "review and trust the plugin again: the copy is made anew"
