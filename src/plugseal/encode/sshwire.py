"""SSH's wire format: strings with their length, numbers, and nothing left over.

See: https://www.rfc-editor.org/rfc/rfc4251#section-5
"""

from __future__ import annotations

from plugseal.errors import DataError


def ssh_string(data: bytes) -> bytes:
    """Return bytes behind their length."""
    return len(data).to_bytes(4, "big") + data


def ssh_integer(value: int) -> bytes:
    """Return a number that is not negative, as `mpint`."""
    return ssh_string(value.to_bytes(value.bit_length() // 8 + 1, "big") if value else b"")


class Reader:
    """Read fields one after the other; what is short or over is an error."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, count: int) -> bytes:
        """Return the next bytes.

        Raises:
            DataError: there are fewer.
        """
        end = self._at + count
        if end > len(self._data):
            raise DataError("ends too early")
        found = self._data[self._at : end]
        self._at = end
        return found

    def number(self, count: int = 4) -> int:
        """Return the next number of so many bytes."""
        return int.from_bytes(self.take(count), "big")

    def string(self) -> bytes:
        """Return the next string."""
        return self.take(self.number())

    def integer(self) -> int:
        """Return the next `mpint`.

        Raises:
            DataError: it is negative, or has bytes that it does not need.
        """
        data = self.string()
        value = int.from_bytes(data, "big")
        if ssh_integer(value)[4:] != data:
            raise DataError("a number is negative or not in its only spelling")
        return value

    @property
    def is_done(self) -> bool:
        """Say whether nothing is left."""
        return self._at == len(self._data)

    def end(self) -> None:
        """Verify that nothing is left.

        Raises:
            DataError: something is.
        """
        if not self.is_done:
            raise DataError("goes on after its end")
