"""The folder of receipts: `reviews/<token>/<key16>-<payload16>.dsse.json`, read whole or not at all.

A file that does not belong there is an error, never passed over: it may be a receipt that somebody wants overlooked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, TypeAlias

from plugseal.encode.dsse import MAX_ENVELOPE_BYTES, is_sha256
from plugseal.errors import IntakeError
from plugseal.records import NamedTuple
from plugseal.signing.files import read_regular, why_unread
from plugseal.signing.judge import DOCUMENT, SUFFIX

if TYPE_CHECKING:
    from pathlib import Path

    AnyPath: TypeAlias = str | Path

_MAX_RECEIPTS: Final = 100_000
_BESIDE: Final = frozenset({DOCUMENT, "README.md", ".gitattributes"})


class ReceiptFile(NamedTuple):
    """One receipt as it lies on disk."""

    file: str
    """Hostile text."""
    data: bytes


def read_receipts(folder: Path) -> tuple[ReceiptFile, ...]:
    """Return all receipts of a folder, sorted; none where there is no folder.

    Args:
        folder: `reviews`, or the folder of one token in it.

    Raises:
        IntakeError: something in it can't be read, or does not belong there.
    """
    if not folder.is_dir():
        return ()
    found = tuple(_walk(folder))
    if len(found) > _MAX_RECEIPTS:
        raise IntakeError(f"holds more than {_MAX_RECEIPTS:,} receipts", place=str(folder))
    return found


def read_receipt(path: AnyPath) -> ReceiptFile:
    """Return one receipt.

    Raises:
        IntakeError: it can't be read.
    """
    return ReceiptFile(str(path), read_file(path, max_bytes=MAX_ENVELOPE_BYTES))


def read_file(path: AnyPath, *, max_bytes: int) -> bytes:
    """Return the bytes of a regular file, never through a link and never more than asked for.

    Raises:
        IntakeError: it can't be read, is no regular file, or is larger.
    """
    try:
        data = read_regular(path, max_bytes=max_bytes)
    except (OSError, ValueError) as error:
        raise IntakeError(f"can't be read: {why_unread(error)}", place=str(path)) from error
    if len(data) > max_bytes:
        raise IntakeError(f"is larger than {max_bytes:,} bytes", place=str(path))
    return data


def is_token(name: str) -> bool:
    """Say whether a folder's name is a token."""
    content, dot, capability = name.partition(".")
    return dot == "." and is_sha256(content) and is_sha256(capability)


def _walk(folder: Path) -> Iterator[ReceiptFile]:
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208  # names, not paths
    except OSError as error:
        raise IntakeError(f"can't be read: {(error.strerror or 'error').lower()}", place=str(folder)) from error
    for name in names:
        path = folder / name
        if name.endswith(SUFFIX):
            yield read_receipt(path)
        elif is_token(name) and path.is_dir() and not path.is_symlink():
            yield from _walk(path)
        elif name not in _BESIDE:
            raise IntakeError("is neither a receipt nor the folder of a token", place=str(path))
