"""The names that a Mach-O file imports: undefined symbols and libraries; of a file for several machines the first.

See: https://github.com/apple-oss-distributions/xnu/blob/main/EXTERNAL_HEADERS/mach-o/loader.h
"""

from __future__ import annotations

from typing import Final

from plugseal.lang.native.table import MAX_NAMES, Bytes

_FAT: Final = b"\xca\xfe\xba\xbe"
_SYMBOLS: Final = 0x2
_LIBRARIES: Final = frozenset({0xC, 0x80000018, 0x8000001F, 0x23})
_MAX_COMMANDS: Final = 4_096


def macho_imports(data: bytes) -> list[str]:
    """Return the imported names, libraries among them, without the leading underscore.

    Raises:
        OutsideError: a table leads out of the file.
    """
    if data.startswith(_FAT):
        _, _, _, _, start, size = Bytes(data, is_little=False).numbers("6I", 4)[:6]
        data = data[start : start + size]
    is_little, is_wide = data[:1] in (b"\xce", b"\xcf"), b"\xcf" in data[:4]
    view = Bytes(data, is_little=is_little)
    (count,) = view.numbers("I", 16)
    at = 32 if is_wide else 28
    names: list[str] = []
    for _ in range(min(count, _MAX_COMMANDS)):
        command, size = view.numbers("2I", at)
        if command == _SYMBOLS:
            names += _symbols(view, *view.numbers("4I", at + 8), is_wide=is_wide)
        elif command in _LIBRARIES:
            names.append(view.name(at + view.numbers("I", at + 8)[0]))
        at += max(8, size)
    return names


def _symbols(view: Bytes, offset: int, count: int, strings: int, _: int, *, is_wide: bool) -> list[str]:
    step = 16 if is_wide else 12
    names = []
    for number in range(min(count, MAX_NAMES)):
        name, kind = view.numbers("IB", offset + number * step)
        if kind & 0x0E == 0 and kind & 0x01 and name:
            names.append(view.name(strings + name).removeprefix("_"))
    return names
