"""Write receipts into their folder, and keep the reviewed capability document beside them."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from plugseal.disk import disk_hint
from plugseal.encode.plain import PlainJson, parse_signed_json, render_signed_json
from plugseal.errors import DataError, NothingToJudgeError, OutputError
from plugseal.limits import MAX_DATA_BYTES
from plugseal.signing.folder import read_file, read_receipt
from plugseal.signing.judge import DOCUMENT

if TYPE_CHECKING:
    from pathlib import Path

FOLDER: Final = "reviews"
TRUST_FOLDER: Final = "plugseal-trust"


def reviews_folder(path: Path) -> Path:
    """Return the folder of receipts that a path means: itself, or `reviews` below it; a repository is never itself."""
    below = path / FOLDER
    return below if below.is_dir() or os.path.lexists(path / ".git") else path


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
        hint = disk_hint(str(path), error)
        raise OutputError(f"can't write the receipt: {why}", place=str(path), hint=hint) from error
    return path


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
        with suppress(OSError):
            temporary.unlink()
        raise


def existing(path: Path) -> Path:
    """Return a path that is there.

    Raises:
        NothingToJudgeError: nothing is.
    """
    if not path.exists():
        raise NothingToJudgeError("nothing is there", place=str(path))
    return path


__all__ = [
    "FOLDER",
    "TRUST_FOLDER",
    "existing",
    "read_document",
    "read_file",
    "read_receipt",
    "reviews_folder",
    "write_receipt",
]
