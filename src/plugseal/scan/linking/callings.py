"""Which functions call which, by file, packed until paths are looked for; as `linkable` does with names.

Law: `callings[path]` has the entries, functions and calls that were put there, and nothing else.
"""

from __future__ import annotations

import marshal
import zlib
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from plugseal.lang.facts import EntryPoint, FileFacts, Function, LocalCall

_FASTEST: Final = 1


class Callings(Mapping[str, FileFacts]):
    """Files by path, each unpacked when it is asked for."""

    def __init__(self) -> None:
        self._packed: dict[str, bytes] = {}
        self._languages: dict[str, str] = {}

    def put(self, path: str, facts: FileFacts) -> None:
        """Keep what calls what in a file."""
        rows = [list(map(tuple, some)) for some in (facts.entries, facts.functions, facts.calls)]
        self._languages[path] = facts.language
        self._packed[path] = zlib.compress(marshal.dumps((facts.language, *rows)), _FASTEST)

    def of(self, languages: Collection[str]) -> list[str]:
        """Return the files of some languages."""
        return [path for path, language in self._languages.items() if language in languages]

    def __getitem__(self, path: str) -> FileFacts:
        data = zlib.decompress(self._packed[path])
        language, entries, functions, calls = marshal.loads(data)  # noqa: S302  # nosec B302
        return FileFacts(
            language,
            "read",
            entries=tuple(EntryPoint(*row) for row in entries),
            functions=tuple(Function(*row) for row in functions),
            calls=tuple(LocalCall(*row) for row in calls),
        )

    def __contains__(self, path: object) -> bool:
        return path in self._packed

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)
