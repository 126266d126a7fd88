"""The interface of a plugin system, and the listing it looks at.

To add a system: one file in `clients/`, or a room, with a class that fits `System`, and one line in `registry.py`.
A listing never touches the disk: links are followed inside it alone, and one that leads out resolves to nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, NoReturn, Protocol

from plugseal.lang.naming import Named
from plugseal.model.plugin import Plugin
from plugseal.model.tree import Entry, EntryKind
from plugseal.records import NamedTuple
from plugseal.systems.reading.prose_commands import ProseCommand

_MAX_LINK_STEPS = 40
"""As Linux follows at most in one look-up."""
_NOTHING: Final[Mapping[str, NoReturn]] = MappingProxyType({})


class Listing(NamedTuple):
    """The names of a tree and the bytes of the few files that systems asked to keep."""

    entries: Mapping[str, Entry]
    """By path below the scanned root, in tree order."""
    kept: Mapping[str, bytes]
    """Bytes of kept manifests by path; a manifest that is missing here was too large or unreadable."""
    children: Mapping[str, tuple[str, ...]] = _NOTHING
    """Directory path (`""` for the root) to its children's names."""
    text_digests: Mapping[str, str] = _NOTHING
    """SHA-256 in hex of kept prose by path, with CRLF read as LF, over all of the text."""
    prose_commands: Mapping[str, tuple[ProseCommand, ...]] = _NOTHING
    """The commands of kept prose that a client runs before its model reads it, by path of the files that have any."""
    aside: Mapping[str, bytes] = _NOTHING
    """Files outside the tree that are looked at all the same: configuration and hooks of the root's `.git`, by path."""
    folders: Mapping[str, tuple[str, ...]] = _NOTHING
    """Name of an entry to the directories in which one of this name stands, in tree order."""
    named: Mapping[str, Named] = _NOTHING
    """What each program of the tree names, by its path: files, modules, what it loads."""
    bundle_hashes: Mapping[str, str] = _NOTHING
    """Codewhale's content hash by the path of the manifest; one that can't be told is missing."""
    anchor: str = ""
    """Where the root itself stands for a host that goes by places, e.g. `.amness/plugins`; empty where that is open."""
    asks_hosts: bool = True
    """Whether verdicts of hosts other than the system's own are wanted: no fact, fault or receipt depends on them, and
    they cost as much as the rest of a small scan."""

    def placed(self, path: str) -> str:
        """Return a path as a host sees it that goes by places: below the anchor, if there is one."""
        return f"{self.anchor}/{path}" if self.anchor and path else self.anchor or path

    def is_file(self, path: str) -> bool:
        """Say whether a regular file is there."""
        entry = self.entries.get(path)
        return entry is not None and entry.kind is EntryKind.FILE

    def is_directory(self, path: str) -> bool:
        """Say whether a directory is there (the root counts)."""
        entry = self.entries.get(path)
        return path == "" or (entry is not None and entry.kind is EntryKind.DIRECTORY)

    def resolve(self, path: str) -> str | None:
        """Return where a path leads once every link on the way is followed.

        Returns:
            The path of an existing entry that is no link, or None where it leads out of the root, nowhere, or in a
            circle.
        """
        known = self.entries.get(path)
        if known is not None and known.kind is not EntryKind.SYMLINK:
            return path  # Entries are listed where they lie: what has this very path is reached by no link.
        rest = [part for part in reversed(path.split("/")) if part]
        here: list[str] = []
        steps = 0
        while rest:
            part = rest.pop()
            if part == ".":
                continue
            if part == "..":
                if not here:
                    return None
                here.pop()
                continue
            here.append(part)
            entry = self.entries.get("/".join(here))
            if entry is None:
                return None
            if entry.kind is EntryKind.SYMLINK:
                steps += 1
                target = entry.target or ""
                if steps > _MAX_LINK_STEPS or target.startswith("/") or not target:
                    return None
                here.pop()
                rest.extend(part for part in reversed(target.split("/")) if part)
            elif rest and entry.kind is not EntryKind.DIRECTORY:
                return None
        return "/".join(here)


class System(Protocol):
    """One host's plugin format."""

    name: str
    """As it is shown and stands in IDs, e.g. `agent-plugins`."""

    def keeps(self, path: str) -> bool:
        """Say whether this system needs the bytes of the file at `path` to recognise or describe a plugin."""
        ...

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every plugin of this system in the tree, broken ones too (with `faults`), never raising on content."""
        ...
