"""Files of variables (`.env`): `NAME=value` lines that a host puts into its own environment.

Quotes are taken off and nothing is expanded. A line that is no assignment leaves the file unread.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.limits import MAX_DECLARED
from plugseal.model.location import Span
from plugseal.model.plugin import Component, ComponentKind
from plugseal.patterns import lazy
from plugseal.systems.reading.reader import PluginReader

_LINE: Final = lazy(r"(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*(?![ \t])(.*)")


def environment_file(reader: PluginReader, file: str, *, trigger: str = "start") -> Iterator[Component]:
    """Describe the variables of a file, where it is there.

    Args:
        reader: takes the faults.
        file: relative to the root.
        trigger: when the host reads it.
    """
    data = reader.data(file) if reader.exists(file) else None
    if data is None:
        return
    pairs: dict[str, str] = {}
    places: list[tuple[str, Span]] = []
    for number, line in enumerate(data.decode("utf-8-sig", "replace").splitlines(), start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        match = _LINE.fullmatch(text)
        if match is None or len(pairs) >= MAX_DECLARED:
            reader.fault(file, "is no assignment of a variable", line=number)
            continue
        pairs[match[1]] = _unquoted(match[2])
        places.append((f"env.{match[1]}", Span(number, 1, number, len(line) + 1)))
    reader.parsed.append(file)
    yield Component(
        kind=ComponentKind.SETTING,
        name=file,
        file=file,
        span=Span(1, 1, 1, 1),
        environment=tuple((name, None) for name in sorted(pairs)),
        literals=tuple(sorted(pairs.items())),
        trigger=trigger,
        places=tuple(places),
    )


def _unquoted(value: str) -> str:
    text = value.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'`":
        return text[1:-1]
    return text.partition(" #")[0].rstrip()
