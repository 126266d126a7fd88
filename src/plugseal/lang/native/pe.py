"""The names that a Windows program imports: its libraries and their functions.

See: https://learn.microsoft.com/windows/win32/debug/pe-format
"""

from __future__ import annotations

from typing import Final

from plugseal.lang.native.table import MAX_NAMES, Bytes, OutsideError

_MAX_SECTIONS: Final = 96
_MAX_LIBRARIES: Final = 1_024


def pe_imports(data: bytes) -> list[str]:
    """Return the imported names, libraries among them.

    Raises:
        OutsideError: a table leads out of the file.
    """
    view = Bytes(data)
    (header,) = view.numbers("I", 0x3C)
    if data[header : header + 4] != b"PE\0\0":
        raise OutsideError
    (count,) = view.numbers("H", header + 6)
    (optional_bytes,) = view.numbers("H", header + 20)
    optional = header + 24
    is_wide = view.numbers("H", optional) == (0x20B,)
    address, _ = view.numbers("2I", optional + (120 if is_wide else 104))
    sections = [
        view.numbers("4I", optional + optional_bytes + 40 * number + 8) for number in range(min(count, _MAX_SECTIONS))
    ]
    return _libraries(view, sections, address, is_wide=is_wide) if address else []


def _libraries(view: Bytes, sections: list[tuple[int, ...]], address: int, *, is_wide: bool) -> list[str]:
    names: list[str] = []
    at = _offset(sections, address)
    for number in range(_MAX_LIBRARIES):
        lookup, _, _, name, first = view.numbers("5I", at + 20 * number)
        if not name:
            break
        names.append(view.name(_offset(sections, name)))
        names += _functions(view, sections, lookup or first, is_wide=is_wide, room=MAX_NAMES - len(names))
    return names


def _functions(view: Bytes, sections: list[tuple[int, ...]], address: int, *, is_wide: bool, room: int) -> list[str]:
    names: list[str] = []
    at, step = _offset(sections, address), 8 if is_wide else 4
    for number in range(max(0, room)):
        (value,) = view.numbers("Q" if is_wide else "I", at + step * number)
        if not value:
            break
        if not value >> (63 if is_wide else 31):
            names.append(view.name(_offset(sections, value & 0x7FFFFFFF) + 2))
    return names


def _offset(sections: list[tuple[int, ...]], address: int) -> int:
    """Return where an address lies in the file.

    Raises:
        OutsideError: in no section.
    """
    for virtual_bytes, virtual, raw_bytes, raw in sections:
        if virtual <= address < virtual + max(virtual_bytes, raw_bytes):
            return raw + address - virtual
    raise OutsideError
