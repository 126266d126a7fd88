"""Read a file of AppleScript: what it starts, reads, sends and asks for. Never raises, never runs anything."""

from __future__ import annotations

from typing import Final

from plugseal.lang.applescript.acts import placed_acts_of_applescript
from plugseal.lang.facts import Context, FileFacts, unread
from plugseal.lang.placed_acts import read_placed_acts
from plugseal.limits import KIB

_MAX_BYTES: Final = 128 * KIB
"""Of a script: nobody writes a longer one."""


class AppleScriptReader:
    """The reader of AppleScript."""

    language = "AppleScript"

    def read(self, data: bytes, context: Context) -> FileFacts:
        """Return the facts of one file; never raise on any bytes, never run them."""
        del context
        if len(data) > _MAX_BYTES:
            return unread(self.language, f"larger than {_MAX_BYTES // KIB} KiB")
        return read_placed_acts(self.language, data, placed_acts_of_applescript)
