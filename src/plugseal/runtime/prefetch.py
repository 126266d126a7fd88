"""Begin to read what a start will most likely be asked about, before anything of the gate is loaded.

It is a guess, made by a process of its own (`shares`) from a record of which nothing is verified yet, and nothing is
said of what goes wrong there. The gate reads and verifies the record by itself, once the state is watched, and takes
what was found only where it is about the copy and the source of that very approval; else each is read as if this were
not.

Nothing is loaded here but what the interpreter has at its start.
"""

from __future__ import annotations

import os

from plugseal.runtime.background import Background

_NOTHING = b"nothing"


class Prefetch:
    """A copy and a source that are being read; close it."""

    def __init__(self, plugin: str) -> None:
        """Begin.

        Args:
            plugin: its ID.
        """
        self._plugin = plugin
        self._answer: bytes | None = None
        self._other = Background(self._work)

    def is_in_vain(self) -> bool:
        """Say whether it is known already that nothing was found, without waiting."""
        return self._other.is_done() and self._waited() == _NOTHING

    def digests(self, copy: str, source: str) -> tuple[str, str] | None:
        """Return the content receipt of a copy and the digest of its source.

        None where other ones were read, or something is not plain, not the same on both sides, or can't be read.

        Args:
            copy: path of the copy.
            source: path of the source.
        """
        found = self._waited().split(b"\0")
        if len(found) != 4 or found[:2] != [os.fsencode(copy), os.fsencode(source)]:
            return None
        return found[2].decode("ascii"), found[3].decode("ascii")

    def close(self) -> None:
        """End what is under way; safe to call again."""
        self._other.close()

    def _waited(self) -> bytes:
        if self._answer is None:
            self._answer = self._other.result()
        return self._answer

    def _work(self) -> bytes:
        from plugseal.runtime.shares import read_guess

        found = read_guess(self._plugin)
        return _NOTHING if found is None else b"\0".join(map(os.fsencode, found))
