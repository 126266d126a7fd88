"""What an archive holds, as its reader found it, before it is put together as a tree."""

from __future__ import annotations

import re

from plugseal import limits
from plugseal.model.tree import EntryKind, Fault
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_DRIVE = lazy(r"[A-Za-z]:")
_MAX_NAME_CHARACTERS = 4096
"""As long as any system opens; longer names would only cost memory."""


class Member(NamedTuple):
    """One member of an archive."""

    name: str
    """As written, surrogate escapes for what is not UTF-8. Hostile text."""
    kind: EntryKind
    executable: bool = False
    data: bytes | memoryview | None = None
    """A file's bytes; None where they could not be had, then a reason says why."""
    target: str | None = None
    reasons: tuple[tuple[str, str], ...] = ()
    """(fault code, detail) of what is wrong with it."""


class Unpacked(NamedTuple):
    """All members of an archive, in the order of the archive."""

    members: list[Member]
    faults: list[Fault]
    """What is wrong with the archive as a whole."""


def parse_member_name(name: str, *, is_directory: bool) -> tuple[str, str]:
    """Return (path below the root, empty), or (empty, fault code) for a name that is no path below the root.

    The path is empty, and so is the code, for the root itself.
    """
    if len(name) > _MAX_NAME_CHARACTERS or "\0" in name:
        return "", "odd-member-name"
    if name.startswith(("/", "\\")) or _DRIVE.match(name) or ".." in re.split(r"[/\\]", name):
        return "", "escapes-root"
    path = name
    while path.startswith("./"):
        path = path[2:]
    if is_directory:
        path = path.removesuffix("/")
        if path in ("", "."):
            return "", ""
    parts = path.split("/")
    if "" in parts or "." in parts:
        return "", "odd-member-name"
    if len(parts) > limits.MAX_SCAN_DEPTH:
        return "", "odd-member-name"
    return path, ""
