"""Read and hash one open file, whatever its size, never past what it announced."""

from __future__ import annotations

import hashlib
import os
import stat
from typing import Final

from plugseal import limits
from plugseal.intake.faults import fault
from plugseal.model.tree import Fault

_SPECIAL_BITS: Final = (
    (stat.S_ISUID, "set-user-id"),
    (stat.S_ISGID, "set-group-id"),
    (stat.S_ISVTX, "sticky"),
)


def read_file(fd: int, size: int) -> tuple[str, bytes | None]:
    """Return the SHA-256 in hex and the bytes of an open file; no bytes above `limits.MAX_READ_BYTES`.

    The digest is empty where the file doesn't hold exactly `size` bytes: it grows, shrinks, or lies as in `/proc`.

    Raises:
        OSError: it can't be read.
    """
    if size > limits.MAX_READ_BYTES:
        return hash_large(fd, size), None
    chunks: list[bytes] = []
    missing = size + 1
    while missing and (chunk := os.read(fd, missing)):
        chunks.append(chunk)
        missing -= len(chunk)
    data = b"".join(chunks)
    return (hashlib.sha256(data).hexdigest() if len(data) == size else ""), data


def hash_large(fd: int, size: int) -> str:
    """Return the SHA-256 in hex of an open file that is read in steps, empty where it does not hold `size` bytes.

    Raises:
        OSError: it can't be read.
    """
    digest = hashlib.sha256()
    buffer = bytearray(limits.MIB)
    view = memoryview(buffer)
    seen = 0
    while seen <= size and (count := _read_into(fd, buffer)):
        digest.update(view[:count])
        seen += count
    return digest.hexdigest() if seen == size else ""


def _read_into(fd: int, buffer: bytearray) -> int:
    if hasattr(os, "readv"):
        return os.readv(fd, [buffer])
    chunk = os.read(fd, len(buffer))
    buffer[: len(chunk)] = chunk
    return len(chunk)


def too_large(size: int) -> str:
    """Say why a visitor gets no bytes of a large file."""
    return f"larger than {limits.MAX_READ_BYTES // limits.MIB} MiB ({size:,} bytes)"


def check_status(path: str, fd: int, status: os.stat_result, *, device: int) -> list[Fault]:
    """Return what is wrong with an open regular file, apart from its content.

    Args:
        path: below the root.
        fd: the file, open.
        status: its `os.fstat`.
        device: that of the root.
    """
    found: list[Fault] = []
    if status.st_nlink != 1:
        found.append(fault(path, "hard-link", f"{status.st_nlink} names"))
    if special := [bit for mask, bit in _SPECIAL_BITS if status.st_mode & mask]:
        found.append(fault(path, "set-id", ", ".join(special)))
    if status.st_dev != device:
        found.append(fault(path, "mount"))
    # Only an executable can use them, and asking costs one more call for each file.
    if status.st_mode & 0o111 and has_capabilities(fd):
        found.append(fault(path, "file-capabilities"))
    return found


def has_capabilities(fd: int) -> bool:
    """Say whether an open file gives the privileges of Linux to who executes it."""
    if not hasattr(os, "listxattr"):
        return False
    try:
        return "security.capability" in os.listxattr(fd)
    except OSError:
        return False  # The file system has no such attributes.
