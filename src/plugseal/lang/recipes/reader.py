"""Read one file that holds command lines: bytes in, facts out. Never raises, never runs anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from plugseal.lang.facts import Context, FileFacts, unread
from plugseal.lang.prose.lines import decode_prose
from plugseal.lang.recipes.dockerfile import LANGUAGE as DOCKERFILE
from plugseal.lang.recipes.dockerfile import read_dockerfile
from plugseal.lang.recipes.found import Found
from plugseal.lang.recipes.makefile import JUST, MAKE, read_justfile, read_makefile
from plugseal.lang.recipes.units import TABLE, UNIT, read_time_table, read_unit
from plugseal.limits import MAX_SOURCE_BYTES, MIB


class RecipeReader:
    """The reader of build files, makefiles, units and time tables."""

    def __init__(self, language: str) -> None:
        self.language = language

    def read(self, data: bytes, context: Context) -> FileFacts:
        """Return the facts of one file; never raise on any bytes, never run them."""
        if len(data) > MAX_SOURCE_BYTES:
            return unread(self.language, f"larger than {MAX_SOURCE_BYTES // MIB} MiB")
        text, reason = decode_prose(data)
        if reason:
            return unread(self.language, reason)
        return _READERS[self.language](text, context.path).build()


_READERS: Final[dict[str, Callable[[str, str], Found]]] = {
    DOCKERFILE: lambda text, _: read_dockerfile(text),
    MAKE: lambda text, _: read_makefile(text),
    JUST: lambda text, _: read_justfile(text),
    UNIT: read_unit,
    TABLE: read_time_table,
}
