"""Why an entry can't be part of a receipt: the closed list of codes and what they mean.

A fault never ends a reading. `scan` shows it and goes on; a receipt is refused with all of them at once.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable
from typing import Final

from plugseal.model.tree import Fault

FAULTS: Final[dict[str, str]] = {
    # names
    "not-utf-8": "the name is no UTF-8, so other systems spell it otherwise",
    "not-nfc": "the name is not in Unicode normal form C, so another file system may rename it",
    "odd-character": "the name holds a control, format, private, unassigned or odd space character",
    "forbidden-character": 'the name holds one of <>:"|?*\\ which Windows gives another meaning',
    "trailing-dot-or-space": "the name ends with a dot or a space, which Windows drops",
    "device-name": "the name is a device on Windows",
    "nested-git": "a `.git` below the root can run code through git and is never copied faithfully",
    "git-name": "some file system takes the name for `.git`",
    "case-collision": "another name in the directory differs only by case or normal form",
    "name-too-long": "a part of the path is over 255 bytes",
    # kinds
    "symlink": "a symbolic link: what it shows is decided elsewhere",
    "special-file": "a FIFO, socket or device: reading it can hang or act",
    "reparse-point": "a junction or another reparse point: what it shows is decided elsewhere",
    "hard-link": "the file has further names, possibly outside the tree",
    "set-id": "the file has a set-user-id, set-group-id or sticky bit",
    "file-capabilities": "the file carries Linux capabilities",
    "mount": "another file system is mounted there",
    # reading
    "unreadable": "it could not be read",
    "changed-while-reading": "it changed while it was being read",
    # size
    "path-too-long": "the path is over 1,024 bytes",
    "too-deep": "the path has more than 64 parts",
    "too-many-entries": "the tree holds more than 65,536 entries",
    "tree-too-large": "the tree holds more than 4 GiB",
    "file-too-large": "the file is larger than all of a tree may be, so it was not read",
    "not-listed": "the directory was not listed, or not to its end: the tree is past the limits of a scan",
    # archives
    "escapes-root": "the member's name leads out of the archive",
    "odd-member-name": "the member's name is empty, far too long, or has empty, `.` or NUL parts",
    "duplicate-member": "the archive holds the name more than once",
    "file-and-directory": "the archive holds the name both as a directory and as something else",
    "encrypted-member": "the member is encrypted",
    "undeclared-encoding": "the member's name is not ASCII and its encoding is not declared",
    "ambiguous-member": "programs that unpack the archive would disagree about the member",
    "overlapping-members": "the member's bytes overlap others or the directory of the archive",
    "lying-size": "the member's size is not what the archive declares",
    "broken-member": "the member's bytes are damaged",
    "unsupported-member": "the member is stored in a way that is not supported",
    "broken-archive": "the archive is damaged from there on",
    "truncated-archive": "the archive ends too early",
    "trailing-data": "the archive holds bytes outside its members",
    "concatenated-gzip": "the archive is more than one gzip stream, of which some programs read only the first",
    "compression-ratio": "the archive unpacks to more than 200 times its size: reading stopped there",
    "archive-too-large": "the archive is over the limits in members or bytes: reading stopped there",
}
"""By code: what it means, for `explain`."""

_CHANGED: Final = frozenset({errno.ENOENT, errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.ESTALE, errno.ENXIO})


def fault(path: str, code: str, detail: str = "") -> Fault:
    """Return the fault `code` at `path`, its meaning followed by `detail`.

    Args:
        path: below the root, empty for the root itself.
        code: one of `FAULTS`.
        detail: what this case adds; may hold hostile text.
    """
    meaning = FAULTS[code]
    return Fault(path, code, f"{meaning}: {detail}" if detail else meaning)


def fault_of_error(path: str, error: OSError) -> Fault:
    """Return the fault for an entry that was listed, then refused to be opened or read."""
    if error.errno in _CHANGED:
        return fault(path, "changed-while-reading")
    if error.errno in (errno.EACCES, errno.EPERM):
        return fault(path, "unreadable", "permission denied")
    return fault(path, "unreadable", errno.errorcode.get(error.errno or 0, "unknown error"))


def in_path_order(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Return the faults sorted by the bytes of their paths, then by code, each once."""
    return tuple(sorted(set(faults), key=lambda f: (path_bytes(f.path), f.code, f.message)))


def path_bytes(path: str) -> bytes:
    """Return the bytes of a path: UTF-8, surrogate escapes as the bytes that they stand for."""
    return path.encode("utf-8", "surrogateescape")
