"""Read what a user names: a directory, a single file or an archive, into one `Tree`.

Rules: what a person typed may be a link and is resolved once; below it nothing is followed. Reading is tolerant:
each irregularity is a `Fault` and the rest is read; `verify_representable` is where strictness lives. Files are
visited in tree order (by the bytes of their paths), each once. A tree that changed meanwhile carries
`changed-while-reading` faults and is never retried here, since a visitor has seen it: read anew with a new visitor.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from plugseal import limits
from plugseal.errors import IntakeError, TreeRefusedError
from plugseal.intake import content
from plugseal.intake.content import Contents, Progress
from plugseal.intake.door import READ_FLAGS, Door
from plugseal.intake.faults import fault, in_path_order
from plugseal.intake.judge import check_measures, check_names, in_tree_order, without_measures
from plugseal.intake.walk import Walk
from plugseal.model.tree import Entry, EntryKind, Fault, Tree
from plugseal.model.visitor import Visitor

ARCHIVE_SUFFIXES = (".tar.gz", ".tgz", ".tar", ".zip", ".mcpb", ".dxt")
"""By these a file is taken for an archive, in any case."""


def read_tree(path: Path, visitor: Visitor | None = None, *, on_progress: Progress | None = None) -> Tree:
    """Read everything below `path`, hand each file to `visitor`, and return what there is.

    Args:
        path: a directory, a file, or an archive (by its name: `ARCHIVE_SUFFIXES`); links in it are resolved.
        visitor: who looks at the bytes; None where only digests are wanted.
        on_progress: called now and then with the files and bytes read so far.

    Raises:
        IntakeError: there is nothing at `path`, it can't be read, or is neither directory, file nor archive.
    """
    try:
        root = path.resolve(strict=True)
        mode = root.stat().st_mode
    except (OSError, RuntimeError, ValueError) as error:
        raise _no_intake(path, error) from error
    try:
        if stat.S_ISDIR(mode):
            return _read_directory(root, visitor, on_progress)
        if not stat.S_ISREG(mode):
            raise IntakeError(
                "neither a directory, a file nor an archive", place=str(path), hint="name a plugin's directory"
            )
        if root.name.lower().endswith(ARCHIVE_SUFFIXES):
            from plugseal.intake.archive import read_archive

            return read_archive(root, visitor, on_progress=on_progress)
        return _read_single(root, visitor, on_progress)
    except OSError as error:
        raise _no_intake(path, error) from error


def check_representable(tree: Tree) -> tuple[Fault, ...]:
    """Return every reason why a tree (or a part of one) can't have a receipt, in path order."""
    return in_path_order([*without_measures(tree.faults), *check_measures(tree.entries)])


def verify_representable(tree: Tree) -> Tree:
    """Return the tree if it can have a receipt.

    Raises:
        TreeRefusedError: it can't; `details` holds every reason at once.
    """
    faults = check_representable(tree)
    if not faults:
        return tree
    if all(f.code == "changed-while-reading" for f in faults):
        message, hint = "the tree changed while it was being read", "try again when nothing writes to it"
    else:
        message, hint = "the tree can't be represented safely", f"plugseal explain {faults[0].code}"
    details = [f"{f.path or '.'}: {f.message} [{f.code}]" for f in faults]
    raise TreeRefusedError(message, place=tree.name, hint=hint, details=details)


def _read_directory(root: Path, visitor: Visitor | None, on_progress: Progress | None) -> Tree:
    door = Door(str(root))
    try:
        walk = Walk(door, with_files=visitor is not None)
        if door.root.seal is None or (unlisted := [f for f in walk.faults if not f.path and f.code == "unreadable"]):
            raise IntakeError("the directory can't be listed", place=str(root), details=[f.message for f in unlisted])
        if visitor is not None:
            visitor.begin(in_tree_order(walk.entries))
        contents = Contents(door, visitor, on_progress)
        contents.read()
        contents.close()
    finally:
        door.close()
    others = (e for e in walk.entries if e.kind is not EntryKind.FILE)
    entries = in_tree_order([*contents.entries, *others])
    faults = [*walk.faults, *contents.faults, *check_measures(entries)]
    return Tree(root.name, tuple(entries), in_path_order(faults), tuple(walk.left_out))


def _read_single(path: Path, visitor: Visitor | None, on_progress: Progress | None) -> Tree:
    name = path_bytes_to_str(os.fsencode(path.name))
    fd = os.open(path, READ_FLAGS)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise IntakeError("the file changed while it was being read", place=str(path), hint="try again")
        entry = Entry(name, EntryKind.FILE, status.st_size, os.name != "nt" and bool(status.st_mode & 0o111), None)
        faults = [*check_names("", [name]), *content.check_status(name, fd, status, status.st_dev)]
        if visitor is not None:
            visitor.begin([entry])
        entry, data, reason = _read_one(fd, entry, faults)
        after = path.lstat()
        if (after.st_ctime_ns, after.st_ino, after.st_size) != (status.st_ctime_ns, status.st_ino, status.st_size):
            faults.append(fault(name, "changed-while-reading"))
    finally:
        os.close(fd)
    if visitor is not None:
        visitor.visit(entry, data, reason)
    if on_progress:
        on_progress(1, entry.size)
    return Tree(name, (entry,), in_path_order([*faults, *check_measures([entry])]), ())


def _read_one(fd: int, entry: Entry, faults: list[Fault]) -> tuple[Entry, bytes | None, str]:
    if entry.size > limits.MAX_TREE_BYTES:
        faults.append(fault(entry.path, "file-too-large", f"{entry.size:,} bytes"))
        return entry, None, faults[-1].message
    digest, data = content.read_file(fd, entry.size)
    if not digest:
        faults.append(fault(entry.path, "changed-while-reading", "its size is not what was announced"))
        return entry, None, faults[-1].message
    return entry._replace(digest=digest), data, "" if data is not None else content.too_large(entry.size)


def path_bytes_to_str(raw: bytes) -> str:
    """Return the path that `raw` spells: UTF-8, surrogate escapes for what is not."""
    return raw.decode("utf-8", "surrogateescape")


def _no_intake(path: Path, error: Exception) -> IntakeError:
    hint = "name a directory, a file or an archive that exists"
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return IntakeError("no such file or directory", place=str(path), hint=hint)
    if isinstance(error, PermissionError):
        return IntakeError("permission denied", place=str(path), hint="read it as a user who may")
    return IntakeError("the path can't be read", place=str(path), hint=hint, details=[str(error)])
