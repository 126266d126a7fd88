"""Read an archive wholly in memory and put its members together as the tree that unpacking would make.

Rules: nothing is ever written; a common top directory is not stripped, since what is reviewed must be what is
unpacked; directories that no member names are added as unpacking would. The format is told by the file's name and
must be so by content. Each irregular member is a fault; a member whose name leads out of the root is not listed, of
members with one name the last counts, as it does when unpacked. The receipt equals that of the unpacked tree.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from plugseal import limits
from plugseal.errors import IntakeError
from plugseal.intake.content import Progress
from plugseal.intake.door import READ_FLAGS, is_executable
from plugseal.intake.faults import fault, in_path_order
from plugseal.intake.git_folder import GIT, Aside, hand_aside
from plugseal.intake.hashing import too_large
from plugseal.intake.judge import check_measures, check_names, in_tree_order
from plugseal.intake.member import Member, Unpacked, parse_member_name
from plugseal.intake.tar import is_tar, unpack_gzip, unpack_tar
from plugseal.intake.zipped import is_zip, unpack_zip
from plugseal.model.tree import Entry, EntryKind, Fault, Tree
from plugseal.model.visitor import Visitor


def read_archive(path: Path, visitor: Visitor | None = None, *, on_progress: Progress | None = None) -> Tree:
    """Return the tree of an archive, each file handed to `visitor` in tree order.

    Raises:
        IntakeError: the file is no such archive, or larger than `limits.MAX_ARCHIVE_BYTES`.
        OSError: the file can't be read.
    """
    raw, faults = _read_bytes(path)
    unpacked = _unpack(path, raw)
    assembly = _Assembly(unpacked)
    listing = in_tree_order(assembly.build_entries())
    if visitor is not None:
        visitor.begin(listing)
    entries = [_finish(entry, assembly.members.get(entry.path), visitor) for entry in listing]
    if on_progress:
        on_progress(sum(e.kind is EntryKind.FILE for e in entries), sum(e.size for e in entries))
    faults += [*unpacked.faults, *assembly.faults, *check_measures(entries)]
    if assembly.left_out and visitor is not None:
        hand_aside(
            visitor, [Aside(GIT, None, "git's own folder inside an archive: hooks and settings are not looked at")]
        )
    return Tree(path.name, tuple(entries), in_path_order(faults), tuple(assembly.left_out))


def _read_bytes(path: Path) -> tuple[bytes, list[Fault]]:
    fd = os.open(path, READ_FLAGS)
    with os.fdopen(fd, "rb", buffering=0) as file:
        before = os.fstat(fd)
        if before.st_size > limits.MAX_ARCHIVE_BYTES:
            raise IntakeError(
                f"the archive is larger than {limits.MAX_ARCHIVE_BYTES // limits.MIB} MiB",
                place=str(path),
                hint="unpack it and name the directory",
            )
        raw = bytearray()
        while len(raw) <= before.st_size and (chunk := file.read(before.st_size + 1 - len(raw))):
            raw += chunk
        after = os.fstat(fd)
    if len(raw) != before.st_size or before.st_ctime_ns != after.st_ctime_ns:
        return bytes(raw), [fault("", "changed-while-reading", "the archive")]
    return bytes(raw), []


def _unpack(path: Path, raw: bytes) -> Unpacked:
    name = path.name.lower()
    if name.endswith((".tar.gz", ".tgz")):
        if raw[:2] != b"\x1f\x8b":
            raise _no_archive(path, "gzip")
        faults: list[Fault] = []
        data = unpack_gzip(raw, faults)
        if not faults and not is_tar(data):
            raise _no_archive(path, "tar")
        found = unpack_tar(data)
        found.faults.extend(faults)
        return found
    if name.endswith(".tar"):
        if not is_tar(raw):
            raise _no_archive(path, "tar")
        return unpack_tar(raw)
    if not is_zip(raw):
        raise _no_archive(path, "zip")
    return unpack_zip(raw)


def _no_archive(path: Path, format_name: str) -> IntakeError:
    return IntakeError(f"not a {format_name} archive", place=str(path), hint="name a directory, a file or an archive")


class _Assembly:
    """Members on their way to a tree."""

    def __init__(self, unpacked: Unpacked) -> None:
        self.faults: list[Fault] = []
        self.left_out: list[str] = []
        self.members: dict[str, Member] = {}
        """By path; of members with one path the last."""
        self._directories: dict[str, bool] = {}
        """By path: whether a member names it (else it is implied by what is below)."""
        for member in unpacked.members:
            if len(self.members) + len(self._directories) > limits.MAX_ARCHIVE_MEMBERS:
                self.faults.append(fault("", "archive-too-large", "with the directories that its names imply"))
                break
            self._add(member)
        self._check()

    def _add(self, member: Member) -> None:
        path, code = parse_member_name(member.name, is_directory=member.kind is EntryKind.DIRECTORY)
        at = path or member.name
        self.faults.extend(fault(at, reason, detail) for reason, detail in member.reasons)
        if code:
            self.faults.append(fault(member.name, code))
        elif path and not self._is_left_out(path, member.kind):
            self._place(path, member)

    def _is_left_out(self, path: str, kind: EntryKind) -> bool:
        is_git = path.startswith(".git/") or (path == ".git" and kind in (EntryKind.FILE, EntryKind.DIRECTORY))
        if is_git and not self.left_out:
            self.left_out.append(".git")
        return is_git

    def _place(self, path: str, member: Member) -> None:
        parent = path.rpartition("/")[0]
        while parent and parent not in self._directories:
            self._directories[parent] = False
            parent = parent.rpartition("/")[0]
        if member.kind is EntryKind.DIRECTORY:
            if self._directories.get(path):
                self.faults.append(fault(path, "duplicate-member"))
            self._directories[path] = True
            return
        if path in self.members:
            self.faults.append(fault(path, "duplicate-member"))
        self.members[path] = member

    def _check(self) -> None:
        for path in [path for path in self.members if path in self._directories]:
            self.faults.append(fault(path, "file-and-directory"))
            del self.members[path]
        children: dict[str, list[str]] = {}
        for path in (*self.members, *self._directories):
            directory, _, name = path.rpartition("/")
            children.setdefault(directory, []).append(name)
        for directory, names in children.items():
            self.faults.extend(check_names(directory, names))

    def build_entries(self) -> list[Entry]:
        """Return all entries, digests still None, in no order."""
        entries = [Entry(path, EntryKind.DIRECTORY, 0, False, None) for path in self._directories]
        for path, member in self.members.items():
            size = len(member.data) if member.data is not None else 0
            executable = member.executable and is_executable(0o111)
            entries.append(Entry(path, member.kind, size, executable, None, member.target))
            if member.kind is EntryKind.FILE and member.data is None and not member.reasons:
                self.faults.append(fault(path, "unreadable"))
        return entries


def _finish(entry: Entry, member: Member | None, visitor: Visitor | None) -> Entry:
    if entry.kind is not EntryKind.FILE or member is None:
        return entry
    if member.data is None:
        if visitor is not None:
            visitor.visit(entry, None, fault("", member.reasons[0][0]).message if member.reasons else "unreadable")
        return entry
    entry = entry._replace(digest=hashlib.sha256(member.data).hexdigest())
    if visitor is not None:
        is_large = entry.size > limits.MAX_READ_BYTES
        visitor.visit(entry, None if is_large else bytes(member.data), too_large(entry.size) if is_large else "")
    return entry
