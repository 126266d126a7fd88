"""Read git's configuration as git does: sections, quoted subsections, values with quotes, escapes and continuations.

Linear in the length of the file. What git would refuse is left out line by line: a hostile file gains nothing by it,
since git does not start on such a file at all.

See: https://git-scm.com/docs/git-config#_syntax
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_SECTION: Final = lazy(r"\s*\[\s*([A-Za-z0-9.-]+)(?:\s+\"((?:[^\"\\]|\\.)*)\")?\s*\]")
_KEY: Final = lazy(r"\s*([A-Za-z][A-Za-z0-9-]*)\s*(=?)")
_ESCAPES: Final = {"n": "\n", "t": "\t", "b": "\b", "\\": "\\", '"': '"'}
MAX_SETTINGS: Final = 4_096


class Setting(NamedTuple):
    """One variable of git's configuration."""

    name: str
    """`section.key` or `section.subsection.key`; section and key in lower case."""
    value: str
    """`true` where there is a key alone."""
    line: int
    column: int
    """Where the key stands, 1-based."""
    end_column: int


def parse_git_config(data: bytes) -> tuple[Setting, ...]:
    """Return the variables of a configuration in their order; not more than `MAX_SETTINGS`."""
    text = data.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
    found: list[Setting] = []
    section = ""
    for number, line in _logical_lines(text):
        rest, at = line, 0
        match = _SECTION.match(rest)
        if match is not None:
            section = match[1].lower() + (f".{_unescaped(match[2])}" if match[2] is not None else "")
            at = match.end()
        key = _KEY.match(rest, at)
        if key is None or not section:
            continue
        value = _value(rest[key.end() :]) if key[2] else "true"
        found.append(Setting(f"{section}.{key[1].lower()}", value, number, key.start(1) + 1, key.end(1) + 1))
        if len(found) >= MAX_SETTINGS:
            break
    return tuple(found)


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers, those that end in a backslash joined with the next."""
    held, first = "", 0
    for number, line in enumerate(text.split("\n"), start=1):
        first = first if held else number
        if line.endswith("\\") and not line.endswith("\\\\"):
            held += line[:-1]
            continue
        yield first, held + line
        held = ""


def _value(text: str) -> str:
    """Return a value without quotes, comment, and the spaces around it."""
    parts: list[str] = []
    is_quoted = False
    at, kept = 0, 0
    text = text.lstrip()
    while at < len(text):
        character = text[at]
        if character == "\\" and at + 1 < len(text):
            parts.append(_ESCAPES.get(text[at + 1], text[at + 1]))
            at += 1
            kept = len(parts)
        elif character == '"':
            is_quoted = not is_quoted
            kept = len(parts)
        elif character in "#;" and not is_quoted:
            break
        else:
            parts.append(character)
            if is_quoted or not character.isspace():
                kept = len(parts)
        at += 1
    return "".join(parts[:kept])


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
