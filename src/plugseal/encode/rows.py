"""One line for each entry, as the content receipt and the digest of a source have it; whoever has entries joins them.

Little is loaded for it: a start of a trusted plugin waits for this.
"""

from __future__ import annotations

from typing import Final

HEADER: Final = "plugin-tree-manifest/v1"
"""The manifest's first line, on systems that have executable bits."""
SOURCE_HEADER: Final = b"plugseal-source-v1\n"


def file_line(path: str, size: int, digest: str | None, *, executable: bool) -> str:
    """Return the manifest's line of a file."""
    return f"f {'x' if executable else '-'} {size} {digest} {path}\n"


def folder_line(path: str) -> str:
    """Return the manifest's line of a directory."""
    return f"d - - - {path}\n"


def last_line(files: int, folders: int, total_bytes: int) -> str:
    """Return the manifest's last line."""
    return f"end {files} {folders} {total_bytes}\n"


def file_row(path: str, digest: str, *, executable: bool) -> str:
    """Return the row of a file in a source whose path is ASCII, so that a character is a byte; the digest is hex."""
    return f"1:{'x' if executable else 'f'},64:{digest},{len(path)}:{path},"


def row(*parts: str) -> str:
    """Return the row of any entry in a source."""
    return "".join([f"{len(part.encode('utf-8', 'surrogateescape'))}:{part}," for part in parts])
