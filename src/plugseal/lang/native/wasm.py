"""The names that a WebAssembly module imports, as `module.field`.

See: https://webassembly.github.io/spec/core/binary/modules.html
"""

from __future__ import annotations

from typing import Final

from plugseal.lang.native.table import MAX_NAMES, OutsideError

_IMPORTS: Final = 2
_MAX_SECTIONS: Final = 1_024


def wasm_imports(data: bytes) -> list[str]:
    """Return the imported names.

    Raises:
        OutsideError: a section leads out of the file.
    """
    at = 8
    for _ in range(_MAX_SECTIONS):
        if at >= len(data):
            break
        kind = data[at]
        size, at = _number(data, at + 1)
        if kind == _IMPORTS:
            return _names(data[at : at + size])
        at += size
    return []


def _names(section: bytes) -> list[str]:
    count, at = _number(section, 0)
    names = []
    for _ in range(min(count, MAX_NAMES)):
        module, at = _text(section, at)
        field, at = _text(section, at)
        names.append(f"{module}.{field}")
        at = _behind_description(section, at)
    return names


def _behind_description(section: bytes, at: int) -> int:
    """Return where the next import begins, behind a function's type, a table, a memory, a global or a tag."""
    if at >= len(section):
        raise OutsideError
    kind, at = section[at], at + 1
    if kind == 0:
        return _number(section, at)[1]
    if kind in (1, 2):
        at += kind == 1
        if at >= len(section):
            raise OutsideError
        has_most = section[at] & 1
        _, at = _number(section, at + 1)
        return _number(section, at)[1] if has_most else at
    return at + 2 if kind == 3 else _number(section, at + 1)[1]


def _text(section: bytes, at: int) -> tuple[str, int]:
    size, at = _number(section, at)
    if at + size > len(section):
        raise OutsideError
    return section[at : at + size].decode("utf-8", "replace"), at + size


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Return a LEB128 number of at most 32 bits and where it ends."""
    value = 0
    for shift in range(0, 35, 7):
        if at >= len(data):
            raise OutsideError
        byte, at = data[at], at + 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise OutsideError
