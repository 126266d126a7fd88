"""Go through archives inside a tree, and archives inside those, within bounds; each file is called `archive!/file`.

How an archive is unpacked is handed in: reading archives is intake's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.limits import MAX_INSIDE_DEPTH, MAX_INSIDE_FILES, MAX_INSIDE_TOTAL_BYTES
from plugseal.model.finding import Finding
from plugseal.model.inside import InsideFile, Unpack

_END: Final = b"PK\x05\x06"
_START: Final = b"PK\x03\x04"
_END_BYTES: Final = 65_557
SEPARATOR: Final = "!/"
_OF_WHOLE_FILES: Final = "code.native"
"""Findings about it say the same of every file in an archive."""


class Archives:
    """What one scan has unpacked so far."""

    def __init__(self, unpack: Unpack | None) -> None:
        self._unpack = unpack
        self._files = 0
        self._bytes = 0

    def look_inside(self, path: str, data: bytes) -> tuple[list[InsideFile], str] | None:
        """Return the files of an archive, their paths below the scanned root, and why others were not read.

        Args:
            path: of the archive below the scanned root.
            data: all its bytes.

        Returns:
            None where it can't be unpacked at all.
        """
        if self._unpack is None:
            return None
        if path.count(SEPARATOR) >= MAX_INSIDE_DEPTH:
            return [], f"archives inside archives deeper than {MAX_INSIDE_DEPTH} are not read"
        inside = self._unpack(path, data)
        if inside is None:
            return None
        files = list(self._bounded(path, inside.files))
        is_cut = len(files) < len(inside.files)
        return files, inside.reason or ("holds more than is read of all archives" if is_cut else "")

    def _bounded(self, path: str, files: tuple[InsideFile, ...]) -> Iterator[InsideFile]:
        for file in files:
            self._files += 1
            self._bytes += len(file.data or b"")
            if self._files > MAX_INSIDE_FILES or self._bytes > MAX_INSIDE_TOTAL_BYTES:
                return
            yield file._replace(path=f"{path}{SEPARATOR}{file.path}")


def one_for_each_archive(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield findings, those about unreadable files in one archive as one: a Java archive holds hundreds of classes."""
    inside: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in findings:
        archive, mark, _ = finding.file.partition(SEPARATOR)
        if mark and finding.capability == _OF_WHOLE_FILES and finding.object == finding.file:
            inside.setdefault((finding.rule, archive, finding.note), []).append(finding)
        else:
            yield finding
    for (_, archive, note), alike in inside.items():
        first = min(alike, key=lambda finding: finding.file)
        if len(alike) == 1:
            yield first
        else:
            yield first._replace(file=archive, object=archive, note=f"{note}: {len(alike)} files in it")


def has_archive_behind(data: bytes) -> bool:
    """Say whether what begins as something else ends as a zip archive does, so that unpackers take it for one."""
    at = data.rfind(_END, max(0, len(data) - _END_BYTES))
    if at < 0 or data.startswith(b"PK"):
        return False
    size, offset = int.from_bytes(data[at + 12 : at + 16], "little"), int.from_bytes(data[at + 16 : at + 20], "little")
    start = at - size
    return start >= 0 and offset <= start and (size == 0 or data[start : start + 4] == b"PK\x01\x02")


def begins_with_line(data: bytes) -> bool:
    """Say whether nothing but one line with an interpreter's name stands before an archive."""
    head = data[: max(0, data.find(_START))]
    return head.startswith(b"#!") and head.count(b"\n") == 1 and head.endswith(b"\n")
