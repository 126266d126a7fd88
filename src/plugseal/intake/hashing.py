"""Read and hash one open file, whatever its size, never past what it announced.

Little is loaded for it: a start of a trusted plugin waits for this.
"""

from __future__ import annotations

import hashlib
import os

from plugseal import limits


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


def has_capabilities(fd: int) -> bool:
    """Say whether an open file has Linux capabilities, which whoever executes it would gain."""
    if not hasattr(os, "listxattr"):
        return False
    try:
        return "security.capability" in os.listxattr(fd)
    except OSError:
        return False  # The file system has no such attributes.
