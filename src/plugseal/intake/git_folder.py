"""Read the few files of the root's `.git` by which git runs programs: settings and hooks, nothing else.

The folder stays outside of tree, receipt and stage. What is read is bounded, no link is followed, and what can't be
read has a reason: silence about it would be a pass.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.intake.door import DIRECTORY_FLAGS, READ_FLAGS, Door
from plugseal.limits import MAX_GIT_FILE_BYTES, MAX_GIT_HOOKS
from plugseal.model.visitor import AsideVisitor, Visitor
from plugseal.records import NamedTuple

GIT: Final = ".git"
_FILES: Final = ("config", "config.worktree")
_HOOKS: Final = "hooks"
_SAMPLE: Final = ".sample"


class Aside(NamedTuple):
    """A file outside of the tree that is looked at."""

    path: str
    """As below the root, e.g. `.git/hooks/pre-commit`."""
    data: bytes | None
    reason: str = ""
    """Why there are no bytes, empty where there are."""


def read_git_folder(door: Door) -> Iterator[Aside]:
    """Yield settings and hooks of the root's `.git`, or what stands in a `.git` that is a file.

    Args:
        door: an opened root whose `.git` was left out.
    """
    root = door.enter(door.root)
    if root is None:
        yield Aside(GIT, None, "its hooks and settings can't be looked at safely on this system")
        return
    try:
        folder = os.open(GIT, DIRECTORY_FLAGS, dir_fd=root)
    except NotADirectoryError:
        yield from _read(root, GIT, GIT)
        return
    except OSError:
        yield Aside(GIT, None, "could not be looked into")
        return
    try:
        for name in _FILES:
            yield from _read(folder, name, f"{GIT}/{name}")
        yield from _hooks(folder)
    finally:
        os.close(folder)


def hand_aside(visitor: Visitor, files: Iterable[Aside]) -> None:
    """Give a visitor what lies outside of the tree, if it looks at such things."""
    if isinstance(visitor, AsideVisitor):
        for file in files:
            visitor.aside(*file)


def _hooks(folder: int) -> Iterator[Aside]:
    try:
        hooks = os.open(_HOOKS, DIRECTORY_FLAGS, dir_fd=folder)
    except FileNotFoundError:
        return
    except OSError:
        yield Aside(f"{GIT}/{_HOOKS}", None, "could not be looked into, or is a link")
        return
    try:
        names = sorted(name for name in os.listdir(hooks) if not name.endswith(_SAMPLE))  # noqa: PTH208  # a descriptor
        for name in names[:MAX_GIT_HOOKS]:
            yield from _read(hooks, name, f"{GIT}/{_HOOKS}/{_as_text(name)}")
        if len(names) > MAX_GIT_HOOKS:
            yield Aside(f"{GIT}/{_HOOKS}", None, f"holds more than {MAX_GIT_HOOKS:,} files")
    finally:
        os.close(hooks)


def _read(folder: int, name: str, path: str) -> Iterator[Aside]:
    try:
        fd = os.open(name, READ_FLAGS, dir_fd=folder)
    except FileNotFoundError:
        return
    except OSError:
        yield Aside(path, None, "could not be read, or is a link")
        return
    try:
        status = os.fstat(fd)
        if stat.S_ISDIR(status.st_mode):
            return
        if not stat.S_ISREG(status.st_mode):
            yield Aside(path, None, "is no regular file")
            return
        with os.fdopen(os.dup(fd), "rb") as file:
            data = file.read(MAX_GIT_FILE_BYTES + 1)
    finally:
        os.close(fd)
    if len(data) > MAX_GIT_FILE_BYTES:
        yield Aside(path, None, f"larger than {MAX_GIT_FILE_BYTES:,} bytes")
    else:
        yield Aside(path, data)


def _as_text(name: str) -> str:
    return os.fsencode(name).decode("utf-8", "surrogateescape")
