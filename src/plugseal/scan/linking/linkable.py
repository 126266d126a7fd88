"""What the linker needs of every file of a tree, packed until it is asked for.

A tree that holds its own libraries has tens of thousands of names that wait for each other; as objects they are most
of a scan's memory. What is packed never leaves the process (see `model/factlog.py`).

Law: `files[path]` has the pending events and exports that were put there, and nothing else.
"""

from __future__ import annotations

import marshal
import zlib
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from plugseal.lang.facts import UNKNOWN, Event, FileFacts, Ref, Unknown, Value
from plugseal.limits import MAX_WAITING_SOURCE_BYTES
from plugseal.model.location import Span
from plugseal.scan.sources import SourceLines

_FASTEST: Final = 1
_UNKNOWN: Final = 0
_REF: Final = 1
_SEQUENCE: Final = 2


class Linkables(Mapping[str, FileFacts]):
    """Files by path, each unpacked when it is asked for; and their texts, for the lines under what is found."""

    __slots__ = ("_languages", "_packed", "_text_bytes", "_texts", "_waiting")

    def __init__(self) -> None:
        self._waiting: set[str] = set()
        """Languages of which some file has names that wait for others."""
        self._languages: dict[str, str] = {}
        self._packed: dict[str, bytes] = {}
        self._texts: dict[str, bytes] = {}
        self._text_bytes = 0

    def put(self, path: str, facts: FileFacts, data: bytes) -> None:
        """Keep what may be linked of a file, and its text while there is room for it."""
        pending = [(*event[:2], *event.span, *map(_plain, event[3:5]), *event[5:]) for event in facts.pending]
        self._packed[path] = zlib.compress(marshal.dumps((facts.language, pending, facts.exports)), _FASTEST)
        self._languages[path] = facts.language
        if facts.pending:
            self._waiting.add(facts.language)
        if facts.pending and self._text_bytes < MAX_WAITING_SOURCE_BYTES:
            text = self._texts[path] = zlib.compress(data, _FASTEST)
            self._text_bytes += len(text)

    def is_waiting(self, languages: Collection[str]) -> bool:
        """Say whether any file of some languages has names that wait for others."""
        return not self._waiting.isdisjoint(languages)

    def of(self, languages: Collection[str]) -> Linkables:
        """Return the files of some languages; they are shared, not copied."""
        chosen = Linkables()
        chosen._packed = {path: packed for path, packed in self._packed.items() if self._languages[path] in languages}
        return chosen

    def lines(self, path: str) -> SourceLines:
        """Return the source lines of a file; none where there was no room for its text."""
        text = self._texts.get(path)
        return SourceLines(zlib.decompress(text) if text is not None else b"")

    def __getitem__(self, path: str) -> FileFacts:
        language, pending, exports = marshal.loads(zlib.decompress(self._packed[path]))  # noqa: S302  # nosec B302
        return FileFacts(language, "read", pending=tuple(map(_event, pending)), exports=exports)

    def __contains__(self, path: object) -> bool:
        return path in self._packed

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)


def _plain(value: Value | tuple[tuple[str, Value], ...]) -> Any:  # what marshal can write
    if isinstance(value, Ref):
        return (_REF, value.name)
    if isinstance(value, Unknown):
        return (_UNKNOWN,)
    if isinstance(value, tuple):
        return (_SEQUENCE, *map(_plain, value))
    return value


def _value(plain: Any) -> Any:  # what marshal read
    if not isinstance(plain, tuple):
        return plain
    if plain[0] == _SEQUENCE:
        return tuple(map(_value, plain[1:]))
    return Ref(plain[1]) if plain[0] == _REF else UNKNOWN


def _event(row: Any) -> Event:  # as `put` wrote it
    kind, name, *span, arguments, keywords, resolution, trigger = row
    return Event(kind, name, Span(*span), _value(arguments), _value(keywords), resolution, trigger)
