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

from plugseal.errors import IntakeError, TreeRefusedError
from plugseal.intake.closing import check_unchanged, tick_ns
from plugseal.intake.content import Contents, Progress
from plugseal.intake.door import READ_FLAGS, Door, is_executable
from plugseal.intake.faults import in_path_order
from plugseal.intake.git_folder import hand_aside, read_git_folder
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
        if is_archive(root):
            from plugseal.intake.archive import read_archive

            return read_archive(root, visitor, on_progress=on_progress)
        return _read_single(root, visitor, on_progress)
    except OSError as error:
        raise _no_intake(path, error) from error


def is_archive(path: Path) -> bool:
    """Say whether a file is read as an archive: by its name alone."""
    return path.name.lower().endswith(ARCHIVE_SUFFIXES)


def read_once(path: Path, visitor: Visitor | None = None) -> Tree:
    """Read a directory without the closing pass that tells whether it changed meanwhile.

    For callers that judge anew at each start: a change a moment after their reading would escape them in any case.

    Args:
        path: as for `read_tree`; what is no directory is read by it.
        visitor: as for `read_tree`.

    Raises:
        IntakeError: as `read_tree`.
    """
    try:
        root = path.resolve(strict=True)
        if root.is_dir():
            return _read_directory(root, visitor, None, compares_at_end=False)
    except (OSError, RuntimeError, ValueError) as error:
        raise _no_intake(path, error) from error
    return read_tree(path, visitor)


def check_representable(tree: Tree) -> tuple[Fault, ...]:
    """Return every reason why a tree (or a part of one) can't have a receipt, in path order."""
    return in_path_order([*without_measures(tree.faults), *check_measures(tree.entries)])


def verify_representable(tree: Tree) -> Tree:
    """Return the tree if it can have a receipt, a part of one without the faults that only the whole has.

    Raises:
        TreeRefusedError: it can't; `details` holds every reason at once.
    """
    faults = check_representable(tree)
    if not faults:
        return tree._replace(faults=()) if tree.faults else tree
    if all(f.code == "changed-while-reading" for f in faults):
        message, hint = "the tree changed while it was being read", "try again when nothing writes to it"
    else:
        message, hint = "this tree can have no receipt", f"read what it means with `plugseal explain {faults[0].code}`"
    details = [f"{f.path or '.'}: {f.message} [{f.code}]" for f in faults]
    raise TreeRefusedError(message, place=tree.name, hint=hint, details=details)


def _read_directory(
    root: Path, visitor: Visitor | None, on_progress: Progress | None, *, compares_at_end: bool = True
) -> Tree:
    recent_ns = tick_ns()
    door = Door(str(root))
    try:
        walk = Walk(door, with_files=visitor is not None, recent_ns=recent_ns)
        if unlisted := [f.message for f in walk.faults if not f.path and f.code == "unreadable"]:
            raise IntakeError("the directory can't be listed", place=str(root), details=unlisted)
        if visitor is not None:
            visitor.begin(in_tree_order(walk.entries))
        contents = Contents(door, visitor, on_progress=on_progress)
        contents.read()
        changed: list[Fault] = []
        if compares_at_end:
            changed = check_unchanged(door, contents.sealed, entries=contents.entries, recent_ns=recent_ns)
        if visitor is not None and walk.left_out:
            hand_aside(visitor, read_git_folder(door))
    finally:
        door.close()
    entries = in_tree_order([*contents.entries, *(e for e in walk.entries if e.kind is not EntryKind.FILE)])
    faults = [*walk.faults, *contents.faults, *changed, *check_measures(entries)]
    return Tree(_name(root), tuple(entries), in_path_order(faults), tuple(walk.left_out))


def _read_single(path: Path, visitor: Visitor | None, on_progress: Progress | None) -> Tree:
    # A listing of its directory that holds this file alone, and doesn't mind what else changes there.
    recent_ns = tick_ns()
    name = _name(path)
    os.close(os.open(path, READ_FLAGS))  # Nothing but this file was asked for: unreadable is an error, no fault.
    door = Door(str(path.parent))
    try:
        status = path.lstat()
        door.device, door.root.seal, door.root.files = status.st_dev, None, [name]
        if visitor is not None:
            visitor.begin([Entry(name, EntryKind.FILE, status.st_size, is_executable(status.st_mode), None)])
        contents = Contents(door, visitor, on_progress=on_progress)
        contents.read()
        changed = check_unchanged(door, contents.sealed, entries=contents.entries, recent_ns=recent_ns)
    finally:
        door.close()
    faults = [*check_names("", [name]), *contents.faults, *changed, *check_measures(contents.entries)]
    return Tree(name, tuple(contents.entries), in_path_order(faults), ())


def _name(path: Path) -> str:
    # UTF-8 in any locale, as all paths in a tree.
    return os.fsencode(path.name).decode("utf-8", "surrogateescape")


def _no_intake(path: Path, error: Exception) -> IntakeError:
    hint = "name a directory, a file or an archive that exists"
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return IntakeError("no such file or directory", place=str(path), hint=hint)
    if isinstance(error, PermissionError):
        return IntakeError("permission denied", place=str(path), hint="read it as a user who may")
    return IntakeError("the path can't be read", place=str(path), hint=hint, details=[str(error)])
