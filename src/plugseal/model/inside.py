"""What an archive inside a tree holds, as the scanner wants it: files with their bytes, or why these can't be had."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from plugseal.records import NamedTuple


class InsideFile(NamedTuple):
    """One file of an archive."""

    path: str
    """As the archive names it; hostile text."""
    data: bytes | None
    reason: str = ""
    """Why there are no bytes, or why others might see other ones."""


class Inside(NamedTuple):
    """All files of an archive."""

    files: tuple[InsideFile, ...]
    reason: str = ""
    """What of the archive as a whole was not read, and why."""


Unpack: TypeAlias = "Callable[[str, bytes], Inside | None]"
"""From (name, bytes) of a file to what is in it; None where it is no archive that can be read."""
