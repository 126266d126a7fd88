"""Read numbers and names out of the tables of a binary, within bounds: what lies outside is no name, never an error."""

from __future__ import annotations

import struct
from typing import Final

MAX_NAMES: Final = 20_000
"""Imported names of one file; more are not looked at."""
_MAX_NAME_BYTES: Final = 256


class OutsideError(Exception):
    """Say that a table leads out of the file; never leaves this part."""


class Bytes:
    """The bytes of a file with bounds."""

    __slots__ = ("_order", "data")

    def __init__(self, data: bytes, *, is_little: bool = True) -> None:
        self.data = data
        self._order = "<" if is_little else ">"

    def numbers(self, form: str, at: int) -> tuple[int, ...]:
        """Return the numbers of a structure.

        Args:
            form: as `struct` writes it, without the order of bytes.
            at: where it stands.

        Raises:
            OutsideError: it does not lie in the file.
        """
        try:
            return struct.unpack_from(self._order + form, self.data, at) if at >= 0 else _outside()
        except (struct.error, OverflowError):
            raise OutsideError from None

    def name(self, at: int) -> str:
        """Return the text up to the next NUL, empty where there is none near."""
        if not 0 <= at < len(self.data):
            return ""
        end = self.data.find(b"\0", at, at + _MAX_NAME_BYTES)
        return self.data[at:end].decode("ascii", "replace") if end >= 0 else ""


def _outside() -> tuple[int, ...]:
    raise OutsideError
