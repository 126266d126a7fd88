"""One fixed Unicode version for everything that judges or shows characters.

Python's own `unicodedata` changes with the interpreter, and with it what is a letter, a mark or unassigned; a verdict
must not. This is the only door to `unicodedata2`; it is imported on first use, since plain ASCII never needs it.
"""

from __future__ import annotations


def category(character: str) -> str:
    """Return the two-letter general category of one code point, e.g. `Lu` or `Cf`."""
    import unicodedata2  # type: ignore[import-not-found]  # a C extension without stubs

    result: str = unicodedata2.category(character)
    return result


def east_asian_width(character: str) -> str:
    """Return the East Asian width class of one code point: `W` and `F` take two columns on a terminal."""
    import unicodedata2  # type: ignore[import-not-found]  # a C extension without stubs

    result: str = unicodedata2.east_asian_width(character)
    return result


def nfc(text: str) -> str:
    """Return the text in Unicode normal form C."""
    if text.isascii():
        return text
    import unicodedata2  # type: ignore[import-not-found]  # a C extension without stubs

    result: str = unicodedata2.normalize("NFC", text)
    return result


def casefold_key(text: str) -> str:
    """Return what two names have in common when they differ only in case or normal form."""
    return nfc(nfc(text).casefold())
