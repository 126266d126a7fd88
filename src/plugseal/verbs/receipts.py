"""Where receipts lie: `reviews/<token>/<key16>-<payload16>.dsse.json`, and the capability document beside them.

Reading takes every file of the folder or none: one that is not understood is an error, never passed over.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from plugseal.encode.dsse import MAX_ENVELOPE_BYTES, is_sha256
from plugseal.encode.plain import PlainJson, parse_signed_json, render_signed_json
from plugseal.errors import DataError, IntakeError, NothingToJudgeError, OutputError
from plugseal.limits import MAX_DATA_BYTES
from plugseal.signing.files import read_regular, why_unread
from plugseal.signing.judge import DOCUMENT, SUFFIX

if TYPE_CHECKING:
    from pathlib import Path

    AnyPath: TypeAlias = str | Path

FOLDER: Final = "reviews"
TRUST_FOLDER: Final = "plugseal-trust"
_MAX_RECEIPTS: Final = 100_000


class ReceiptFile(NamedTuple):
    """One receipt as it lies on disk."""

    file: str
    """Hostile text."""
    data: bytes


def reviews_folder(path: Path) -> Path:
    """Return the folder of receipts that a path means: itself, or `reviews` below it."""
    below = path / FOLDER
    return below if below.is_dir() else path


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


def read_document(folder: Path, capability: str) -> dict[str, PlainJson] | None:
    """Return the capability document beside receipts, None where there is none.

    Args:
        folder: of the token.
        capability: the capability receipt, which names it.

    Raises:
        DataError: it is not the document that was reviewed.
    """
    path = folder / DOCUMENT
    if not os.path.lexists(path):
        return None
    value = parse_signed_json(read_file(path, max_bytes=MAX_DATA_BYTES), max_bytes=MAX_DATA_BYTES)
    if not isinstance(value, dict) or hashlib.sha256(render_signed_json(value)).hexdigest() != capability:
        raise DataError("the capability document beside the receipt is not the one that was reviewed")
    return value


def write_receipt(folder: Path, name: str, data: bytes, document: bytes | None) -> Path:
    """Write a receipt into the folder of its token, and the capability document where it is not there yet.

    Raises:
        DataError: a document is there that is not the one that was reviewed.
        OutputError: it can't be written, or a file of that name is there with other bytes.
    """
    path = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if document is not None and read_document(folder, folder.name.rpartition(".")[2]) is None:
            _write(folder / DOCUMENT, document + b"\n")
        _write(path, data)
    except OSError as error:
        why = (error.strerror or "error").lower()
        raise OutputError(f"can't write the receipt: {why}", place=str(path)) from error
    return path


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


_BESIDE: Final = frozenset({DOCUMENT, "README.md", ".gitattributes"})


def _write(path: Path, data: bytes) -> None:
    """Write a file that is not there, whole or not at all; the same bytes there are as good."""
    if os.path.lexists(path):
        if read_file(path, max_bytes=MAX_DATA_BYTES) == data:
            return
        raise OutputError("another file of this name is there", place=str(path))
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def existing(path: Path) -> Path:
    """Return a path that is there.

    Raises:
        NothingToJudgeError: nothing is.
    """
    if not path.exists():
        raise NothingToJudgeError("nothing is there", place=str(path))
    return path
