"""Read a file of awk or of sed: what its program starts, reads, writes and connects to. Never raises, runs nothing."""

from __future__ import annotations

from typing import Final

from plugseal.lang.facts import Context, FileFacts, unread
from plugseal.lang.placed_acts import PlacedActs, read_placed_acts
from plugseal.lang.programs.awk import placed_acts_of_awk
from plugseal.lang.programs.sed import placed_acts_of_sed
from plugseal.limits import KIB

_ACTS: Final[dict[str, PlacedActs]] = {"awk": placed_acts_of_awk, "sed": placed_acts_of_sed}
_MAX_BYTES: Final = 64 * KIB
"""Of a program: what looks into one stops after some thousand commands, and a longer one would be read in part."""


class SmallProgramReader:
    """The reader of programs of which a few words tell all that leaves the text they work on."""

    def __init__(self, language: str) -> None:
        self.language = language

    def read(self, data: bytes, context: Context) -> FileFacts:
        """Return the facts of one file; never raise on any bytes, never run them."""
        del context
        if len(data) > _MAX_BYTES:
            return unread(self.language, f"larger than {_MAX_BYTES // KIB} KiB")
        return read_placed_acts(self.language, data, _ACTS[self.language])
