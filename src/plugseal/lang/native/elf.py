"""The names that an ELF file imports: undefined dynamic symbols, and the libraries that it needs.

See: https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html
"""

from __future__ import annotations

from typing import Final

from plugseal.lang.native.table import MAX_NAMES, Bytes

_DYNAMIC: Final = 6
_DYNAMIC_SYMBOLS: Final = 11
_NEEDED: Final = 1
_MAX_SECTIONS: Final = 4_096


def elf_imports(data: bytes) -> list[str]:
    """Return the imported names, libraries among them.

    Raises:
        OutsideError: a table leads out of the file.
    """
    is_wide, is_little = data[4:5] == b"\x02", data[5:6] != b"\x02"
    view = Bytes(data, is_little=is_little)
    (start,) = view.numbers("Q" if is_wide else "I", 40 if is_wide else 32)
    size, count, _ = view.numbers("3H", 58 if is_wide else 46)
    sections = [_section(view, start + size * number, is_wide=is_wide) for number in range(min(count, _MAX_SECTIONS))]
    names: list[str] = []
    for kind, offset, length, link in sections:
        strings = sections[link][1] if link < len(sections) else len(data)
        if kind == _DYNAMIC_SYMBOLS:
            names += _symbols(view, offset, length, strings, is_wide=is_wide)
        elif kind == _DYNAMIC:
            names += _needed(view, offset, length, strings, is_wide=is_wide)
    return names


def _section(view: Bytes, at: int, *, is_wide: bool) -> tuple[int, int, int, int]:
    """Return a section's kind, offset, size and link."""
    if is_wide:
        _, kind, _, _, offset, size, link = view.numbers("2I4QI", at)
    else:
        _, kind, _, _, offset, size, link = view.numbers("7I", at)
    return kind, offset, size, link


def _symbols(view: Bytes, offset: int, length: int, strings: int, *, is_wide: bool) -> list[str]:
    step = 24 if is_wide else 16
    names = []
    for number in range(min(length // step, MAX_NAMES)):
        at = offset + number * step
        (name,) = view.numbers("I", at)
        (section,) = view.numbers("H", at + (6 if is_wide else 14))
        if section == 0 and name:
            names.append(view.name(strings + name))
    return names


def _needed(view: Bytes, offset: int, length: int, strings: int, *, is_wide: bool) -> list[str]:
    step = 16 if is_wide else 8
    names = []
    for number in range(min(length // step, MAX_NAMES)):
        tag, value = view.numbers("2Q" if is_wide else "2I", offset + number * step)
        if tag == _NEEDED:
            names.append(view.name(strings + value))
    return names
