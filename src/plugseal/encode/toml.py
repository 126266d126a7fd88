"""Read TOML strictly and bounded.

An own scanner walks the text first, with exactly the lexical rules of the parser behind it: it holds every limit before
that parser sees a byte (a dotted key of 40 kB makes it take 1.6 GB) and knows where everything stands. Then tomli, on
every Python the same one, makes the values and has the last word on what is valid.
Refused beyond TOML's own rules: infinities and NaN, floats that overflow, and all that is over a limit.
"""

from __future__ import annotations

from plugseal.encode.places import Places
from plugseal.encode.text import decode_text
from plugseal.encode.values import Toml
from plugseal.errors import DataError
from plugseal.limits import MAX_DATA_BYTES


def parse_toml(data: bytes, *, max_bytes: int = MAX_DATA_BYTES) -> dict[str, Toml]:
    """Return the table of a TOML document.

    Args:
        data: the whole file; a byte order mark of UTF-8 may lead.
        max_bytes: limit of the file.

    Raises:
        DataError: the document is refused; it names line and column.
    """
    from plugseal.encode.toml_scan import Scanner  # a scan of known rules does without

    text = decode_text(data, max_bytes=max_bytes)
    Scanner(text, _unescape).scan()
    return _load(text)


def index_toml(data: bytes) -> Places:
    """Return where the keys and values of a TOML document stand; a table's place is its header.

    Raises:
        DataError: as `parse_toml`.
    """
    from plugseal.encode.toml_scan import Scanner

    text = decode_text(data)
    root = Scanner(text, _unescape).scan()
    _load(text)
    return Places(text, root)


def parse_known_toml(data: bytes) -> dict[str, Toml]:
    """Return the table of a document whose very bytes were parsed strictly before, without looking for bombs again.

    Only for files of ours: rules that a digest vouches for, and the package's own tables, which are no less to be
    trusted than the code beside them and which a test parses strictly. It takes a fifth of the time.

    Raises:
        DataError: the document is refused.
    """
    return _load(decode_text(data))


def _load(text: str) -> dict[str, Toml]:
    import tomli

    try:
        return tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        message = f"not valid TOML: {error.msg[:1].lower()}{error.msg[1:]}"
        raise DataError(message, line=error.lineno, column=error.colno) from None
    except (ValueError, RecursionError, OverflowError):
        raise DataError("not valid TOML: a value out of range") from None


def _unescape(key: str) -> str:
    """Return what a quoted key means."""
    return next(iter(_load(f"{key} = 0")))
