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
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from plugseal.disk import disk_hint
from plugseal.encode.treehash import content_receipt, find_content_receipt
from plugseal.errors import StageError
from plugseal.intake.listing import is_closed
from plugseal.intake.plain import read_plain
from plugseal.model.tree import Entry, EntryKind, Tree
from plugseal.model.visitor import Visitor

_TEMPORARY: Final = ".staging-"
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK: Final = 1 << 20
_FEW: Final = 16
"""Files that are brought to the disk one by one; more are by one call for all."""


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
        self._hint = _HINT
        """What to type about it."""
        self._by_digest: dict[str, str] = {}
        """Digest to the path of a file of these bytes in the copy."""
        self._written: dict[str, bool] = {}
        """Path of each file in the copy, and whether it may be executed."""
        try:
            self._temporary.mkdir(mode=0o700)
            self._is_masked = self._temporary.stat().st_mode & 0o777 != 0o700
            """Whether the umask takes from us what we make: it can only take, never give."""
            self._temporary.chmod(0o700)
            self._root = os.open(self._temporary, _FOLDER)
        except OSError as error:
            raise _failed("the stage can't be made", folder, error) from error

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
        try:
            self._write(entry.path, (data,), executable=entry.executable)
        except OSError as error:
            self._lost.append(f"{entry.path}: the copy can't be written: {_reason(error)}")
            self._hint = disk_hint(str(self._folder), error) or self._hint
            return
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
            raise StageError("not everything could be copied", details=self._lost, hint=self._hint)
        try:
            self._complete(tree)
            os.fchmod(self._root, 0o500)
            self._sync(tree)
        except OSError as error:
            raise _failed("the stage can't be written", self._folder, error) from error
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
        """Write what links show, leave out what does not belong to the tree, and close its folders to writing."""
        wanted = set()
        for entry in tree.entries:
            if entry.kind is EntryKind.DIRECTORY:
                self._make_folder(entry.path)
                continue
            wanted.add(entry.path)
            if self._written.get(entry.path) is entry.executable or entry.digest is None:
                continue
            self._put_again(entry)
        for path in self._written.keys() - wanted:
            os.unlink(path, dir_fd=self._root)  # by descriptor
        for entry in reversed(tree.entries):
            if entry.kind is EntryKind.DIRECTORY:
                os.chmod(entry.path, 0o500, dir_fd=self._root)  # by descriptor

    def _put_again(self, entry: Entry) -> None:
        """Write a file whose bytes stand in the copy already: a link shows them, or their mode changed meanwhile."""
        source = self._by_digest.get(entry.digest or "")
        if source is None or entry.path in self._written:
            raise StageError("the tree changed while it was being staged", place=entry.path, hint=_HINT)
        self._write(entry.path, self._chunks(source), executable=entry.executable)

    def _make_folder(self, path: str) -> None:
        with suppress(FileExistsError):
            os.mkdir(path, 0o700, dir_fd=self._root)
            if self._is_masked:
                os.chmod(path, 0o700, dir_fd=self._root)

    def _write(self, path: str, chunks: Iterable[bytes], *, executable: bool) -> None:
        # A new file may be written through the descriptor that made it, whatever its mode forbids others.
        mode = 0o500 if executable else 0o400
        try:
            descriptor = os.open(path, _NEW, mode, dir_fd=self._root)
        except FileNotFoundError:
            self._make_parents(path)
            descriptor = os.open(path, _NEW, mode, dir_fd=self._root)
        self._written[path] = executable
        try:
            if self._is_masked:
                os.fchmod(descriptor, mode)
            for chunk in chunks:
                done = os.write(descriptor, chunk)
                while done < len(chunk):
                    done += os.write(descriptor, memoryview(chunk)[done:])
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
        """Wait until the copy is on the disk; what a power cut spoils all the same is refused when it is read."""
        if sys.platform == "linux" and len(self._written) > _FEW:
            # Linux waits for everything here, in one go; file by file the disk would be asked thousands of times.
            os.sync()
            return
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
            raise _failed("the stage can't be published", target, error) from error
        return target


def verify_stage(path: Path, content: str, visitor: Visitor | None = None) -> Tree:
    """Return the tree of a stage whose content is what it must be.

    Args:
        path: of the stage.
        content: the content receipt, 64 hex digits.
        visitor: handed the very bytes that are hashed; it may believe them once this has returned.

    Raises:
        StageError: it is missing, not ours alone, or its content is another.
    """
    try:
        found = path.lstat()
    except OSError as error:
        raise StageError("the staged copy is missing", place=str(path), hint=_AGAIN) from error
    if not is_closed(found):
        raise StageError("the staged copy is not a read-only folder of yours alone", place=str(path), hint=_AGAIN)
    if visitor is None:
        # Names need not be judged again where they are those of what was trusted, and the receipt binds them.
        tree = read_plain(path)
        if tree is not None and not tree.left_out and find_content_receipt(tree) == content:
            return tree
    return _verify_read(path, content, visitor)


def _verify_read(path: Path, content: str, visitor: Visitor | None) -> Tree:
    from plugseal.intake.read import check_representable, read_once  # slow to load, and a usual start needs none of it

    tree = read_once(path, visitor)
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
    import shutil  # slow to load, and a start needs none of it

    for folder, _, _ in os.walk(path):
        with suppress(OSError):
            Path(folder).chmod(0o700)
    shutil.rmtree(path, ignore_errors=True)


def _failed(what: str, place: Path, error: OSError) -> StageError:
    return StageError(f"{what}: {_reason(error)}", place=str(place), hint=disk_hint(str(place), error))


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


_HINT: Final = "try again when nothing writes to it"
_AGAIN: Final = "review and trust the plugin again: the copy is made anew"
